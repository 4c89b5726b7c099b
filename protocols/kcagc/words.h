/* words.h -- inverse document frequencies of a slice of words.
 *
 * A slice holds words if all its non-zeros are one value. A single column of ones among
 * measurements does not count: wiki has nine of 4973, and weighting them costs it two points of
 * accuracy. */
#ifndef PROTOCOLS_KCAGC_WORDS_H
#define PROTOCOLS_KCAGC_WORDS_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

#include <math.h>
#include <stdbool.h>

/* The value of words that are coded by their row (seen_rows_are_even()): each non-zero is 1. */
#define WORD_OF_ROWS INFINITY

struct words {
	double value; /* value of the non-zeros so far; 0: none yet */
	bool differ;
	size_t *count; /* non-zeros of each column, unless `differ`; owned */
};

/* Adds the values of X, of all ranks; allocates w->count on first use. */
void words_see(struct words *w, const struct ranks *R, const struct features *X);
/* Returns m weights ln((1+n)/(1+df_j)) + 1 for n rows, owned by the caller; NULL if the slice holds
 * no words. */
double *words_weights(const struct words *w, size_t m, size_t n);
void words_mark(struct features *X); /* non-zeros become 1 */
void words_weigh(struct features *X, const double *weight);

#endif
