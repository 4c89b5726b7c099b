#include "common/cluster/spectral.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of a new block is only rounding error if its length, after the projection, is at most this
 * share of the magnitude of the largest eigenvalue. */
static const double GONE = 1e-11;
/* A unit vector counts as orthogonal to the space if its component along each basis vector of the
 * space is at most this. */
static const double OUTSIDE = 1e-13;
enum { STREAM = 0x6c616e63 }; /* random stream of this module */
enum { PIECE = 1 << 16 };

void spectral_defaults(struct spectral_params *p, size_t n, size_t k, uint64_t seed,
		       unsigned threads)
{
	*p = (struct spectral_params){
		.n = n, .k = k, .rounds = 100, .tolerance = 1e-6, .seed = seed, .threads = threads
	};
}

/* The Krylov space so far. Its basis vectors are the rows of Q, so that a new vector extends the
 * memory at the end. */
struct space {
	const struct spectral_params *p;
	struct mat Q; /* width x n, orthonormal */
	size_t last;  /* rows of Q in the last block */
	struct mat H; /* width x width: Q A Q' */
	struct rng rng;
};

size_t spectral_block(const struct spectral_params *p)
{
	size_t b = p->block ? p->block : p->k + 6 > 16 ? p->k + 6 : 16;

	return b < p->n ? b : p->n;
}

/* B <- B - (B Q') Q; part (B.rows x Q.rows, initialised here; may be NULL) = B Q'. Returns the
 * largest magnitude in B Q'. */
static double spectral_project_out(const struct space *s, struct mat *B, struct mat *part)
{
	double largest = 0;
	struct mat C, in;

	la_mul_nt(B, &s->Q, s->p->threads, &C);
	la_mul_nn(&C, &s->Q, s->p->threads, &in);
	for (size_t i = 0; i < B->rows * B->cols; i++)
		B->a[i] -= in.a[i];
	mat_release(&in);
	for (size_t i = 0; i < C.rows * C.cols; i++)
		largest = fmax(largest, fabs(C.a[i]));
	if (part)
		*part = C;
	else
		mat_release(&C);
	return largest;
}

static void random_row(struct space *s, double *row)
{
	for (size_t j = 0; j < s->p->n; j++)
		row[j] = rng_normal(&s->rng) / sqrt((double)s->p->n);
}

/* Makes B's rows orthonormal and orthogonal to the space. A row of which almost nothing remains
 * (GONE times scale) becomes a random direction. If the rows lack full rank, the factorisation
 * returns directions made of rounding errors, which may lie in the space. So the projection repeats
 * up to three times, until it removes only rounding errors. */
static enum err make_block(struct space *s, struct mat *B, double scale)
{
	bool fresh = false;

	for (size_t i = 0; i < B->rows; i++)
		if (!(mat_norm(ROW(B, i), B->cols) > GONE * scale)) {
			random_row(s, ROW(B, i));
			fresh = true;
		}
	if (!s->Q.rows)
		return la_orthonormal_rows(B);
	if (fresh)
		spectral_project_out(s, B, NULL);
	for (int pass = 0; pass < 3; pass++) {
		TRY(la_orthonormal_rows(B));
		if (spectral_project_out(s, B, NULL) <= OUTSIDE)
			return ERR_OK;
	}
	return la_orthonormal_rows(B);
}

/* Computes the product Y' = A Q_last', where Q_last is the newest block of Q. Adds Q Y' to H as its
 * newest columns, and the transpose as its newest rows. Then removes from Y its part within the
 * space. */
static enum err spectral_multiply(struct space *s, const struct ortho_operator *A, struct mat *Y)
{
	size_t width = s->Q.rows, old = width - s->last;
	struct mat last = { s->last, s->p->n, ROW(&s->Q, old) };
	struct mat B, product = { 0 }, part, H;
	enum err err;

	mat_transpose(&last, &B);
	err = A->times(A->ctx, &B, &product);
	mat_release(&B);
	TRY(err);
	mat_transpose(&product, Y);
	mat_release(&product);
	spectral_project_out(s, Y, &part);
	mat_init(&H, width, width);
	for (size_t i = 0; i < old; i++)
		memcpy(ROW(&H, i), ROW(&s->H, i), old * sizeof(double));
	for (size_t b = 0; b < s->last; b++)
		for (size_t j = 0; j < width; j++) {
			double h = MAT(&part, b, j);

			if (j >= old) /* `part` holds this entry and its mirror image */
				h = (h + MAT(&part, j - old, old + b)) / 2;
			MAT(&H, old + b, j) = MAT(&H, j, old + b) = h;
		}
	mat_release(&s->H);
	s->H = H;
	mat_release(&part);
	spectral_project_out(s, Y, NULL);
	return ERR_OK;
}

/* Adds the first block, or a block made from Y, which is released. */
static enum err spectral_grow(struct space *s, struct mat *Y, double scale)
{
	size_t n = s->p->n, left = n - s->Q.rows, b = spectral_block(s->p);
	enum err err;

