/* seen.h -- finds the contents of a slice's columns: words, counts, or facts among them.
 *
 * A fact, such as a year, has a number in every row. Its column is foreign if the other columns are
 * mostly 0. The other columns have words, coded by 0 and 1 or otherwise, or counts or weights of
 * words. */
#ifndef PROTOCOLS_KCAGC_SEEN_H
#define PROTOCOLS_KCAGC_SEEN_H

#include "protocols/kcagc/slice.h"

/* Statistics of a column's non-zeros: count, least, largest, mean, and sum of squared distances
 * from the mean. */
struct column {
	double count, low, high, mean, apart;
	double measured; /* 0; 1 if a non-zero is not 1 */
	double broken;   /* 0; 1 if a value is not a whole number */
};

struct seen {
	struct column *column; /* owned */
	size_t n;              /* number of rows of all ranks */
	bool measured;         /* columns that are not foreign hold no words */
	/* Words are coded otherwise than by 0 and 1: all non-zeros have one value, or those of a
	 * row are equal. */
	bool present;
	double varied;  /* number of columns that vary, but at least 1 */
	size_t foreign; /* number of foreign columns */
	/* One entry per column: whether it is foreign and unlinked (linked.h). NULL: no column is.
	 * Owned. */
	uint8_t *unlinked;
	/* Mean square of the non-zeros of columns that are not foreign; 0: there are none. */
	double square;
};

/* Fills *seen, with the same values at each rank. O(n m). */
void seen_of(struct slice *s, struct seen *seen);
void seen_release(struct seen *seen);
bool seen_is_foreign(const struct seen *seen, size_t column);
/* Warns about unlinked columns. */
void seen_warn(const struct seen *seen, size_t columns);
/* Returns the factor that scales the column to variance 1. Returns 0 if the column does not vary,
 * or is unlinked. */
double seen_to_unit(const struct seen *seen, size_t column);

/* Returns true if words are coded by their row, such as 1 over its length: then the non-zeros of
 * each row are equal. At least half of the rows with a non-zero must have two, because a row with
 * one non-zero shows nothing. Foreign columns of `seen` are skipped; seen may be NULL. Returns the
 * same at each rank. */
bool seen_rows_are_even(const struct ranks *R, struct features *X, const struct seen *seen);

/* Computes sums over all rows, in the blocks of rowsum.h. Calls f for each value, with the sums of
 * the value's block as ctx. `join` combines the sums of two blocks; its ctx is a size_t *, the
 * number of columns. If join is NULL, the sums are added. total (width): the result. */
void seen_sum(struct slice *s, size_t width, rowsum_join *join, features_value *f, double *total);
/* Calls f for the values of block b of rowsum.h, with rows counted from the start of the block. */
void seen_block(struct slice *s, size_t b, features_value *f, void *ctx);

#endif
