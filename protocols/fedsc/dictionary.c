#include "protocols/fedsc/dictionary.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/linalg/distance.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POWER_STEPS = 20, HELD_MOST = 1 << 23 };

/* Returns the rows of X from `first` on that form one block; borrowed. */
static struct mat rows_of(const struct mat *X, size_t first)
{
	return (struct mat){ min_size(FEDSC_ROWS, X->rows - first), X->cols, ROW(X, first) };
}

enum err fedsc_basis_init(struct fedsc_basis *b, const struct mat *Z, double r, double lambda,
			  unsigned threads)
{
	enum err err;

	*b = (struct fedsc_basis){ .Z = Z, .r = r, .lambda = lambda };
	ALLOC(b->square, Z->rows);
	kernel_squares(Z, b->square);
	kernel_gaussian(Z, Z, r, threads, &b->Kzz);
	mat_copy(&b->factor, &b->Kzz);
	for (size_t i = 0; i < Z->rows; i++)
		MAT(&b->factor, i, i) += lambda;
	err = la_cholesky(&b->factor);
	return err ? err_prefix(ERR_JOB, "kernel of the dictionary with lambda %g, r %g", lambda, r)
		   : ERR_OK;
}

void fedsc_basis_release(struct fedsc_basis *b)
{
	free(b->square);
	mat_release(&b->Kzz);
	mat_release(&b->factor);
	mat_release(&b->root);
	*b = (struct fedsc_basis){ 0 };
}

enum err fedsc_basis_root(struct fedsc_basis *b, unsigned threads)
{
	size_t d = b->Z->rows;
	struct mat G, E, scaled;
	double *value;
	enum err err;

	if (b->root.a)
		return ERR_OK;
	mat_copy(&G, &b->Kzz);
	ALLOC(value, d);
	err = la_eigen_top(&G, d, value, &E);
	mat_release(&G);
	if (!err) {
		mat_copy(&scaled, &E);
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < d; j++)
				MAT(&scaled, i, j) *= value[i] > 0 ? sqrt(value[i]) : 0;
		la_mul_tn(&E, &scaled, threads, &b->root);
		ortho_symmetrise(&b->root);
		mat_release(&scaled);
		mat_release(&E);
	}
	free(value);
	return err;
}

static void kernel_rows(const struct mat *Z, const double *square, double r, const double *x,
			size_t count, double *K)
{
	struct mat X = { count, Z->cols, (double *)x }; /* read only */
	double *own;

	ALLOC(own, count);
	kernel_squares(&X, own);
	kernel_distances(x, own, count, Z, square, K);
	kernel_of_distances(K, count * Z->rows, r);
	free(own);
}

enum err fedsc_coefficients(const struct fedsc_basis *b, const double *x, size_t count, double *C)
{
	kernel_rows(b->Z, b->square, b->r, x, count, C);
	return la_cholesky_solve(&b->factor, C, count);
}

/* Blocks of C. C is held whole, or each block is computed when it is needed. */
struct coefficients {
	const struct mat *X;
	const struct mat *held;         /* n x d: the whole C, or NULL */
	const struct fedsc_basis *from; /* source of C if it is not held */
	unsigned threads;
	struct mat room; /* FEDSC_ROWS x d: memory for one block */
	enum err *err;   /* one error per piece of a block */
};

enum { PIECE = 128, PIECES = FEDSC_ROWS / PIECE };

struct making {
	struct coefficients *c;
	struct mat rows, out;
};

static void make_piece(void *ctx, unsigned worker, size_t piece)
{
	struct making *m = ctx;
	size_t first = piece * PIECE, count = min_size(PIECE, m->rows.rows - first);

	(void)worker;
	m->c->err[piece] =
	    fedsc_coefficients(m->c->from, ROW(&m->rows, first), count, ROW(&m->out, first));
}

/* Sets *block to at most FEDSC_ROWS rows of C, from row `first` on. *block is borrowed, until the
 * next call. */
static enum err next_block(struct coefficients *c, size_t first, struct mat *block)
{
	struct making m = { .c = c, .rows = rows_of(c->X, first) };

