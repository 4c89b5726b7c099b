/* bins.h -- FedWalk (Pan, Zhu, KDD 2022), steps 1 and 2: bins, noisy degree vectors, ordered degree
 * matrices.
 *
 * Every process numbers vertices 0 .. n-1 in the agreed order of all ids. A degree vector c_v has k
 * floats. The dictionary holds all of them, n x k row-major, and is public: every party gets it.
 * Rows of isolated vertices are zeros. */
#ifndef PROTOCOLS_FEDWALK_BINS_H
#define PROTOCOLS_FEDWALK_BINS_H

#include "common/base/err.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

enum { FEDWALK_BINS_MAX = 32 };

/* The paper's k: floor(ln n), at least 1. */
unsigned fedwalk_bins_default(size_t n);

/* Sets bin (n) of each vertex from a permutation of the seed: bin[perm[i]] = i mod k. Sizes of bins
 * differ by at most one. 1 <= k <= FEDWALK_BINS_MAX, k <= n. */
void fedwalk_bins(size_t n, unsigned k, uint64_t seed, uint8_t *bin);

/* c (k): number of neighbours in each bin, plus independent noise of scale 1/eps. `neighbour` has
 * no vertex twice. A tie counts in one bin, so the whole vector is eps-private in one tie of this
 * vertex, not only each entry.
 *
 * The noise is discrete Laplace on multiples of 1/256, P(x) ~ exp(-eps |x|). It is a difference of
 * two geometric variables, so that the low digits of a sum disclose nothing (Mironov 2012). Values
 * are cut to +-65535, hence exact in a float.
 *
 * ERR_INPUT: eps outside [FEDWALK_EPS_MIN, FEDWALK_EPS_MAX]; else the source's error. O(degree +
 * k). */
#define FEDWALK_EPS_MIN 1e-3
#define FEDWALK_EPS_MAX 1e6
enum err fedwalk_counts(const struct noise_source *source, double eps, const uint8_t *bin,
			unsigned k, const uint32_t *neighbour, size_t degree, float *c) MUST_CHECK;

/* Estimated degree: the sum of a degree vector. */
float fedwalk_degree(const float *c, unsigned k);

/* M (degree x k): the neighbours' rows of the dictionary by rising estimated degree, on ties by
 * lower number (equation 5). Uploading M uploads the neighbour list, because each row is a row of
 * the dictionary. O(degree (k + log degree)). */
void fedwalk_matrix(const float *c, unsigned k, const uint32_t *neighbour, size_t degree, float *M);

#endif
