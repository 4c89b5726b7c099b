/* wide.h -- T^p X of a wide sparse X as its products alone. Formed, T^p X is dense: 5000 rows of 10^5
 * columns are 4 GB. T = R^-1 (S + I), R its row sums, so T' = R T R^-1: both are the filter's steps on
 * as many columns as there are vectors.
 */
#ifndef PROTOCOLS_KCAGC_WIDE_H
#define PROTOCOLS_KCAGC_WIDE_H

#include "common/graph/filter.h"
#include "common/linalg/csr.h"
#include "common/linalg/svd.h"

#include <stdbool.h>

struct wide {
	struct linear_map map; /* T^p X, n x m; ctx is this struct, which therefore stays where it is */
	const struct csr *X;   /* borrowed, as is: */
	const struct graph *g;
	unsigned order, threads;
	double scale;   /* what T^p X is multiplied by; 1 at first */
	double *beside; /* n: one column more, the last; owned; NULL: there is none */
	double *sum; /* n: R */
};

/* Whether it is worth it: n m above 2^26 (half a GB), and less than one entry in 64 is there.
 * Smaller slices are formed, which is faster with many vectors and leaves their labels as they
 * were, bit by bit. */
bool wide_pays(const struct csr *X);
bool wide_pays_for(size_t rows, size_t cols, size_t entries); /* the same, by its sizes */

/* g has as many nodes as X has rows. */
void wide_init(struct wide *w, const struct csr *X, const struct graph *g, unsigned order,
	       unsigned threads);
void wide_release(struct wide *w);

/* Multiplies by `scale`, and puts a column beside that, of n numbers, which it takes over. */
void wide_put(struct wide *w, double scale, double *beside);

/* Y (n x b, initialised here) = F F' B, F = T^p X, for a B of n x b. 2 p steps of the filter on b
 * columns and O(entries b); memory 2 m b doubles beside Y. Same bits for any threads. */
void wide_products(const struct wide *w, const struct mat *B, struct mat *Y);

/* M (b x map.cols, initialised here) = B' F, of as many rows as B has columns. */
void wide_means(const struct wide *w, const struct mat *B, struct mat *M);

#endif
