/* wide.h -- products with T^p X for a wide sparse X, without forming T^p X. T^p X is dense: 5000
 * rows of 10^5 columns take 4 GB. T = R^-1 (S + I), with R the row sums of S + I, so T' = R T R^-1.
 * A product by T or T' thus filters only as many columns as there are vectors. */
#ifndef PROTOCOLS_KCAGC_WIDE_H
#define PROTOCOLS_KCAGC_WIDE_H

#include "common/graph/filter.h"
#include "common/linalg/csr.h"
#include "common/linalg/svd.h"

#include <stdbool.h>

struct wide {
	struct linear_map map; /* T^p X, n x m; ctx is this struct, which must not be moved */
	const struct csr *X;   /* borrowed, as g */
	const struct graph *g;
	unsigned order, threads;
	double scale;   /* factor of T^p X; 1 at first */
	double *beside; /* n: one column more, the last; owned; NULL: none */
	double *sum;    /* n: R */
};

/* True if products pay: n m is above 2^26 (half a GB), and fewer than one entry in 64 is non-zero.
 * Smaller slices are formed, which is faster with many vectors and keeps their labels bitwise
 * identical. */
bool wide_pays(const struct csr *X);
bool wide_pays_for(size_t rows, size_t cols, size_t entries);

void wide_init(struct wide *w, const struct csr *X, const struct graph *g, unsigned order,
	       unsigned threads);
void wide_release(struct wide *w);

/* Sets the factor and appends the column `beside` (n), which it takes over. */
void wide_put(struct wide *w, double scale, double *beside);

/* Y (n x b, initialised here) = F F' B, F = T^p X, for B of n x b. 2 p steps of the filter on b
 * columns and O(entries b); memory 2 m b doubles besides Y. Bitwise identical for any number of
 * threads. */
void wide_products(const struct wide *w, const struct mat *B, struct mat *Y);

/* M (b x map.cols, initialised here) = B' F, with a row per column of B. */
void wide_means(const struct wide *w, const struct mat *B, struct mat *M);

#endif
