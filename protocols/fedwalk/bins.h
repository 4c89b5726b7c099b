/* bins.h -- FedWalk (Pan, Zhu, KDD 2022), steps 1 and 2: bins, noisy degree vectors, ordered degree
 * matrices.
 *
 * Every process numbers vertices 0 .. n-1 in the agreed order of all ids. A degree vector c_v has k
 * floats. The dictionary has the vectors of all vertices, n x k row-major. It is public: every
 * party gets it. Rows of isolated vertices are zeros. */
#ifndef PROTOCOLS_FEDWALK_BINS_H
#define PROTOCOLS_FEDWALK_BINS_H

#include "common/base/err.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

enum { FEDWALK_BINS_MAX = 32 };

/* Returns the paper's k: floor(ln n), but at least 1. */
unsigned fedwalk_bins_default(size_t n);

/* Sets bin (n) of each vertex from a permutation of the seed: bin[perm[i]] = i mod k. Sizes of bins
 * differ by at most one. 1 <= k <= FEDWALK_BINS_MAX, k <= n. */
void fedwalk_bins(size_t n, unsigned k, uint64_t seed, uint8_t *bin);

/* Fills c (k) with the number of neighbours in each bin, plus independent noise of scale 1/eps.
 * `neighbour` has no vertex twice. A tie counts in one bin only. So not just each entry but the
 * whole vector is eps-private in one tie of this vertex.
 *
 * The noise is discrete Laplace on multiples of 1/256, P(x) ~ exp(-eps |x|). It is a difference of
 * two geometric variables, so that the low digits of a sum disclose nothing (Mironov 2012). Values
 * are limited to +-65535, so that a float holds them exactly.
 *
 * ERR_INPUT: eps is outside [FEDWALK_EPS_MIN, FEDWALK_EPS_MAX]. Other errors are those of the
 * source. O(degree + k). */
#define FEDWALK_EPS_MIN 1e-3
#define FEDWALK_EPS_MAX 1e6
enum err fedwalk_counts(const struct noise_source *source, double eps, const uint8_t *bin,
			unsigned k, const uint32_t *neighbour, size_t degree, float *c) MUST_CHECK;

/* Returns the estimated degree: the sum of a degree vector. */
float fedwalk_degree(const float *c, unsigned k);

/* Fills M (degree x k) with the neighbours' rows of the dictionary, in ascending order of estimated
 * degree, then of number (equation 5). Each row of M is a row of the dictionary, so an upload of M
 * discloses the neighbours. O(degree (k + log degree)). */
void fedwalk_matrix(const float *c, unsigned k, const uint32_t *neighbour, size_t degree, float *M);

#endif
