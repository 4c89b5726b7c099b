/* entropy.h -- how much is left to know: differential entropy and mutual information, in bits, from
 * samples, by the distances to nearest neighbours.
 *
 * Distances are those of the maximum norm. k, the neighbours asked for, trades bias for variance; 3
 * is usual. Entropy of a continuous variable depends on its unit: c Y has log2 |c| more bits in
 * each dimension, and it may be negative. Mutual information does not, nor does it for any smooth
 * one-to-one change of either side. Estimates of it may come out a little below 0.
 */
#ifndef CLI_AUDIT_ENTROPY_H
#define CLI_AUDIT_ENTROPY_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stdint.h>

/* *bits becomes h(Y), the rows of Y (n x d) being the samples: Kozachenko, Leonenko 1987, as
 * Kraskov, Stoegbauer, Grassberger (Phys. Rev. E 69, 066138, 2004) equation 20 has it. 1 <= k < n.
 * ERR_INPUT if k + 1 samples are equal: then there is no density. O(n^2 d); same result for any
 * threads. */
enum err entropy_of(const struct mat *Y, unsigned k, unsigned threads, double *bits) MUST_CHECK;

/* I(X;Y) of two continuous variables, rows being paired samples: Kraskov, Stoegbauer, Grassberger
 * 2004, equation 8 (their first algorithm). 1 <= k < n. Many dimensions or much information in
 * common pull it down. O(n^2 (dx + dy)); same result for any threads. */
double entropy_mutual(const struct mat *X, const struct mat *Y, unsigned k, unsigned threads);

/* I(X;Y) of a class x (0 or 1) and a continuous scalar y, both n, y rising and without equal
 * values: Ross, PLoS ONE 9(2), e87357, 2014. Both classes must have more than k samples.
 * O(n (k + log n)). */
double entropy_mutual_class(const uint8_t *x, const double *y, size_t n, unsigned k);

#endif
