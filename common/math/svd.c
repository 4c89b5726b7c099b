#include "common/math/svd.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/math/la.h"

#include <math.h>
#include <string.h>

/* Randomised: directions beyond d in each block, and blocks. */
enum { KRYLOV_EXTRA = 16, KRYLOV_BLOCKS = 8 };

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

/* Copies the rows of block to the rows of P from `first` on, as many as there is room for. */
static void put_rows(const struct mat *block, size_t first, struct mat *P)
{
	size_t rows = least(block->rows, P->rows - first);

	memcpy(ROW(P, first), block->a, rows * block->cols * sizeof(*block->a));
}

/* block <- (block X') X, orthonormalised: one power iteration. */
static enum err power(const struct mat *X, unsigned threads, struct mat *block)
{
	struct mat Y;

	la_mul_nt(block, X, threads, &Y);
	mat_release(block);
	la_mul_nn(&Y, X, threads, block);
	mat_release(&Y);
	return la_orthonormal_rows(block);
}

/* The same, in more than d rows, by a block Krylov space: random directions and all their power
 * iterations together (Musco, Musco 2015, Algorithm 2). On the spectra of filtered features, which
 * fall slowly, 8 blocks are within 1e-6 of the exact vectors; the last block alone (Halko,
 * Martinsson, Tropp 2011, Algorithm 4.4) stays at 1e-4, which moves labels. */
static enum err basis_by_krylov(const struct mat *X, size_t d, unsigned threads, struct mat *P)
{
	size_t narrow = least(X->rows, X->cols), width = least(d + KRYLOV_EXTRA, narrow);
	struct mat block;
	struct rng rng;
	enum err err;

	rng_seed(&rng, 1, 0);
	mat_init(&block, width, X->cols);
	for (size_t i = 0; i < width * X->cols; i++)
		block.a[i] = rng_normal(&rng);
	mat_init(P, least(KRYLOV_BLOCKS * width, narrow), X->cols);
	err = la_orthonormal_rows(&block);
	put_rows(&block, 0, P);
	for (size_t first = width; !err && first < P->rows; first += width) {
		err = power(X, threads, &block);
		put_rows(&block, first, P);
		progress_tick();
	}
	mat_release(&block);
	if (!err)
		err = la_orthonormal_rows(P);
	if (err)
		mat_release(P);
	return err;
}

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
 * Y = X P' (Halko et al., Algorithm 5.1). They come out far more exact than from the Gram matrix
 * itself. With Y = U S W', U is Y W S^-1 and not a Householder product, so that zero rows of X
 * stay exactly zero. */
static enum err left_within(const struct mat *X, const struct mat *P, size_t d, unsigned threads,
			    struct mat *U, double *sigma, struct mat *map)
{
	struct mat Y, copy, W, scaled, all;
	enum err err;

	la_mul_nt(P, X, threads, &Y);
	mat_init(&copy, Y.rows, Y.cols);
	memcpy(copy.a, Y.a, Y.rows * Y.cols * sizeof(*Y.a));
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

enum err svd_left_map(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma,
		      struct mat *map)
{
	struct mat P = { 0 };
	enum err err;

	if (d == 0 || d > least(X->rows, X->cols))
		return err_set(ERR_INPUT, "svd: %zu singular vectors of a %zu x %zu matrix", d,
			       X->rows, X->cols);
	if (least(X->rows, X->cols) > SVD_EXACT_MAX)
		err = basis_by_krylov(X, d, threads, &P);
	else if (X->rows < X->cols)
		err = basis_by_rows(X, d, threads, sigma, &P);
	else
		err = basis_by_columns(X, d, threads, sigma, &P);
	if (!err)
		err = left_within(X, &P, d, threads, U, sigma, map);
	mat_release(&P);
	return err;
}

enum err svd_left(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma)
{
	return svd_left_map(X, d, threads, U, sigma, NULL);
}
