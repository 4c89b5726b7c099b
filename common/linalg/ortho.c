#include "common/linalg/ortho.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/la.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* An eigenvalue of H = Q'KQ below this share of the largest is only rounding, of fixed point or of
 * doubles. The space then has fewer dimensions than requested. */
static const double RITZ_ZERO = 1e-8;

/* Tall products here are small compared to those of the parties: they run on this thread. */
enum { THREADS = 1 };

void ortho_centre(struct mat *A)
{
	double *mean;

	ALLOC(mean, A->cols);
	for (size_t i = 0; i < A->rows; i++)
		for (size_t j = 0; j < A->cols; j++)
			mean[j] += MAT(A, i, j);
	for (size_t i = 0; i < A->rows; i++)
		for (size_t j = 0; j < A->cols; j++)
			MAT(A, i, j) -= mean[j] / (double)A->rows;
	free(mean);
}

enum err ortho_basis(struct mat *A)
{
	size_t n = A->rows, d = min_size(A->cols, n - 1);
	/* 1', then A': the first direction is 1, and the other directions are orthogonal to 1 */
	struct mat T;
	enum err err;

	assert(n >= 2);
	ortho_centre(A);
	mat_init(&T, d + 1, n);
	for (size_t i = 0; i < n; i++) {
		MAT(&T, 0, i) = 1;
		for (size_t j = 0; j < d; j++)
			MAT(&T, j + 1, i) = MAT(A, i, j);
	}
	err = la_orthonormal_rows(&T);
	A->cols = d;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			MAT(A, i, j) = MAT(&T, j + 1, i);
	mat_release(&T);
	return err;
}

void ortho_symmetrise(struct mat *H)
{
	assert(H->rows == H->cols);
	for (size_t i = 0; i < H->rows; i++)
		for (size_t j = 0; j < i; j++)
			MAT(H, i, j) = MAT(H, j, i) = (MAT(H, i, j) + MAT(H, j, i)) / 2;
}

/* Computes the at most `most` largest eigenpairs of W: values, and vectors as rows of E. */
static enum err leading(const struct mat *W, size_t most, double *value, struct mat *E)
{
	struct mat copy;
	enum err err;

	mat_copy(&copy, W);
	err = la_eigen_top(&copy, min_size(most, W->rows), value, E);
	mat_release(&copy);
	return err;
}

enum err ortho_inverse_root(const struct mat *H, double zero, struct mat *R)
{
	struct mat E, scaled;
	double *value;
	enum err err;

	ALLOC(value, H->rows);
	err = leading(H, H->rows, value, &E);
	if (!err) {
		mat_copy(&scaled, &E);
		for (size_t i = 0; i < E.rows; i++) {
			bool counts = value[i] > 0 && value[i] > zero * value[0];

			for (size_t j = 0; j < E.cols; j++)
				MAT(&scaled, i, j) *= counts ? 1 / sqrt(value[i]) : 0;
		}
		la_mul_tn(&E, &scaled, THREADS, R);
		ortho_symmetrise(R);
		mat_release(&scaled);
		mat_release(&E);
	}
	free(value);
	return err;
}

/* E (r x d): the r <= most leading eigenvectors of W, each over the root of its eigenvalue. Omits
 * eigenvalues below `zero` times the largest; r may be 0. */
static enum err whitening(const struct mat *W, size_t most, double zero, struct mat *E)
{
	size_t rank = 0;
	double *value;
	enum err err;

	assert(most > 0);
	ALLOC(value, W->rows);
	err = leading(W, most, value, E);
	if (!err) {
		for (; rank < E->rows && value[rank] > 0 && value[rank] > zero * value[0]; rank++)
			for (size_t j = 0; j < E->cols; j++)
				MAT(E, rank, j) /= sqrt(value[rank]);
		E->rows = rank;
	}
	free(value);
	return err;
}

enum err ortho_whiten(const struct mat *A, const struct mat *W, size_t most, double zero,
		      struct mat *P)
{
	struct mat E;

