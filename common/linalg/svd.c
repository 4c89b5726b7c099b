#include "common/linalg/svd.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/la.h"
#include "common/linalg/thin.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A singular value below this share of the largest counts as zero. The Gram matrix holds squares,
 * so that directions below sqrt(2^-52) of the largest are lost in its rounding. */
static const double SVD_ZERO = 1e-8;

/* -- a Krylov space ------------------------------------------------------------------------- */

/* FIRST_LOOK: first step that solves the eigenproblem of the whole space; real features need ten
 * steps or more. LOOK_AHEAD: most steps until the next such step. */
enum { FIRST_LOOK = 8, LOOK_AHEAD = 4 };

/* ANGLE: accepted sine of the angle to the exact directions, as bounded by the residual. Actual
 * angles are some thirty times smaller (test_krylov), and numbers in a secure sum may have only 16
 * fraction bits. ROUNDING: a smaller residual is only rounding error. */
static const double ANGLE = 1e-5, ROUNDING = 1e-13;

size_t krylov_width(size_t d, size_t cols)
{
	return min_size((d + 7) / 8 * 8, cols);
}

struct krylov {
	const struct linear_map *A;
	size_t d, most;
	unsigned threads;
	struct mat P;               /* the basis so far, with at most `most` rows */
	struct mat H;               /* P A'A P', `most` x `most` */
	struct mat block;           /* rows that extend() adds to P; afterwards the residual */
	double scale;               /* scale of A'A: the largest norm of a step's products */
	unsigned looked, next_look; /* step of the last and of the next svd_rayleigh_ritz() */
	double before;              /* svd_excess() at the last svd_rayleigh_ritz(); 0: none yet */
};

/* Projects the block out of the basis. C: receives the coordinates of the removed part; or NULL. */
static void svd_project_out(struct krylov *k, struct mat *C)
{
	struct mat part;

	thin_square(&k->P, &k->block, k->threads, C, &part);
	for (size_t i = 0; i < part.rows * part.cols; i++)
		k->block.a[i] -= part.a[i];
	mat_release(&part);
}

/* Adds the block to the basis. Then the block becomes the product of A'A and the block, projected
 * out of the basis. */
static void extend(struct krylov *k)
{
	size_t before = k->P.rows;
	struct mat image, C;

	memcpy(ROW(&k->P, before), k->block.a, k->block.rows * k->block.cols * sizeof(*k->block.a));
	k->P.rows += k->block.rows;
	k->A->square(k->A->ctx, &k->block, &image);
	mat_release(&k->block);
	k->block = image;
	svd_project_out(k, &C);
	for (size_t i = 0; i < C.rows; i++)
		for (size_t j = 0; j < C.cols; j++)
			MAT(&k->H, before + i, j) = MAT(&k->H, j, before + i) = MAT(&C, i, j);
	k->scale = fmax(k->scale, mat_norm(C.a, C.rows * C.cols));
	mat_release(&C);
}

/* Returns the largest ratio of a wanted vector's error to the accepted error. It is at most 1 if
 * all vectors are accurate. theta: the Ritz values of the rows of s, which are k->d wanted ones
 * and, if there is one, the next. The residual ||A'A v - theta v|| of a Ritz vector v = s P is the
 * length of the product of s's part for the last block with k->block. */
static double svd_excess(const struct krylov *k, const struct mat *s, const double *theta)
{
	size_t last = k->P.rows - k->block.rows;
	double next = s->rows > k->d ? theta[k->d] : -INFINITY, worst = 0;

	for (size_t r = 0; r < k->d; r++) {
		double allowed = fmax(ANGLE * (theta[r] - next), ROUNDING * theta[0]);
		double sum = 0, left;

		for (size_t j = 0; j < k->block.cols; j++) {
			double x = 0;

			for (size_t i = 0; i < k->block.rows; i++)
				x += MAT(s, r, last + i) * MAT(&k->block, i, j);
			sum += x * x;
		}
		left = sqrt(sum);
		worst = fmax(worst, allowed > 0 ? left / allowed : left > 0 ? INFINITY : 0);
	}
	return worst;
}

/* Computes the Ritz vectors. Sets P to them if they are accurate, or if there is no room for
 * another step. */
static enum err svd_rayleigh_ritz(struct krylov *k, unsigned step, struct mat *P, bool *settled)
{
	size_t q = k->P.rows;
	struct mat G, s;
	double *theta, now, steps = 1;
	enum err err;

