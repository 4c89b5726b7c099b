/* ortho.h -- for the coordinator: bases of the columns of tall matrices (n x d, d small), and
 * functions of small symmetric matrices. ERR_INPUT, unless stated otherwise: a matrix is not
 * finite. */
#ifndef COMMON_LINALG_ORTHO_H
#define COMMON_LINALG_ORTHO_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* Subtracts each column's mean: A <- J A, with J = I - 1 1' / n. */
void ortho_centre(struct mat *A);

/* A (n x d, n >= 2) <- Q of J A = Q R, with min(d, n - 1) columns. If J A has lower rank, arbitrary
 * columns fill up Q. These are orthogonal to 1 too: only then Q'J K Q is symmetric for a symmetric
 * K. ERR_INPUT if A is not finite. O(n d^2). */
enum err ortho_basis(struct mat *A) MUST_CHECK;

/* H <- (H + H') / 2. */
void ortho_symmetrise(struct mat *H);

/* R (d x d, initialised here) = H^-1/2 of the symmetric H. Eigenvalues not above `zero` times the
 * largest, and their inverses, count as 0. */
enum err ortho_inverse_root(const struct mat *H, double zero, struct mat *R) MUST_CHECK;

/* P (n x r, initialised here) = A E lam^-1/2 with (lam, E) the at most `most` largest eigenpairs of
 * the symmetric W (d x d) above `zero` times the largest. If A = K M and W = M' K M, the inner
 * products of P's rows are those of K projected on M's span. P has at least one column, which is
 * zero if W has no positive eigenvalue. */
enum err ortho_whiten(const struct mat *A, const struct mat *W, size_t most, double zero,
		      struct mat *P) MUST_CHECK;

/* P (n x r, initialised here) = A V. The columns of V are the r = min(most, d) leading directions
 * of A'J A, the principal axes of the rows. The rows of P are not centred. */
enum err ortho_components(const struct mat *A, size_t most, struct mat *P) MUST_CHECK;

/* P (n x r, initialised here) becomes ortho_components() of the result of ortho_whiten(A, W) with
 * all pairs. Does not form that result. O(n d^2). */
enum err ortho_whiten_components(const struct mat *A, const struct mat *W, size_t most, double zero,
				 struct mat *P) MUST_CHECK;

/* A symmetric positive K (n x n), given by its products K B. times() initialises Y;
 * ortho_subspace() also returns its errors. */
struct ortho_operator {
	void *ctx;
	enum err (*times)(void *ctx, const struct mat *B, struct mat *Y);
};

/* Z (n x r, r <= k, initialised here) becomes the coordinates of the n rows, whose inner products
 * are K, on their leading principal axes. Runs subspace iteration with `rounds` >= 1 products by K
 * (Halko, Martinsson, Tropp 2011, Algorithm 4.4). The block has min(k + extra, n - 1) Gaussian
 * columns, which depend on (seed, stream) and the shape alone. n >= 2. */
struct ortho_subspace {
	size_t n, k, extra;
	unsigned rounds;
	uint64_t seed, stream;
};
enum err ortho_subspace(const struct ortho_operator *K, const struct ortho_subspace *p,
			struct mat *Z) MUST_CHECK;

#endif
