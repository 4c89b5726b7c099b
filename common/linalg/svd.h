/* svd.h -- the leading left singular vectors of a tall matrix. */
#ifndef COMMON_LINALG_SVD_H
#define COMMON_LINALG_SVD_H

#include "common/base/err.h"
#include "common/linalg/krylov.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

/* U (n x d) and sigma (d, falling) of X (n x m), d <= min(n, m): U initialised here, sigma given
 * by the caller. Each column's sign is fixed: its entry of largest magnitude is positive. Columns
 * of zero singular value (below 1e-8 of the largest) are zero, and so are the rows of U that belong
 * to zero rows of X, exactly. By Gram matrix and dsyevr on the smaller side, or, when
 * min(n, m) > SVD_EXACT_MAX, by a block Krylov space (krylov.h), good to about 1e-8. Within the
 * space found the vectors are those of X itself (Halko, Martinsson, Tropp 2011, Algorithm 5.1).
 * Same result for any threads. O(n m min(n, m)) or O(n m d); beyond X the Gram matrix or the Krylov
 * space. ERR_INPUT if d is out of range or products overflow. */
enum { SVD_EXACT_MAX = 1500 };
enum err svd_left(const struct mat *X, size_t d, unsigned threads, struct mat *U,
		  double *sigma) MUST_CHECK;

/* The same, and map (m x d, initialised here; may be NULL) with U = X map: other rows x have the
 * place x map among the rows of U. Columns of zero singular value are zero. */
enum err svd_left_map(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma,
		      struct mat *map) MUST_CHECK;

/* The same of a matrix that is known by its products alone, by a Krylov space whatever its size. If
 * *settled is false, what is found is less exact. */
enum err svd_left_of_map(const struct linear_map *X, size_t d, unsigned threads, struct mat *U,
			 double *sigma, struct mat *map, bool *settled) MUST_CHECK;

#endif
