#include "common/graph/filter.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filter_steps.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Columns that go through all steps together: two buffers of 32 columns stay in the last cache
 * for tens of thousands of nodes; narrower ones read the graph too often (16: 5 to 30 % slower),
 * wider ones do not stay. A row of a panel is whole cache lines: begun between two, the filter is a
 * third slower. */
enum { PANEL = 32 };

/* Lanczos: checked every few steps; a graph that needs more steps than this has a spectrum so
 * dense at its end that even the dense solvers would not agree on eight digits. */
enum { LANCZOS_CHECK = 10, LANCZOS_MAX = 20000 };
static const double LANCZOS_TOLERANCE = 1e-8;

/* -- lambda_max -------------------------------------------------------------------------- */

struct lanczos {
	const struct graph *g;
	size_t n, steps;
	double *v, *before, *next, *scratch; /* n each */
	double *alpha, *beta;                /* LANCZOS_MAX each */
};

/* One step of the three-term recurrence; false when the Krylov space is exhausted. Lost
 * orthogonality only brings copies of converged values, which do not move the largest. */
static bool lanczos_step(struct lanczos *z)
{
	const struct csr *a = &z->g->adjacency;
	const double *root = z->g->inv_sqrt_deg;
	double *oldest = z->before, along = 0, norm;
	size_t t = z->steps++;

	/* next = (I - S) v */
	for (size_t i = 0; i < z->n; i++)
		z->scratch[i] = root[i] * z->v[i];
	for (size_t i = 0; i < z->n; i++) {
		double sum = z->scratch[i];

		for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
			sum += (a->value ? a->value[e] : 1) * z->scratch[a->index[e]];
		z->next[i] = z->v[i] - root[i] * sum;
	}
	for (size_t i = 0; i < z->n; i++)
		along += z->v[i] * z->next[i];
	z->alpha[t] = along;
	for (size_t i = 0; i < z->n; i++)
		z->next[i] -= along * z->v[i] + (t ? z->beta[t - 1] * z->before[i] : 0);
	norm = mat_norm(z->next, z->n);
	z->beta[t] = norm;
	if (norm < 1e-14) /* the spectrum lies in [0, 2]: this is rounding */
		return false;
	for (size_t i = 0; i < z->n; i++)
		z->next[i] /= norm;
	z->before = z->v;
	z->v = z->next;
	z->next = oldest;
	return true;
}

/* A small residual only says that some eigenvalue is near, and next to the largest there may be
 * many: the value must also stand still while the space doubles. */
static enum err lanczos_run(struct lanczos *z, double *lambda)
{
	double settled = 0; /* the value when it was first good, at step `since` */
	size_t since = 0;
	bool more = true;

	while (more && z->steps < LANCZOS_MAX) {
		double last, tolerance;

		more = lanczos_step(z);
		if (more && z->steps % LANCZOS_CHECK)
			continue;
		progress_tick();
		TRY(progress_check());
		TRY(la_tridiagonal_top(z->alpha, z->beta, z->steps, lambda, &last));
		tolerance = LANCZOS_TOLERANCE * *lambda;
		/* |theta - lambda| <= ||(I - S) y - theta y|| = beta_t |s_t| */
		if (z->beta[z->steps - 1] * last > tolerance)
			continue;
		if (fabs(*lambda - settled) > tolerance) {
			settled = *lambda;
			since = z->steps;
		} else if (z->steps >= 2 * since) {
			return ERR_OK;
		}
	}
	if (!more)
		return ERR_OK;
	return err_set(
	    ERR_JOB,
	    "lambda_max of a graph of %zu nodes: no convergence in %d steps, use the half filter",
	    z->n, LANCZOS_MAX);
}

enum err graph_lambda_max(const struct graph *g, double *lambda)
{
	size_t n = g->adjacency.rows;
	struct lanczos z = { .g = g, .n = n };
	struct mat room;
	struct rng rng;
	double norm;
	enum err err;

