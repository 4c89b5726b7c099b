/* svd.h -- the leading singular vectors of a tall matrix, or of a linear map given as its
 * products. */
#ifndef COMMON_LINALG_SVD_H
#define COMMON_LINALG_SVD_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>
#include <stddef.h>

/* A linear map A (rows x cols). Vectors are the rows of in and out; multiply() and square()
 * initialise out. Deterministic: equal inputs give equal bits. */
struct linear_map {
	size_t rows, cols;
	void *ctx;
	void (*multiply)(void *ctx, const struct mat *in, struct mat *out); /* out = in A' */
	void (*square)(void *ctx, const struct mat *in, struct mat *out);   /* out = in A'A */
};

/* Number of vectors per step: d, rounded up to a multiple of 8, but at most cols. Up to this number
 * of equal singular values are resolved. */
size_t krylov_width(size_t d, size_t cols);

/* filtered_pays() (common/graph/filtered.h) and memory estimates assume KRYLOV_STEPS_USUAL
 * steps. */
enum { KRYLOV_STEPS_USUAL = 16, KRYLOV_STEPS_MAX = 48 };

/* Computes P (d x cols, initialised here). Its orthonormal rows, by descending singular value, span
 * the d leading right singular directions of A, d <= min(rows, cols). Runs block Lanczos on A'A
 * from a fixed random block (Golub, Underwood 1977; Musco, Musco 2015), until each direction is
 * within 1e-5 or only rounding is left. The error of a direction is its residual over its distance
 * to the next unwanted value. *settled is false if KRYLOV_STEPS_MAX did not suffice; P is then the
 * best found. Bitwise identical for any number of threads. About (steps width)^2 cols x 8 flops
 * beyond the products; memory steps width cols doubles. ERR_INPUT if products overflow. */
enum err krylov_right(const struct linear_map *A, size_t d, unsigned threads, struct mat *P,
		      bool *settled) MUST_CHECK;

/* Computes U (n x d, initialised here) and sigma (d, descending, the caller's) of X (n x m), d <=
 * min(n, m). Columns whose singular value is zero (below 1e-8 of the largest) are exactly zero, and
 * so are rows of U whose row of X is zero. map (m x d, initialised here; may be NULL) satisfies U =
 * X map, so that another row x has the position x map. The entry of largest magnitude of each
 * column of map is positive.
 *
 * Uses the Gram matrix of the smaller side and dsyevr. If min(n, m) > SVD_EXACT_MAX, uses
 * krylov_right(), which is accurate to about 1e-5. The vectors are computed from X itself within
 * the space found (Halko, Martinsson, Tropp 2011, Algorithm 5.1). Bitwise identical for any number
 * of threads. O(n m min(n, m)) or O(n m d); memory: the Gram matrix or the Krylov space. ERR_INPUT
 * if d is out of range or products overflow. */
enum { SVD_EXACT_MAX = 1500 };
enum err svd_left(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma,
		  struct mat *map) MUST_CHECK;
/* Like svd_left(), with the rows of X and U distributed over ranks; sigma and map are the same at
 * each rank. Uses only X'X, so ERR_INPUT also if X has more columns than rows or than SVD_EXACT_MAX
 * (svd_check_ranks()). */
enum err svd_check_ranks(const struct ranks *R, size_t n, size_t m) MUST_CHECK;
enum err svd_left_of(const struct ranks *R, const struct mat *X, size_t d, unsigned threads,
		     struct mat *U, double *sigma, struct mat *map) MUST_CHECK;

/* Like svd_left(), for a linear map. Uses a Krylov space for a map of any size. If *settled is
 * false, the result is less accurate. */
enum err svd_left_of_map(const struct linear_map *X, size_t d, unsigned threads, struct mat *U,
			 double *sigma, struct mat *map, bool *settled) MUST_CHECK;

#endif