	if (c->held) {
		*block = rows_of(c->held, first);
		return ERR_OK;
	}
	m.out = (struct mat){ m.rows.rows, c->from->Z->rows, c->room.a };
	parallel(c->threads, (m.rows.rows + PIECE - 1) / PIECE, make_piece, &m);
	for (size_t i = 0; i < PIECES; i++)
		/* This thread does not have the error text of the thread that failed. */
		if (c->err[i])
			return err_set(c->err[i], "coefficients of rows %zu to %zu", first,
				       first + m.rows.rows - 1);
	*block = m.out;
	return ERR_OK;
}

static void coefficients_init(struct coefficients *c, const struct mat *X, const struct mat *held,
			      const struct fedsc_basis *from, size_t d, unsigned threads)
{
	*c = (struct coefficients){ .X = X, .held = held, .from = from, .threads = threads };
	ALLOC(c->err, PIECES);
	if (!held)
		mat_init(&c->room, FEDSC_ROWS, d);
}

static void coefficients_release(struct coefficients *c)
{
	mat_release(&c->room);
	free(c->err);
}

enum err fedsc_factor_block(const struct fedsc_basis *b, const struct mat *X, size_t first,
			    unsigned threads, struct mat *F)
{
	struct coefficients c;
	struct mat block;
	enum err err;

	assert(b->root.a && first < X->rows);
	coefficients_init(&c, X, NULL, b, b->Z->rows, threads);
	err = next_block(&c, first, &block);
	if (!err)
		la_mul_nn(&block, &b->root, threads, F);
	coefficients_release(&c);
	return err;
}

static void fedsc_dictionary_add_term(struct mat *to, struct mat *term)
{
	for (size_t e = 0; e < to->rows * to->cols; e++)
		to->a[e] += term->a[e];
	mat_release(term);
}

struct gradient {
	struct coefficients *C;
	struct mat CC; /* d x d: C'C, constant while C is constant */
	const struct mat *Z;
	double r, lambda;
	unsigned threads;
	/* values at the current Z, in the notation of dictionary.h: */
	struct mat G, Q; /* d x m; d x d */
	double *h;       /* d entries: w - 2 q */
	double f;
};

static enum err gram_of(struct coefficients *c, size_t d, struct mat *CC)
{
	mat_init(CC, d, d);
	for (size_t i = 0; i < c->X->rows; i += FEDSC_ROWS) {
		struct mat block, part;

		TRY(next_block(c, i, &block));
		la_gram_columns(&block, c->threads, &part);
		fedsc_dictionary_add_term(CC, &part);
	}
	return ERR_OK;
}

struct weighing {
	const struct mat *Z, *rows, *C;
	const double *square;
	double r;
	struct mat *W;
};

static void weigh_piece(void *ctx, unsigned worker, size_t piece)
{
	const struct weighing *w = ctx;
	size_t first = piece * PIECE, count = min_size(PIECE, w->rows->rows - first);
	size_t values = count * w->Z->rows;
	double *W = ROW(w->W, first);

	(void)worker;
	kernel_rows(w->Z, w->square, w->r, ROW(w->rows, first), count, W);
	for (size_t e = 0; e < values; e++)
		W[e] *= ROW(w->C, first)[e];
}

/* Adds the terms of a block of rows: h += w, G -= W'X, and f -= the sum of W. */
static void fedsc_dictionary_add_rows(struct gradient *g, const double *square,
				      const struct mat *rows, const struct mat *C)
{
	struct mat W, part;
	struct weighing w = { g->Z, rows, C, square, g->r, &W };

	mat_init(&W, rows->rows, g->Z->rows);
	parallel(g->threads, (rows->rows + PIECE - 1) / PIECE, weigh_piece, &w);
	for (size_t i = 0; i < W.rows; i++)
		for (size_t j = 0; j < W.cols; j++) {
			g->h[j] += MAT(&W, i, j);
			g->f -= MAT(&W, i, j);
		}
	la_mul_tn(&W, rows, g->threads, &part);
	for (size_t e = 0; e < part.rows * part.cols; e++)
		part.a[e] = -part.a[e];
	fedsc_dictionary_add_term(&g->G, &part);
	mat_release(&W);
}

static enum err gradient_at(struct gradient *g, const struct mat *Z)
{
	const struct mat *X = g->C->X;
	size_t d = Z->rows;
	struct mat QZ;
	double *square;
	enum err err = ERR_OK;

