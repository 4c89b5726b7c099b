/* ortho.h -- what the coordinator does with tall matrices (n x d, d small): bases of their columns,
 * and the small symmetric matrices between them. All of it is la.h's, put together. */
#ifndef COMMON_LINALG_ORTHO_H
#define COMMON_LINALG_ORTHO_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* Subtracts each column's mean: A <- J A. */
void ortho_centre(struct mat *A);

/* A (n x d, n >= 2) <- Q of J A = Q R, of min(d, n - 1) columns, all orthogonal to 1 even where J A
 * has no more directions and any will do: only so is Q'JKQ symmetric. ERR_INPUT if A is not
 * finite. O(n d^2). */
enum err ortho_basis(struct mat *A) MUST_CHECK;

/* H <- (H + H') / 2. */
void ortho_symmetrise(struct mat *H);

/* R (d x d, initialised here) = H^-1/2 of the symmetric H; eigenvalues that are not above `zero`
 * times the largest count as 0, and so do their inverses. */
enum err ortho_inverse_root(const struct mat *H, double zero, struct mat *R) MUST_CHECK;

/* P (n x r, initialised here) = A E lam^-1/2 with (lam, E) the at most `most` largest eigenpairs of
 * the symmetric W (d x d) above `zero` times the largest. If A = K M and W = M' K M, rows of P have
 * the inner products of K projected on M's span. There is always a column; all zero if W has no
 * positive eigenvalue. */
enum err ortho_whiten(const struct mat *A, const struct mat *W, size_t most, double zero,
		      struct mat *P) MUST_CHECK;

/* P (n x r, initialised here) = A V, V the r = min(most, d) leading directions of the centred
 * A'J A: the rows' principal components, themselves not centred. */
enum err ortho_components(const struct mat *A, size_t most, struct mat *P) MUST_CHECK;

/* K B for a symmetric positive K (n x n) that is known by its products alone. Y is initialised by
 * it. */
struct ortho_operator {
	void *ctx;
	enum err (*times)(void *ctx, const struct mat *B, struct mat *Y);
};

/* Rayleigh and Ritz: for a Q (n x d) from ortho_basis() and Y = K Q, H = sym(Q'Y) and Z = Y E lam^-1/2
 * (n x r, initialised here) by its r <= k largest eigenpairs. Centring is for choosing the space
 * only, and Q'J = Q': rows of Z are not centred. */
enum err ortho_ritz(const struct mat *Q, const struct mat *Y, size_t k, struct mat *Z) MUST_CHECK;

/* The state of ortho_ritz() through `rounds` >= 1 products by K: subspace iteration with a block of
 * min(k + extra, n - 1) Gaussian columns by (seed, stream) and the shape alone (Halko, Martinsson,
 * Tropp 2011, Algorithm 4.4). n >= 2. */
struct ortho_subspace {
	size_t n, k, extra;
	unsigned rounds;
	uint64_t seed, stream;
};
enum err ortho_subspace(const struct ortho_operator *K, const struct ortho_subspace *p,
			struct mat *Z) MUST_CHECK;

#endif