	*lambda = 0;
	if (n == 0 || g->adjacency.start[n] == 0)
		return ERR_OK; /* S = I */
	mat_init(&room, 4, n);
	z.v = ROW(&room, 0);
	z.before = ROW(&room, 1);
	z.next = ROW(&room, 2);
	z.scratch = ROW(&room, 3);
	ALLOC(z.alpha, LANCZOS_MAX);
	ALLOC(z.beta, LANCZOS_MAX);
	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < n; i++)
		z.v[i] = rng_normal(&rng);
	norm = mat_norm(z.v, n);
	for (size_t i = 0; i < n; i++)
		z.v[i] /= norm;
	err = lanczos_run(&z, lambda);
	free(z.beta);
	free(z.alpha);
	mat_release(&room);
	return err;
}

/* -- the filter -------------------------------------------------------------------------- */

typedef void panel_step_fn(const struct filter_plan *p, size_t first, size_t last,
			   const struct filter_step *t, const double *restrict y,
			   double *restrict out);

struct plan {
	struct filter_plan nodes;
	panel_step_fn *step;
	struct filter_steps steps;
	const struct csr *sparse; /* where columns come from, or NULL: */
	const struct mat *dense;
	struct mat *X;   /* where they go; NULL if only their spread is wanted */
	double **buffer; /* per worker: two panels of n x PANEL; */
	size_t **next;   /* for sparse columns, node_load()'s */
};

#define STEP    panel_step
#define COLUMNS PANEL
#define VEC     vec2
#define TARGET
#include "common/graph/filter_step.inc"
#ifdef SIMD_AVX2
#define STEP   panel_step_avx2
#define VEC    vec4
#define TARGET __attribute__((target("avx2")))
#include "common/graph/filter_step.inc"
#define STEP   panel_step_avx512
#define VEC    vec8
#define TARGET __attribute__((target("avx512f")))
#include "common/graph/filter_step.inc"
#endif

/* to[u] += scale times the node's feature column + u; these are left in X for a leaf. next: per
 * node, its first entry behind the worker's panels so far, which come in the order of columns. */
static void node_load(const struct plan *p, size_t node, double scale, bool leaf, size_t column,
		      size_t width, size_t *next, double *to)
{
	const struct csr *s = p->sparse;
	size_t e, end;

	if (!s) {
		for (size_t u = 0; u < width; u++)
			to[u] += scale * MAT(p->dense, node, column + u);
		return;
	}
	e = next[node];
	end = s->start[node + 1];
	while (e < end && s->index[e] < column) /* of panels that other workers have */
		e++;
	for (; e < end && s->index[e] < column + width; e++) {
		double x = s->value ? s->value[e] : 1;

		to[s->index[e] - column] += scale * x;
		if (leaf)
			MAT(p->X, node, s->index[e]) = x;
	}
	next[node] = e;
}

static void panel_load(const struct plan *p, unsigned worker, size_t column, size_t width,
		       double *y)
{
	memset(y, 0, p->nodes.n * PANEL * sizeof(*y));
	for (size_t i = 0; i < p->nodes.n; i++) {
		size_t first = filter_plan_first(&p->nodes, i),
		       end = filter_plan_first(&p->nodes, i + 1);

		for (size_t j = first; j < end; j++)
			node_load(p, p->nodes.order[j], p->nodes.enter[i], end - first > 1, column,
				  width, p->next[worker], y + i * PANEL);
	}
}

/* The rows, out of which leaves come again: of a sum y of several each is their mean and `fade`
 * times what it, still in X, was off their mean at first. */
