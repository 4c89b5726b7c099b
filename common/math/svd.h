/* svd.h -- the leading left singular vectors of a tall matrix. */
#ifndef COMMON_MATH_SVD_H
#define COMMON_MATH_SVD_H

#include "common/base/err.h"
#include "common/math/mat.h"

#include <stdint.h>

/* U (n x d) and sigma (d, falling) of X (n x m), d <= min(n, m): U initialised here, sigma given
 * by the caller. Each column's sign is fixed: its entry of largest magnitude is positive. Columns
 * of zero singular value are zero. By Gram matrix and dsyevr on the smaller side, or, when
 * min(n, m) > SVD_EXACT_MAX, randomised with a fixed seed and q >= 2 power iterations
 * (Halko, Martinsson, Tropp 2011, Algorithms 4.3 and 5.1). Same result for any threads. */
enum { SVD_EXACT_MAX = 1500 };
enum err svd_left(const struct mat *X, size_t d, unsigned threads, struct mat *U,
		  double *sigma) MUST_CHECK;

#endif
