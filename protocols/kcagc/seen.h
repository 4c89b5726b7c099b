/* seen.h -- finds the contents of a slice's columns: words, counts, or facts among them.
 *
 * A fact, such as a year, has a number in every row. It is foreign to columns that are mostly 0:
 * words, in 0 and 1 or otherwise coded, and their counts and weights. */
#ifndef PROTOCOLS_KCAGC_SEEN_H
#define PROTOCOLS_KCAGC_SEEN_H

#include "protocols/kcagc/slice.h"

/* Statistics of a column's non-zeros: count, least, most, mean, sum of squared distances from
 * it. */
struct column {
	double count, low, high, mean, apart;
	double measured; /* 0, or 1 if a non-zero is not 1 */
	double broken;   /* 0, or 1 if a value is no whole number */
};

struct seen {
	struct column *column; /* owned */
	size_t n;              /* rows, of all ranks */
	bool measured;         /* the columns that are not foreign hold no words */
	/* Words coded otherwise than by 0 and 1: non-zeros are all one value, or equal in each
	 * row. */
	bool present;
	double varied;  /* columns that vary, at least 1 */
	size_t foreign; /* columns */
	/* per column: whether it is foreign and says nothing of links (linked.h); NULL: none does.
	 * Owned */
	uint8_t *unlinked;
	double square; /* mean square of the non-zeros that are not foreign; 0: there are none */
};

/* Fills *seen, the same at each rank. O(n m). */
void seen_of(struct slice *s, struct seen *seen);
void seen_release(struct seen *seen);
bool seen_is_foreign(const struct seen *seen, size_t column);
/* Warns of columns that are unlinked. */
void seen_warn(const struct seen *seen, size_t columns);
/* Returns the factor that brings the column to variance 1; 0 if the column does not vary, or is
 * unlinked. */
double seen_to_unit(const struct seen *seen, size_t column);

/* True if words are coded by their row, such as 1 over its length: the non-zeros of each row are
 * equal. At least half of the rows with a non-zero must have two, because a row with one shows
 * nothing. seen: its foreign columns are skipped; NULL: none are. Returns the same at each rank. */
bool seen_rows_are_even(const struct ranks *R, struct features *X, const struct seen *seen);

/* Calls f for the values of all rows, by the blocks of rowsum.h, and writes the joined sums to
 * total (width). Each block has its own sums, which f gets as ctx. `join` joins them, with m as its
 * ctx; if it is NULL, they are added up. */
void seen_sum(struct slice *s, size_t width, rowsum_join *join, features_value *f, double *total);
/* Calls f for the values of block b of rowsum.h, with rows counted from the start of the block. */
void seen_block(struct slice *s, size_t b, features_value *f, void *ctx);

#endif
