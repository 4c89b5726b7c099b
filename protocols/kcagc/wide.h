/* wide.h -- products with T^p X for a wide sparse X, without forming T^p X. T^p X is dense: 5000
 * rows of 10^5 columns take 4 GB. T = R^-1 (S + I), where R has the row sums of S + I, so T' = R T
 * R^-1. Products by T and T' therefore only filter the vectors, not the columns of X. */
#ifndef PROTOCOLS_KCAGC_WIDE_H
#define PROTOCOLS_KCAGC_WIDE_H

#include "common/graph/filter.h"
#include "common/linalg/csr.h"
#include "common/linalg/svd.h"

#include <stdbool.h>

struct wide {
	/* n x m: scale T^p X; with `beside`, n x (m + 1). Its ctx is this struct, which must not be
	 * moved. */
	struct linear_map map;
	const struct csr *X; /* borrowed, like g */
	const struct graph *g;
	unsigned order, threads;
	double scale;   /* factor of T^p X; initially 1 */
	double *beside; /* n: an additional last column; owned; NULL: none */
	double *sum;    /* n: row sums R */
};

/* Returns true if products are faster than forming T^p X: n m is above 2^26 (half a GB), and fewer
 * than one value of X in 64 is non-zero. Smaller slices are formed, which is faster with many
 * vectors. */
bool wide_pays(const struct csr *X);
bool wide_pays_for(size_t rows, size_t cols, size_t entries);

void wide_init(struct wide *w, const struct csr *X, const struct graph *g, unsigned order,
	       unsigned threads);
void wide_release(struct wide *w);

/* Sets the factor, and appends the column `beside` (n), which it takes over. */
void wide_put(struct wide *w, double scale, double *beside);

/* Initialises Y (n x b) = F F' B, where F is `map`, for B of n x b. Costs 2 p steps of the filter
 * on b columns and O(b) for each non-zero of X; memory: 2 m b doubles in addition to Y. Bitwise
 * identical for any number of threads. */
void wide_products(const struct wide *w, const struct mat *B, struct mat *Y);

/* Initialises M (b x map.cols) = B' F, with a row per column of B. */
void wide_means(const struct wide *w, const struct mat *B, struct mat *M);

#endif
