/* words.h -- inverse document frequencies of a slice of words.
 *
 * Words are told from measurements by the slice as a whole: all its non-zeros are one value. A single column of ones in
 * a slice of measurements says nothing (wiki has nine of 4973, and weighing them up costs it two points of accuracy). */
#ifndef PROTOCOLS_KCAGC_WORDS_H
#define PROTOCOLS_KCAGC_WORDS_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>

struct words {
	double value; /* of the non-zeros so far; 0: none yet */
	bool differ;
	size_t *count; /* non-zeros of each column, unless they differ; owned */
};

/* Adds X's, of all ranks; w->count is made here if it is not there. */
void words_see(struct words *w, const struct ranks *R, const struct features *X);
/* Of m columns and n rows ln((1+n)/(1+df_j)) + 1, owned by the caller; NULL: they are no words. */
double *words_weights(const struct words *w, size_t m, size_t n);
void words_weigh(struct features *X, const double *weight);

#endif
