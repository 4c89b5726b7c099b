/* span.h -- joins the coordinator's two sums of landmark projection, which are products by the same
 * K (sums.h).
 */
#ifndef PROTOCOLS_KCAGC_SPAN_H
#define PROTOCOLS_KCAGC_SPAN_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* In a Gram matrix from sums, eigenvalues below this share of the largest are rounding errors, of
 * fixed point or of doubles. */
static const double SPAN_ZERO = 1e-8;

/* Initialises Z (n x r, r <= most): rows that have the inner products of K projected on the span of
 * [G, F], along their leading principal axes. Q = K G D^-1, with G and D as in sums_means() for
 * `set`; KF = K F. The axes are as near to K's as those of F after another product by K, which
 * would take one more sum, of n d integers. Q and F are released. O(n (sets + d)^2). */
enum err span_join(struct mat *Q, const uint32_t *set, struct mat *F, const struct mat *KF,
		   size_t most, struct mat *Z) MUST_CHECK;

#endif