	if (!Y->a) {
		mat_init(Y, b, n);
		for (size_t i = 0; i < b; i++) {
			random_row(s, ROW(Y, i));
			for (size_t j = 0; s->p->weight && j < n; j++)
				MAT(Y, i, j) *= s->p->weight[j];
		}
	}
	if (Y->rows > left)
		Y->rows = left;
	err = make_block(s, Y, scale);
	if (!err) {
		s->Q.a = alloc_again(s->Q.a, (s->Q.rows + Y->rows) * n, sizeof(double));
		memcpy(s->Q.a + s->Q.rows * n, Y->a, Y->rows * n * sizeof(double));
		s->Q.rows += Y->rows;
		s->last = Y->rows;
	}
	mat_release(Y);
	return err;
}

/* If the space has no room for another block, keeps its best half. Together with the next block,
 * which comes from the last product, the half is still a Krylov space. With (value, E) the best
 * Ritz pairs, Q becomes E Q in place, and H becomes diagonal. */
static enum err spectral_make_room(struct space *s)
{
	const struct spectral_params *p = s->p;
	size_t keep = p->space / 2, n = p->n, width = s->Q.rows;
	double *value;
	struct mat H, E;
	enum err err;

	if (!p->space || width + spectral_block(p) <= p->space)
		return ERR_OK;
	mat_copy(&H, &s->H);
	ALLOC(value, keep);
	err = la_eigen_top(&H, keep, value, &E);
	mat_release(&H);
	for (size_t first = 0; first < n && !err; first += PIECE) {
		size_t cols = min_size(PIECE, n - first);
		struct mat part, turned;

		mat_init(&part, width, cols);
		for (size_t i = 0; i < width; i++)
			memcpy(ROW(&part, i), ROW(&s->Q, i) + first, cols * sizeof(double));
		la_mul_nn(&E, &part, p->threads, &turned);
		for (size_t i = 0; i < keep; i++)
			memcpy(ROW(&s->Q, i) + first, ROW(&turned, i), cols * sizeof(double));
		mat_release(&turned);
		mat_release(&part);
		progress_tick();
	}
	if (!err) {
		s->Q.rows = keep;
		mat_release(&s->H);
		mat_init(&s->H, keep, keep);
		for (size_t i = 0; i < keep; i++)
			MAT(&s->H, i, i) = value[i];
		mat_release(&E);
	}
	free(value);
	return err;
}

/* Computes Ritz values and vectors of the current space, and their residual. The residual is the
 * largest ||A v - theta v|| = ||Y' s_last|| of the k Ritz vectors v = Q' s, divided by |theta_1|,
 * with theta_1 the largest theta. s is a row of E, and s_last its entries for the newest block of
 * Q. */
static enum err spectral_ritz(const struct space *s, const struct mat *Y, double *value,
			      struct mat *E, struct spectral_report *report)
{
	size_t wanted = s->p->values ? s->p->values : s->p->k, old = s->Q.rows - s->last;
	double worst = 0;
	struct mat H, G;
	enum err err;

	mat_release(E);
	mat_copy(&H, &s->H);
	err = la_eigen_top(&H, min_size(wanted, H.rows), value, E);
	mat_release(&H);
	TRY(err);
	report->values = E->rows;
	report->residual = 0;
	if (s->Q.rows == s->p->n)
		return ERR_OK;
	la_mul_nt(Y, Y, s->p->threads, &G);
	for (size_t r = 0; r < s->p->k; r++) {
		const double *e = ROW(E, r) + old;
		double sum = 0;

		for (size_t a = 0; a < s->last; a++)
			for (size_t b = 0; b < s->last; b++)
				sum += e[a] * e[b] * MAT(&G, a, b);
		worst = fmax(worst, sqrt(sum > 0 ? sum : 0));
	}
	mat_release(&G);
	report->residual = worst / fmax(fabs(value[0]), 1e-300);
	return ERR_OK;
}

static enum err spectral_iterate(struct space *s, const struct ortho_operator *A, double *value,
				 struct mat *E, struct spectral_report *report)
{
	const struct spectral_params *p = s->p;
	struct mat Y = { 0 };
	double scale = 0;
	enum err err = ERR_OK;

	*E = (struct mat){ 0 };
	report->residual = 1;
	while (!err) {
		err = spectral_make_room(s);
		if (!err)
			err = spectral_grow(s, &Y, scale);
		if (!err)
			err = spectral_multiply(s, A, &Y);
		if (err)
			break;
		report->rounds++;
		if (s->Q.rows >= p->k) {
			err = spectral_ritz(s, &Y, value, E, report);
			scale = fabs(value[0]);
		}
		if (err || report->residual <= p->tolerance)
			break;
		if (report->rounds >= p->rounds)
			err = err_set(
			    ERR_JOB,
			    "Lanczos: relative residual %.3g after %u rounds, expected %.3g",
			    report->residual, report->rounds, p->tolerance);
		progress_tick();
		if (!err)
			err = progress_check();
	}
	mat_release(&Y);
	return err;
}