static void panel_store(const struct plan *p, size_t column, size_t width, const double *y)
{
	const struct filter_plan *nodes = &p->nodes;
	double step = NAN, fade = NAN; /* of the leaves before, most often of the next too */

	for (size_t i = 0; i < nodes->n; i++, y += PANEL) {
		size_t first = filter_plan_first(nodes, i), end = filter_plan_first(nodes, i + 1);
		double mean[PANEL], share = 1 / (double)(end - first);
		double leave = share / nodes->enter[i];

		if (end - first == 1) {
			double *x = ROW(p->X, nodes->order[first]) + column;

			for (size_t u = 0; u < width; u++)
				x[u] = y[u] / nodes->enter[i];
			continue;
		}
		if (step != nodes->keep[i] + nodes->take[i]) {
			step = nodes->keep[i] + nodes->take[i];
			fade = filter_steps_at(&p->steps, step);
		}
		for (size_t u = 0; u < width; u++)
			mean[u] = leave * y[u];
		for (size_t j = first; j < end; j++)
			for (size_t u = 0; u < width; u++)
				mean[u] -= share * fade * MAT(p->X, nodes->order[j], column + u);
		for (size_t j = first; j < end; j++) {
			double *x = ROW(p->X, nodes->order[j]) + column;

			for (size_t u = 0; u < width; u++)
				x[u] = mean[u] + fade * x[u];
		}
	}
}

static void panel_filter(void *ctx, unsigned worker, size_t panel)
{
	const struct plan *p = ctx;
	size_t column = panel * PANEL, left = p->X->cols - column;
	size_t width = left < PANEL ? left : PANEL;
	double *y = simd_line(p->buffer[worker]), *out = y + p->nodes.n * PANEL;

	panel_load(p, worker, column, width, y);
	for (size_t t = 0; t < p->steps.count; t++) {
		double *old = y;

		p->step(&p->nodes, 0, p->nodes.n, &p->steps.step[t], y, out);
		y = out;
		out = old;
	}
	panel_store(p, column, width, y);
}

static void run_panels(struct plan *p, unsigned threads,
		       void (*f)(void *ctx, unsigned worker, size_t panel), void *ctx, size_t cols)
{
	size_t panels = (cols + PANEL - 1) / PANEL;
	unsigned workers = parallel_workers(threads, panels);

	ALLOC(p->buffer, workers);
	ALLOC(p->next, workers);
	for (unsigned w = 0; w < workers; w++) {
		p->buffer[w] = alloc(p->nodes.n * 2 * PANEL + SIMD_LINE, sizeof(double));
		if (!p->sparse)
			continue;
		ALLOC(p->next[w], p->sparse->rows);
		memcpy(p->next[w], p->sparse->start, p->sparse->rows * sizeof(*p->next[w]));
	}
	parallel(threads, panels, f, ctx);
	for (unsigned w = 0; w < workers; w++) {
		free(p->buffer[w]);
		free(p->next[w]);
	}
	free(p->buffer);
	free(p->next);
	filter_plan_release(&p->nodes);
}

static enum err filter(const struct graph *g, enum filter_kind kind, unsigned psi, unsigned threads,
		       const struct csr *sparse, struct mat *X)
{
	struct plan p = { .step = SIMD_PICK_512(panel_step), .sparse = sparse, .dense = X, .X = X };

	TRY(filter_plan_init(&p.nodes, g, kind));
	filter_steps_init(&p.steps, psi);
	/* In one step leaves do not reach each other: what is 0 must be just that. */
	if (psi > 1)
		filter_plan_fold(&p.nodes);
	run_panels(&p, threads, panel_filter, &p, X->cols);
	filter_steps_release(&p.steps);
	return ERR_OK;
}

enum err graph_check_rows(const struct graph *g, size_t rows)
{
	if (rows != g->adjacency.rows)
		return err_set(ERR_INPUT, "filter: %zu rows of features for a graph of %zu nodes",
			       rows, g->adjacency.rows);
	return ERR_OK;
}

enum err graph_filter(const struct graph *g, enum filter_kind kind, unsigned psi, unsigned threads,
		      struct mat *X)
{
	TRY(graph_check_rows(g, X->rows));
	return psi ? filter(g, kind, psi, threads, NULL, X) : ERR_OK;
}

