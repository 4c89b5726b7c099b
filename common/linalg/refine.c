#include "common/linalg/refine.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/linalg/la.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* G may be wronger elsewhere than on P, but hardly by more than this. */
static const double ELSEWHERE = 10;

struct refine {
	const struct linear_map *A;
	struct mat *G;
	size_t d, width; /* vectors that are wanted, and that A'A is applied to */
	unsigned threads;
	struct mat P;      /* eigenvectors of G, width or one more than d */
	struct mat before; /* those of the turn before: width rows */
	double *theta;     /* their values */
	double off;        /* the largest residual of that turn */
};

/* P's vectors, one more than d if there is one: what the last one is to be told from. */
static enum err look(struct refine *r)
{
	size_t m = r->G->rows, count = r->d + 1 < m ? r->d + 1 : m;
	struct mat G;
	enum err err;

	if (count < r->width)
		count = r->width;
	mat_copy(&G, r->G); /* which is destroyed */
	err = la_eigen_top(&G, count, r->theta, &r->P);
	mat_release(&G);
	return err;
}

/* Whether vector j is good with this residual. */
static bool is_good(const struct refine *r, size_t j, double residual)
{
	double next = r->P.rows > r->d ? r->theta[r->d] : -INFINITY;

	return residual <= krylov_residual(r->theta[0], r->theta[j], next);
}

/* G agrees with A'A on what the turn before had: it is only wrong on what P has besides. */
static bool foreseen(const struct refine *r)
{
	struct mat C, part;
	bool good = true;

	la_mul_nt(&r->P, &r->before, r->threads, &C);
	la_mul_nn(&C, &r->before, r->threads, &part);
	for (size_t j = 0; j < r->d && good; j++) {
		for (size_t c = 0; c < part.cols; c++)
			MAT(&part, j, c) = MAT(&r->P, j, c) - MAT(&part, j, c);
		good = is_good(r, j, ELSEWHERE * r->off * mat_norm(ROW(&part, j), part.cols));
	}
	mat_release(&part);
	mat_release(&C);
	return good;
}

/* E = P A'A - P G; true if P is good. */
static bool measure(struct refine *r, struct mat *E)
{
	struct mat first = { .rows = r->width, .cols = r->P.cols, .a = r->P.a };
	bool good = true;

	r->A->square(r->A->ctx, &first, E);
	r->off = 0;
	for (size_t j = 0; j < r->width; j++) {
		double residual;

		for (size_t c = 0; c < E->cols; c++)
			MAT(E, j, c) -= r->theta[j] * MAT(&r->P, j, c);
		residual = mat_norm(ROW(E, j), E->cols);
		r->off = fmax(r->off, residual);
		good = good && (j >= r->d || is_good(r, j, residual));
	}
	return good;
}

/* G <- G + E'P + P'E - P' (E P') P: with B = E - (E P') P / 2, G + B'P + P'B. */
static void update(struct refine *r, struct mat *E)
{
	struct mat P = { .rows = r->width, .cols = r->P.cols, .a = r->P.a }, C, part, both;

	la_mul_nt(E, &P, r->threads, &C);
	la_mul_nn(&C, &P, r->threads, &part);
	for (size_t i = 0; i < E->rows * E->cols; i++)
		E->a[i] -= part.a[i] / 2;
	la_mul_tn(E, &P, r->threads, &both);
	for (size_t i = 0; i < both.rows; i++)
		for (size_t j = 0; j < both.cols; j++)
			MAT(r->G, i, j) += MAT(&both, i, j) + MAT(&both, j, i);
	mat_release(&both);
	mat_release(&part);
	mat_release(&C);
}

static enum err turn(struct refine *r, bool *settled)
{
	struct mat E;

	TRY(look(r));
	*settled = r->before.a && foreseen(r);
	if (*settled)
		return ERR_OK;
	*settled = measure(r, &E);
	if (!*settled) {
		update(r, &E);
		mat_release(&r->before);
		r->before = r->P;
		r->before.rows = r->width;
		r->P = (struct mat){ 0 };
	}
	mat_release(&E);
	return ERR_OK;
}

enum err refine_right(const struct linear_map *A, struct mat *G, size_t d, unsigned threads,
		      struct mat *P, bool *settled)
{
	struct refine r = {
		.A = A, .G = G, .d = d, .width = krylov_width(d, A->cols), .threads = threads
	};
	enum err err = ERR_OK;

	assert(1 <= d && d <= A->cols && G->rows == A->cols && G->cols == A->cols);
	*settled = false;
	ALLOC(r.theta, r.width + 1);
	for (unsigned t = 0; !err && !*settled && t < REFINE_TURNS; t++) {
		err = turn(&r, settled);
		progress_tick();
	}
	*P = r.P;
	if (!err && *settled)
		P->rows = d;
	else
		mat_release(P);
	mat_release(&r.before);
	free(r.theta);
	return err;
}