enum err spectral_top(const struct ortho_operator *A, const struct spectral_params *p,
		      double *value, struct mat *V, struct spectral_report *report)
{
	struct space s = { .p = p, .Q = { 0, p->n, NULL } };
	struct spectral_report unused;
	struct mat E;
	enum err err;

	assert(p->k >= 1 && p->k <= p->n && p->rounds > 0);
	assert(!p->values || p->values >= p->k);
	assert(!p->space || p->space >= p->k + 4 * spectral_block(p));
	report = report ? report : &unused;
	*report = (struct spectral_report){ 0 };
	rng_seed(&s.rng, p->seed, STREAM);
	err = spectral_iterate(&s, A, value, &E, report);
	if (!err) {
		struct mat wanted = { p->k, E.cols, E.a }, rows;

		la_mul_nn(&wanted, &s.Q, p->threads, &rows);
		for (size_t r = 0; r < p->k; r++) {
			double top = 0, *row = ROW(&rows, r);

			for (size_t i = 0; i < p->n; i++)
				if (fabs(row[i]) > fabs(top))
					top = row[i];
			for (size_t i = 0; top < 0 && i < p->n; i++)
				row[i] = -row[i];
		}
		mat_transpose(&rows, V);
		mat_release(&rows);
	}
	mat_release(&E);
	mat_release(&s.H);
	mat_release(&s.Q);
	return err;
}

/* -- spectral clustering of a graph --------------------------------------------------------- */

void spectral_graph_init(struct spectral_graph *g, const struct csr *S, unsigned threads)
{
	assert(S->rows == S->cols);
	*g = (struct spectral_graph){ .S = S, .threads = threads };
	ALLOC(g->root, S->rows);
	for (size_t i = 0; i < S->rows; i++) {
		double degree = 0;

		for (size_t e = S->start[i]; e < S->start[i + 1]; e++)
			degree += S->value ? S->value[e] : 1;
		g->root[i] = degree > 0 ? 1 / sqrt(degree) : 0;
	}
}

void spectral_graph_release(struct spectral_graph *g)
{
	free(g->root);
	*g = (struct spectral_graph){ 0 };
}

struct sparse_product {
	const struct spectral_graph *g;
	const struct mat *B;
	size_t first, count;
	double *y;
};

enum { PRODUCT_ROWS = 1024 };

static void spectral_product_rows(void *ctx, unsigned worker, size_t block)
{
	const struct sparse_product *p = ctx;
	const struct csr *S = p->g->S;
	size_t cols = p->B->cols, from = block * PRODUCT_ROWS;
	size_t to = min_size(from + PRODUCT_ROWS, p->count);

	(void)worker;
	memset(p->y + from * cols, 0, (to - from) * cols * sizeof(*p->y));
	for (size_t r = from; r < to; r++) {
		size_t i = p->first + r;
		double *y = p->y + r * cols;

		for (size_t e = S->start[i]; e < S->start[i + 1]; e++) {
			size_t j = S->index[e];
			double w = (S->value ? S->value[e] : 1) * p->g->root[j];
			const double *b = ROW(p->B, j);

			for (size_t c = 0; c < cols; c++)
				y[c] += w * b[c];
		}
		for (size_t c = 0; c < cols; c++)
			y[c] *= p->g->root[i];
	}
}

void spectral_graph_rows(const struct spectral_graph *g, const struct mat *B, size_t first,
			 size_t count, double *y)
{
	struct sparse_product p = { g, B, first, count, y };

	assert(B->rows == g->S->rows && first + count <= B->rows);
	parallel(g->threads, (count + PRODUCT_ROWS - 1) / PRODUCT_ROWS, spectral_product_rows, &p);
}

enum err spectral_graph_times(void *ctx, const struct mat *B, struct mat *Y)
{
	mat_init(Y, B->rows, B->cols);
	spectral_graph_rows(ctx, B, 0, B->rows, Y->a);
	return ERR_OK;
}

void spectral_unit_rows(struct mat *E)
{
	for (size_t i = 0; i < E->rows; i++) {
		double norm = mat_norm(ROW(E, i), E->cols);

		for (size_t j = 0; norm > 0 && j < E->cols; j++)
			MAT(E, i, j) /= norm;
	}
}

enum err spectral_cluster(const struct csr *S, const struct spectral_params *p, unsigned restarts,
			  uint32_t *label, struct spectral_report *report)
{
	struct kmeans_params how = { .k = p->k,
				     .restarts = restarts,
				     .iterations = 100,
				     .seed = p->seed,
				     .threads = p->threads };
	struct spectral_graph g;
	struct ortho_operator A = { &g, spectral_graph_times };
	struct mat V;
	double *value;
	enum err err;

	spectral_graph_init(&g, S, p->threads);
	ALLOC(value, p->values > p->k ? p->values : p->k);
	err = spectral_top(&A, p, value, &V, report);
	if (!err) {
		spectral_unit_rows(&V);
		kmeans(&V, NULL, &how, label, NULL, NULL);
		mat_release(&V);
	}
	free(value);
	spectral_graph_release(&g);
	return err;
}