	mat_init(&G, q, q);
	for (size_t i = 0; i < q; i++)
		memcpy(ROW(&G, i), ROW(&k->H, i), q * sizeof(*G.a));
	ALLOC(theta, k->d + 1);
	err = la_eigen_top(&G, min_size(k->d + 1, q), theta, &s);
	mat_release(&G);
	if (err)
		goto out;
	now = svd_excess(k, &s, theta);
	*settled = now <= 1;
	if (*settled || q == k->most) {
		s.rows = k->d;
		la_mul_nn(&s, &k->P, k->threads, P);
	}
	mat_release(&s);
	/* Residuals fall by about the same factor in each step. So the next look is at the step
	 * that is expected to be the last. */
	if (k->before > now && now > 1 && isfinite(k->before))
		steps = (step - k->looked) * log(now) / log(k->before / now);
	k->next_look = step + (unsigned)fmin(fmax(round(steps), 1), LOOK_AHEAD);
	k->looked = step;
	k->before = now;
out:
	free(theta);
	return err;
}

enum err krylov_right(const struct linear_map *A, size_t d, unsigned threads, struct mat *P,
		      bool *settled)
{
	size_t width = krylov_width(d, A->cols), most = min_size(KRYLOV_STEPS_MAX * width, A->cols);
	struct krylov k = { .A = A, .d = d, .most = most, .threads = threads };
	struct rng rng;
	enum err err;

	assert(1 <= d && d <= min_size(A->rows, A->cols));
	*P = (struct mat){ 0 };
	k.next_look = FIRST_LOOK;
	mat_init(&k.P, most, A->cols);
	mat_init(&k.H, most, most);
	mat_init(&k.block, width, A->cols);
	k.P.rows = 0;
	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < width * A->cols; i++)
		k.block.a[i] = rng_unit(&rng) - 0.5;
	err = la_orthonormal_rows(&k.block);
	for (unsigned step = 1; !err; step++) {
		double left;

		extend(&k);
		progress_tick();
		err = progress_check();
		if (err)
			break;
		left = mat_norm(k.block.a, k.block.rows * k.block.cols);
		if (step >= k.next_look || k.P.rows == most || left <= ROUNDING * k.scale)
			err = svd_rayleigh_ritz(&k, step, P, settled);
		if (err || P->a)
			break;
		/* If the residual is small, the next block is partly rounding error, which may lie
		 * in the basis. So the block is orthonormalised and projected out once more. */
		k.block.rows = min_size(k.block.rows, most - k.P.rows);
		err = la_orthonormal_rows(&k.block);
		if (err)
			break;
		svd_project_out(&k, NULL);
		err = la_orthonormal_rows(&k.block);
	}
	mat_release(&k.block);
	mat_release(&k.H);
	mat_release(&k.P);
	return err;
}

/* -- from a basis to U ---------------------------------------------------------------------- */

struct dense {
	const struct mat *X;
	unsigned threads;
};

static void svd_multiply(void *ctx, const struct mat *in, struct mat *out)
{
	const struct dense *a = ctx;

	thin_product(a->X, in, a->threads, out);
}

static void svd_square(void *ctx, const struct mat *in, struct mat *out)
{
	const struct dense *a = ctx;

	thin_square(a->X, in, a->threads, NULL, out);
}

/* Computes sigma and the factor W S^-1, so that U = Y' W S^-1, from W and the singular values `all`
 * of X P' = Y' = U S W'. Singular values below SVD_ZERO give 0 and zero columns. */
static void left_factor(const struct mat *W, const double *all, size_t d, double *sigma,
			struct mat *factor)
{
	mat_init(factor, W->rows, d);
	for (size_t j = 0; j < d; j++) {
		sigma[j] = all[j] > SVD_ZERO * all[0] ? all[j] : 0;
		for (size_t i = 0; sigma[j] > 0 && i < W->rows; i++)
			MAT(factor, i, j) = MAT(W, i, j) / sigma[j];
	}
}

/* Sets *across (d x m) to the transpose of P' factor, so that U = X across'. The entry of largest
 * magnitude of each row (the first on ties) becomes positive, and `factor` gets the same changes of
 * sign. */
static void left_across(const struct mat *P, struct mat *factor, struct mat *across)
{
	la_mul_tn(factor, P, 1, across);
	for (size_t r = 0; r < across->rows; r++) {
		double *row = ROW(across, r), largest = 0;

		for (size_t j = 0; j < across->cols; j++)
			largest = fabs(row[j]) > fabs(largest) ? row[j] : largest;
		for (size_t j = 0; largest < 0 && j < across->cols; j++)
			row[j] = -row[j];
		for (size_t i = 0; largest < 0 && i < factor->rows; i++)
			MAT(factor, i, r) = -MAT(factor, i, r);
	}
}

/* Computes the singular values and left vectors of X P' = Y'. They are those of X within the space
 * of P's orthonormal rows (Halko et al., Algorithm 5.1), and are far more accurate than those from
 * the Gram matrix. With Y' = U S W', U is Y' W S^-1 and not a Householder product, so that zero
 * rows of X stay exactly zero. */
