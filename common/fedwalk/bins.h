/* bins.h -- FedWalk (Pan, Zhu, KDD 2022), steps 1 and 2: bins, noisy degree vectors, ordered
 * degree matrices.
 *
 * Vertices are numbered 0 .. n-1 alike everywhere (the agreed order of all ids). A degree vector c_v
 * has k floats, and all of them together, n x k row-major, are the dictionary, which is public: every
 * party gets it. Rows of isolated vertices are zeros.
 */
#ifndef COMMON_FEDWALK_BINS_H
#define COMMON_FEDWALK_BINS_H

#include "common/base/err.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

enum { FEDWALK_BINS_MAX = 32 };

/* The paper's k: floor(ln n), at least 1. */
unsigned fedwalk_bins_default(size_t n);

/* bin (n) of each vertex: perm is a permutation that the seed gives, bin[perm[i]] = i mod k, so that
 * every bin has n / k vertices, give or take one. 1 <= k <= FEDWALK_BINS_MAX, k <= n. */
void fedwalk_bins(size_t n, unsigned k, uint64_t seed, uint8_t *bin);

/* c (k) = how many of the neighbours (their vertex numbers, each once) are in each bin, plus noise of
 * scale 1/eps, independent: each entry alone is eps-private in one tie of this vertex, as is the
 * vector, since a tie counts in one bin.
 * Noise is the discrete Laplace distribution on multiples of 1/256, P(x) ~ exp(-eps |x|), as a
 * difference of two geometric variables, so that the low digits of a sum tell nothing (Mironov
 * 2012). Values are multiples of 1/256, cut to +-65535: exact in a float. ERR_INPUT: eps is not in
 * [FEDWALK_EPS_MIN, FEDWALK_EPS_MAX]; what the source fails with. O(degree + k). */
#define FEDWALK_EPS_MIN 1e-3
#define FEDWALK_EPS_MAX 1e6
enum err fedwalk_counts(const struct noise_source *source, double eps, const uint8_t *bin,
			unsigned k, const uint32_t *neighbour, size_t degree,
			float *c) MUST_CHECK;

/* The sum of a degree vector: estimated degree. */
float fedwalk_degree(const float *c, unsigned k);

/* M (degree x k): the dictionary's rows of the neighbours, by rising estimated degree, the lower
 * number first on ties (equation 5). Uploading it uploads the neighbour list: each row is a row of
 * the dictionary. O(degree (k + log degree)). */
void fedwalk_matrix(const float *c, unsigned k, const uint32_t *neighbour, size_t degree, float *M);

#endif