	g->Z = Z;
	g->f = 0.5 * (double)X->rows; /* the kernel k(x, x) of a row with itself is 1 */
	mat_init(&g->G, d, Z->cols);
	ALLOC(g->h, d);
	ALLOC(square, d);
	kernel_squares(Z, square);
	for (size_t i = 0; !err && i < X->rows; i += FEDSC_ROWS) {
		struct mat rows = rows_of(X, i), C;

		err = next_block(g->C, i, &C);
		if (!err)
			fedsc_dictionary_add_rows(g, square, &rows, &C);
	}
	free(square);
	/* Adds the terms of the dictionary alone: Q, q, and their part of the objective f. */
	kernel_gaussian(Z, Z, g->r, g->threads, &g->Q);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++) {
			MAT(&g->Q, i, j) *= 0.5 * MAT(&g->CC, i, j);
			g->f += MAT(&g->Q, i, j);
			g->h[i] -= 2 * MAT(&g->Q, i, j);
		}
	for (size_t i = 0; i < d; i++)
		g->f += 0.5 * g->lambda * MAT(&g->CC, i, i);
	la_mul_nn(&g->Q, Z, g->threads, &QZ);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < Z->cols; j++)
			MAT(&g->G, i, j) =
			    (g->h[i] * MAT(Z, i, j) + MAT(&g->G, i, j) + 2 * MAT(&QZ, i, j)) /
			    (g->r * g->r);
	mat_release(&QZ);
	return err;
}

static void gradient_forget(struct gradient *g)
{
	mat_release(&g->G);
	mat_release(&g->Q);
	free(g->h);
	g->h = NULL;
}

/* Returns eta = 1 / (1.05 ||H||_2), with H = (diag(w - 2q) + 2 Q) / r^2. Power iterations from a
 * fixed, asymmetric start find the norm. */
static double step_of(const struct gradient *g)
{
	size_t d = g->Z->rows;
	double *v, *u, norm = 0;

	ALLOC(v, d);
	ALLOC(u, d);
	for (size_t i = 0; i < d; i++)
		v[i] = 1 + (double)(i * 7 % 11) / 11;
	for (int t = 0; t <= POWER_STEPS; t++) {
		double square = 0;

		for (size_t i = 0; i < d; i++) {
			u[i] = g->h[i] * v[i];
			for (size_t j = 0; j < d; j++)
				u[i] += 2 * MAT(&g->Q, i, j) * v[j];
			square += u[i] * u[i];
		}
		norm = sqrt(square);
		for (size_t i = 0; norm > 0 && i < d; i++)
			v[i] = u[i] / norm;
	}
	free(u);
	free(v);
	norm /= g->r * g->r;
	return norm > 0 ? 1 / (1.05 * norm) : 0;
}

enum err fedsc_round(const struct mat *X, const struct mat *Z, double r, double lambda,
		     unsigned inner, unsigned threads, struct mat *out)
{
	size_t d = Z->rows;
	struct coefficients C, made;
	struct gradient g = { .C = &C, .r = r, .lambda = lambda, .threads = threads };
	struct fedsc_basis basis;
	struct mat held = { 0 };
	bool hold = d <= X->cols || X->rows * d <= HELD_MOST;
	enum err err;

	mat_copy(out, Z);
	coefficients_init(&C, X, NULL, &basis, d, threads);
	err = fedsc_basis_init(&basis, Z, r, lambda, threads);
	if (!err && hold) {
		made = C;
		mat_init(&held, X->rows, d);
		C.held = &held;
	}
	for (size_t i = 0; !err && hold && i < X->rows; i += FEDSC_ROWS) {
		struct mat block;

		err = next_block(&made, i, &block);
		if (!err)
			memcpy(ROW(&held, i), block.a, block.rows * d * sizeof(double));
	}
	if (!err)
		err = gram_of(&C, d, &g.CC);
	for (unsigned t = 0; !err && t < inner; t++) {
		double eta;

		err = gradient_at(&g, out);
		eta = err ? 0 : step_of(&g);
		for (size_t e = 0; e < d * out->cols; e++)
			out->a[e] -= eta * g.G.a[e];
		gradient_forget(&g);
		if (err)
			break;
		progress_tick();
		err = progress_check();
	}
	mat_release(&g.CC);
	mat_release(&held);
	coefficients_release(&C);
	fedsc_basis_release(&basis);
	return err;
}
