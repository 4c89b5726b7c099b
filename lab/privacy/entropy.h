/* entropy.h -- estimates differential entropy and mutual information, in bits, from samples. The
 * estimates use the distances to nearest neighbours.
 *
 * Distances are those of the maximum norm. The number of neighbours, k, trades bias for variance; 3
 * is usual. Entropy depends on the unit (c Y has log2 |c| more bits in each dimension) and may be
 * negative. Mutual information does not, but its estimates may be slightly below 0. Results do not
 * depend on the number of threads. */
#ifndef LAB_PRIVACY_ENTROPY_H
#define LAB_PRIVACY_ENTROPY_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stdint.h>

/* Estimates the entropy h(Y) into *bits. The rows of Y (n x d) are the samples. Method: Kozachenko,
 * Leonenko 1987, in the form of Kraskov, Stoegbauer, Grassberger (Phys. Rev. E 69, 066138, 2004)
 * equation 20. 1 <= k < n. ERR_INPUT: k + 1 samples are equal, so there is no density. O(n^2 d). */
enum err entropy_of(const struct mat *Y, unsigned k, unsigned threads, double *bits) MUST_CHECK;

/* Estimates I(X;Y) of two continuous variables, with rows as paired samples, by equation 8 of the
 * same paper. 1 <= k < n. The estimate is too low for many dimensions or large mutual information.
 * O(n^2 (dx + dy)). */
double entropy_mutual(const struct mat *X, const struct mat *Y, unsigned k, unsigned threads);

/* Estimates I(X;Y) of a class x (0 or 1) and a scalar y, both of n values, y strictly ascending:
 * Ross, PLoS ONE 9(2), e87357, 2014. Both classes must have more than k samples. O(n (k + log
 * n)). */
double entropy_mutual_class(const uint8_t *x, const double *y, size_t n, unsigned k);

#endif