static enum err left_within(const struct linear_map *X, const struct mat *P, size_t d,
			    unsigned threads, struct mat *U, double *sigma, struct mat *map)
{
	struct mat Y, W, factor, across, all;
	enum err err;

	X->multiply(X->ctx, P, &Y);
	mat_init(&all, 1, P->rows);
	err = la_singular_rows(NULL, &Y, all.a, &W);
	if (err)
		goto out;
	left_factor(&W, all.a, d, sigma, &factor);
	mat_release(&W);
	left_across(P, &factor, &across);
	la_mul_tn(&Y, &factor, threads, U);
	if (map)
		mat_transpose(&across, map);
	mat_release(&across);
	mat_release(&factor);
out:
	mat_release(&all);
	mat_release(&Y);
	return err;
}

/* Context of svd_block(), which computes rows of Y' = X P' for a dense X. */
struct rows {
	const struct mat *X, *P;
	unsigned threads;
};

static void svd_block(void *ctx, size_t first, struct mat *to)
{
	const struct rows *r = ctx;
	struct mat part = { to->cols, r->X->cols, ROW(r->X, first) };

	thin_product_into(&part, r->P, r->threads, to);
}

/* left_within() for a dense X. Never stores all of Y, since allocating its pages would take longer
 * than multiplying again. U = X P' W S^-1. */
static enum err left_within_rows(const struct ranks *R, const struct mat *X, const struct mat *P,
				 size_t d, unsigned threads, struct mat *U, double *sigma,
				 struct mat *map)
{
	struct rows rows = { X, P, threads };
	struct la_blocks Y = { P->rows, X->rows, svd_block, &rows };
	struct mat W, factor, across, all;
	enum err err;

	mat_init(&all, 1, P->rows);
	err = la_singular_blocks(R, &Y, all.a, &W);
	if (err)
		goto out;
	left_factor(&W, all.a, d, sigma, &factor);
	mat_release(&W);
	left_across(P, &factor, &across);
	thin_rows(X, &across, threads, U);
	if (map)
		mat_transpose(&across, map);
	mat_release(&across);
	mat_release(&factor);
out:
	mat_release(&all);
	return err;
}

enum err svd_left_of_map(const struct linear_map *X, size_t d, unsigned threads, struct mat *U,
			 double *sigma, struct mat *map, bool *settled)
{
	struct mat P;
	enum err err;

	if (d == 0 || d > min_size(X->rows, X->cols))
		return err_set(ERR_INPUT, "svd: %zu singular vectors of a %zu x %zu matrix", d,
			       X->rows, X->cols);
	TRY(krylov_right(X, d, threads, &P, settled));
	err = left_within(X, &P, d, threads, U, sigma, map);
	mat_release(&P);
	return err;
}

enum err svd_check_ranks(const struct ranks *R, size_t n, size_t m)
{
	if (!R || (m <= n && m <= SVD_EXACT_MAX))
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "ranks project features of at most %d columns and no more than rows, these "
		       "are %zu x %zu",
		       SVD_EXACT_MAX, n, m);
}

enum err svd_left_of(const struct ranks *R, const struct mat *X, size_t d, unsigned threads,
		     struct mat *U, double *sigma, struct mat *map)
{
	struct dense dense = { X, threads };
	size_t n = ranks_n(R, X->rows), least = min_size(n, X->cols);
	struct linear_map A = { n, X->cols, &dense, svd_multiply, svd_square };
	bool settled;
	struct mat G, E, P;
	enum err err;

	TRY(svd_check_ranks(R, n, X->cols));
	if (d == 0 || d > least || least > SVD_EXACT_MAX)
		return svd_left_of_map(&A, d, threads, U, sigma, map, &settled);
	/* Computes P, whose rows span the leading right singular directions: from X'X, or, if X has
	 * more columns than rows, as E X with E from XX'. */
	if (n < X->cols)
		la_gram_rows(X, threads, &G);
	else
		la_gram_columns_of(R, X, threads, &G);
	err = la_eigen_top(&G, d, sigma, &E);
	mat_release(&G);
	TRY(err);
	P = E;
	if (n < X->cols) {
		la_mul_nn(&E, X, threads, &P);
		mat_release(&E);
		err = la_orthonormal_rows(&P);
	}
	if (!err)
		err = left_within_rows(R, X, &P, d, threads, U, sigma, map);
	mat_release(&P);
	return err;
}

enum err svd_left(const struct mat *X, size_t d, unsigned threads, struct mat *U, double *sigma,
		  struct mat *map)
{
	return svd_left_of(NULL, X, d, threads, U, sigma, map);
}
