/* words.h -- inverse document frequencies of a slice of words.
 *
 * A slice holds words if all its non-zeros are one value. Single columns of ones among measurements
 * do not count as words. The data set wiki has nine such columns of 4973; weighting them costs two
 * points of accuracy. */
#ifndef PROTOCOLS_KCAGC_WORDS_H
#define PROTOCOLS_KCAGC_WORDS_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

#include <math.h>
#include <stdbool.h>

/* Value for words that are coded by their row (seen_rows_are_even()) or by counts (counts.h). Each
 * non-zero becomes 1. */
#define WORD_OF_ROWS INFINITY

struct words {
	double value; /* value of all non-zeros so far; 0: none yet */
	bool differ;
	size_t *count; /* number of non-zeros of each column, unless `differ`; owned */
};

/* Adds the values of X, over all ranks. Allocates w->count at the first call. */
void words_see(struct words *w, const struct ranks *R, const struct features *X);
/* Returns the m weights ln((1+n)/(1+df_j)) + 1 for n rows, of which df_j are not 0 in column j;
 * owned by the caller. NULL: the slice holds no words. */
double *words_weights(const struct words *w, size_t m, size_t n);
void words_mark(struct features *X); /* sets all non-zeros to 1 */
void words_weigh(struct features *X, const double *weight);

#endif