	assert(A->cols == W->rows);
	TRY(whitening(W, most, zero, &E));
	if (E.rows == 0)
		mat_init(P, A->rows, 1);
	else
		la_mul_nt(A, &E, THREADS, P);
	mat_release(&E);
	return ERR_OK;
}

/* G = A'J A. */
static void centred_gram(const struct mat *A, struct mat *G)
{
	struct mat centred;

	mat_copy(&centred, A);
	ortho_centre(&centred);
	la_gram_columns(&centred, THREADS, G);
	mat_release(&centred);
}

/* V (r x d): the r <= most leading eigenvectors of G, which is overwritten. */
static enum err top_axes(struct mat *G, size_t most, struct mat *V)
{
	double *value;
	enum err err;

	ALLOC(value, G->rows);
	err = la_eigen_top(G, min_size(most, G->rows), value, V);
	free(value);
	return err;
}

enum err ortho_components(const struct mat *A, size_t most, struct mat *P)
{
	struct mat G, V;
	enum err err;

	centred_gram(A, &G);
	err = top_axes(&G, most, &V);
	mat_release(&G);
	TRY(err);
	la_mul_nt(A, &V, THREADS, P);
	mat_release(&V);
	return ERR_OK;
}

enum err ortho_whiten_components(const struct mat *A, const struct mat *W, size_t most, double zero,
				 struct mat *P)
{
	struct mat E, G, GE, H, V, C;
	enum err err;

	TRY(whitening(W, W->rows, zero, &E));
	if (E.rows == 0) {
		mat_init(P, A->rows, 1);
		mat_release(&E);
		return ERR_OK;
	}
	centred_gram(A, &G);
	la_mul_nt(&G, &E, THREADS, &GE);
	la_mul_nn(&E, &GE, THREADS, &H);
	mat_release(&GE);
	mat_release(&G);
	ortho_symmetrise(&H);
	err = top_axes(&H, most, &V);
	mat_release(&H);
	if (!err) {
		la_mul_nn(&V, &E, THREADS, &C);
		la_mul_nt(A, &C, THREADS, P);
		mat_release(&C);
		mat_release(&V);
	}
	mat_release(&E);
	return err;
}

/* Rayleigh-Ritz. For a Q (n x d) from ortho_basis() and Y = K Q, Z (n x r, initialised here) = Y E
 * lam^-1/2, with (lam, E) the r <= k largest eigenpairs of H = sym(Q'Y). Since Q'J = Q', centring
 * affects only the choice of the space: rows of Z are not centred. */
static enum err ritz_rows(const struct mat *Q, const struct mat *Y, size_t k, struct mat *Z)
{
	struct mat H;
	enum err err;

	la_mul_tn(Q, Y, THREADS, &H);
	ortho_symmetrise(&H);
	err = ortho_whiten(Y, &H, k, RITZ_ZERO, Z);
	mat_release(&H);
	return err;
}

enum err ortho_subspace(const struct ortho_operator *K, const struct ortho_subspace *p,
			struct mat *Z)
{
	struct mat Q, Y = { 0 };
	struct rng rng;
	enum err err = ERR_OK;

	assert(p->n >= 2 && p->rounds > 0 && p->k > 0);
	rng_seed(&rng, p->seed, p->stream);
	mat_init(&Q, p->n, min_size(p->k + p->extra, p->n - 1));
	for (size_t i = 0; i < Q.rows * Q.cols; i++)
		Q.a[i] = rng_normal(&rng);
	for (unsigned u = 0; !err && u < p->rounds; u++) {
		/* Y replaces Q, except after the last round: ritz_rows() needs both. */
		if (u) {
			mat_release(&Q);
			Q = Y;
			Y = (struct mat){ 0 };
		}
		err = ortho_basis(&Q);
		if (err)
			break;
		err = K->times(K->ctx, &Q, &Y);
		progress_tick();
		if (!err)
			err = progress_check();
	}
	if (!err)
		err = ritz_rows(&Q, &Y, p->k, Z);
	mat_release(&Y);
	mat_release(&Q);
	return err;
}