enum err graph_filter_sparse(const struct graph *g, enum filter_kind kind, unsigned psi,
			     unsigned threads, const struct csr *X, struct mat *out)
{
	enum err err;

	TRY(graph_check_rows(g, X->rows));
	if (psi == 0) {
		csr_to_dense(X, out);
		return ERR_OK;
	}
	mat_init(out, X->rows, X->cols);
	err = filter(g, kind, psi, threads, X, out);
	if (err)
		mat_release(out);
	return err;
}

/* -- what each power leaves ---------------------------------------------------------------- */

struct spread {
	struct plan plan;
	size_t cols, powers;
	double *leave; /* D^1/2 in the new order */
	double *term;  /* panels x 2 powers: squares, then spreads; added up in this order */
};

/* Adds ||X_j||^2 and ||X_j - mean||^2 of the panel's columns j, of each power; those beyond the
 * last column are 0. */
static void panel_spread(void *ctx, unsigned worker, size_t panel)
{
	const struct spread *s = ctx;
	const struct plan *p = &s->plan;
	size_t column = panel * PANEL, n = p->nodes.n, powers = s->powers;
	double *y = simd_line(p->buffer[worker]), *out = y + p->nodes.n * PANEL;
	double *term = s->term + panel * 2 * powers;

	panel_load(p, worker, column, min_size(PANEL, s->cols - column), y);
	for (size_t t = 0; t < powers; t++) {
		double *old = y, mean[PANEL] = { 0 }, all[PANEL] = { 0 }, off[PANEL] = { 0 };

		for (size_t i = 0; i < n; i++)
			for (size_t u = 0; u < PANEL; u++)
				mean[u] += s->leave[i] * y[i * PANEL + u];
		for (size_t u = 0; u < PANEL; u++)
			mean[u] /= (double)n;
		for (size_t i = 0; i < n; i++)
			for (size_t u = 0; u < PANEL; u++) {
				double x = s->leave[i] * y[i * PANEL + u], gap = x - mean[u];

				all[u] += x * x;
				off[u] += gap * gap;
			}
		for (size_t u = 0; u < PANEL; u++) {
			term[t] += all[u];
			term[powers + t] += off[u];
		}
		if (t + 1 == powers)
			break;
		p->step(&p->nodes, 0, p->nodes.n, &FILTER_STEP, y, out);
		y = out;
		out = old;
	}
}

enum err graph_filter_spread(const struct graph *g, enum filter_kind kind, unsigned steps,
			     unsigned threads, const struct csr *sparse, const struct mat *dense,
			     double *square, double *spread)
{
	size_t powers = (size_t)steps + 1, panels;
	struct spread s = {
		.plan = { .step = SIMD_PICK_512(panel_step), .sparse = sparse, .dense = dense },
		.powers = powers,
	};

	assert(!sparse != !dense);
	TRY(graph_check_rows(g, sparse ? sparse->rows : dense->rows));
	TRY(filter_plan_init(&s.plan.nodes, g, kind));
	s.cols = sparse ? sparse->cols : dense->cols;
	panels = (s.cols + PANEL - 1) / PANEL;
	ALLOC(s.term, panels * 2 * powers);
	ALLOC(s.leave, s.plan.nodes.n);
	for (size_t i = 0; i < s.plan.nodes.n; i++)
		s.leave[i] = 1 / s.plan.nodes.enter[i];
	run_panels(&s.plan, threads, panel_spread, &s, s.cols);
	for (size_t t = 0; t < powers; t++) {
		square[t] = spread[t] = 0;
		for (size_t panel = 0; panel < panels; panel++) {
			square[t] += s.term[panel * 2 * powers + t];
			spread[t] += s.term[panel * 2 * powers + powers + t];
		}
	}
	free(s.leave);
	free(s.term);
	return ERR_OK;
}
