#include "common/linalg/svd.h"
#include "common/linalg/la.h"

#include <math.h>

/* A singular value below this share of the largest counts as zero. The Gram matrix holds squares,
 * so directions below sqrt(2^-52) of the largest are lost in its rounding. */
static const double SVD_ZERO = 1e-8;

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* P: rows that span the leading right singular directions, by the Gram matrix X'X (m x m). */
static enum err basis_by_columns(const struct mat *X, size_t d, unsigned threads, double *value,
				 struct mat *P)
{
	struct mat G;
	enum err err;

	la_gram_columns(X, threads, &G);
	err = la_eigen_top(&G, d, value, P);
	mat_release(&G);
	return err;
}

/* The same by XX' (n x n), whose eigenvectors U give P = U'X. */
static enum err basis_by_rows(const struct mat *X, size_t d, unsigned threads, double *value,
			      struct mat *P)
{
	struct mat G, U;
	enum err err;

	la_gram_rows(X, threads, &G);
	err = la_eigen_top(&G, d, value, &U);
	mat_release(&G);
	if (err)
		return err;
	la_mul_nn(&U, X, threads, P);
	mat_release(&U);
	err = la_orthonormal_rows(P);
	if (err)
		mat_release(P);
	return err;
}

/* -- by Krylov ------------------------------------------------------------------------------ */

struct dense {
	const struct mat *X;
	unsigned threads;
};

static void multiply(void *ctx, const struct mat *in, struct mat *out)
{
	const struct dense *a = ctx;

	la_mul_nt(in, a->X, a->threads, out);
}

static void square(void *ctx, const struct mat *in, struct mat *out)
{
	const struct dense *a = ctx;
	struct mat Y;

	la_mul_nt(in, a->X, a->threads, &Y);
	la_mul_nn(&Y, a->X, a->threads, out);
	mat_release(&Y);
}

/* -- from a basis to U ----------------------------------------------------------------------- */

/* W: what U was made by, whose columns turn with U's. */
static void fix_signs(struct mat *U, struct mat *W)
{
	for (size_t j = 0; j < U->cols; j++) {
		double largest = 0;

		for (size_t i = 0; i < U->rows; i++)
			if (fabs(MAT(U, i, j)) > fabs(largest))
				largest = MAT(U, i, j);
		for (size_t i = 0; largest < 0 && i < U->rows; i++)
			MAT(U, i, j) = -MAT(U, i, j);
		for (size_t i = 0; largest < 0 && i < W->rows; i++)
			MAT(W, i, j) = -MAT(W, i, j);
	}
}

/* Within the space of P's orthonormal rows, X has the singular values and left vectors of
 * X P' = Y' (Halko et al., Algorithm 5.1). They come out far more exact than from the Gram matrix
 * itself. With Y' = U S W', U is Y' W S^-1 and not a Householder product, so that zero rows of X
 * stay exactly zero. */
static enum err left_within(const struct linear_map *X, const struct mat *P, size_t d,
			    unsigned threads, struct mat *U, double *sigma, struct mat *map)
{
	struct mat Y, copy, W, scaled, all;
	enum err err;

	X->multiply(X->ctx, P, &Y);
	mat_copy(&copy, &Y);
	mat_init(&all, 1, P->rows);
	err = la_singular_rows(&copy, all.a, &W);
	if (err)
		goto out;
	mat_init(&scaled, P->rows, d);
	for (size_t j = 0; j < d; j++) {
		sigma[j] = all.a[j] > SVD_ZERO * all.a[0] ? all.a[j] : 0;
		for (size_t i = 0; sigma[j] > 0 && i < P->rows; i++)
			MAT(&scaled, i, j) = MAT(&W, i, j) / sigma[j];
	}
	la_mul_tn(&Y, &scaled, threads, U);
	fix_signs(U, &scaled);
	if (map)
		la_mul_tn(P, &scaled, threads, map);
	mat_release(&scaled);
	mat_release(&W);
out:
	mat_release(&all);
	mat_release(&copy);
	mat_release(&Y);
	return err;
}

enum err svd_left_of_map(const struct linear_map *X, size_t d, unsigned threads, struct mat *U,
			 double *sigma, struct mat *map, bool *settled)
{
	struct mat P;
	enum err err;

	if (d == 0 || d > least(X->rows, X->cols))
		return err_set(ERR_INPUT, "svd: %zu singular vectors of a %zu x %zu matrix", d,
			       X->rows, X->cols);
	TRY(krylov_right(X, d, threads, &P, settled));
	err = left_within(X, &P, d, threads, U, sigma, map);
	mat_release(&P);
	return err;
}

enum err svd_left_map(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma,
		      struct mat *map)
{
	struct dense dense = { X, threads };
	struct linear_map A = { X->rows, X->cols, &dense, multiply, square };
	bool settled;
	struct mat P;
	enum err err;

	if (d == 0 || d > least(X->rows, X->cols) || least(X->rows, X->cols) > SVD_EXACT_MAX)
		return svd_left_of_map(&A, d, threads, U, sigma, map, &settled);
	if (X->rows < X->cols)
		err = basis_by_rows(X, d, threads, sigma, &P);
	else
		err = basis_by_columns(X, d, threads, sigma, &P);
	if (err)
		return err;
	err = left_within(&A, &P, d, threads, U, sigma, map);
	mat_release(&P);
	return err;
}

enum err svd_left(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma)
{
	return svd_left_map(X, d, threads, U, sigma, NULL);
}
