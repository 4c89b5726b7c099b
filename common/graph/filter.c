#include "common/graph/filter.h"
#include "common/base/alloc.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filter_steps.h"
#include "common/graph/spread.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Width of a panel: the columns that go through all steps together. For tens of thousands of nodes,
 * two buffers of 32 columns fit into the last-level cache. Narrower panels read the graph too often
 * (16 columns: 5 to 30 % slower). A row of a panel fills whole cache lines; unaligned rows make the
 * filter a third slower.
 *
 * With LARGE nodes or more, no panel fits into the cache. Then 16 columns are as fast as 32 and
 * take half the memory, and threads share a panel, CHUNK rows at a time. With fewer nodes, each
 * thread has its own panel. */
enum { PANEL = SPREAD_PANEL, NARROW = FILTER_PANEL, LARGE = 1 << 17, CHUNK = 8192 };

/* Width of a panel with distributed nodes. The panel also holds rows of other ranks and takes most
 * of a rank's memory. The bytes exchanged do not depend on this width. */
enum { SHARED = SPREAD_COLUMNS };

typedef void panel_step_fn(const struct filter_plan *p, size_t first, size_t last,
			   const struct filter_step *t, const double *restrict y,
			   double *restrict out);

struct plan {
	struct filter_plan nodes;
	panel_step_fn *step;
	struct filter_steps steps;
	/* source of columns: either `sparse` or `dense`; the other pointer is NULL */
	const struct csr *sparse;
	const struct mat *dense;
	struct mat *X; /* destination; NULL in graph_filter_spread() */
	size_t width;
	size_t rows;
	unsigned workers; /* number of workers that have buffers */
	double **buffer;  /* per worker: two panels */
	size_t **next;    /* per worker, for sparse columns: `next` of node_load() */
	/* scratch for rows that other ranks read, needed if a step reads its own output buffer */
	double *box;
	filter_see *see; /* or NULL */
	void *see_ctx;
	double *leave; /* for `see`: D^1/2 in the plan's order; NULL before filter_run_steps() */
};

#define COLUMNS PANEL
#define STEP    panel_step
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
#undef COLUMNS
#define COLUMNS NARROW
#define STEP    narrow_step
#define VEC     vec2
#define TARGET
#include "common/graph/filter_step.inc"
#ifdef SIMD_AVX2
#define STEP   narrow_step_avx2
#define VEC    vec4
#define TARGET __attribute__((target("avx2")))
#include "common/graph/filter_step.inc"
#define STEP   narrow_step_avx512
#define VEC    vec8
#define TARGET __attribute__((target("avx512f")))
#include "common/graph/filter_step.inc"
#endif

#undef COLUMNS
#define COLUMNS SHARED
#define STEP    shared_step
#define VEC     vec2
#define TARGET
#include "common/graph/filter_step.inc"
#ifdef SIMD_AVX2
#define STEP   shared_step_avx2
#define VEC    vec4
#define TARGET __attribute__((target("avx2")))
#include "common/graph/filter_step.inc"
#define STEP   shared_step_avx512
#define VEC    vec8
#define TARGET __attribute__((target("avx512f")))
#include "common/graph/filter_step.inc"
#endif

static void choose_width(struct plan *p)
{
	const struct filter_peers *peers = p->nodes.peers;
	bool large = p->nodes.n >= LARGE;

	p->width = large ? NARROW : PANEL;
	p->step = large ? SIMD_PICK_512(narrow_step) : SIMD_PICK_512(panel_step);
	p->rows = p->nodes.n;
	if (!peers)
		return;
	p->width = SHARED;
	p->step = SIMD_PICK_512(shared_step);
	p->rows += peers->others;
	if (filter_peers_given(peers) > p->rows)
		p->rows = filter_peers_given(peers);
}

static bool is_large(const struct plan *p)
{
	return p->nodes.n >= LARGE && !p->nodes.peers;
}

/* Adds scale times a node's features to `to`: to[u] increases by scale times the feature in column
 * `column` + u. If the node is a folded leaf (filter_plan.h) and features are sparse, also stores
 * its features in X, which is still 0. A worker calls this with increasing `column`. next: for each
 * node, the first sparse entry that is not before the current columns. */
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
	while (e < end && s->index[e] < column) /* skips columns before this panel */
		e++;
	for (; e < end && s->index[e] < column + width; e++) {
		double x = s->value ? s->value[e] : 1;

		to[s->index[e] - column] += scale * x;
		if (leaf)
			MAT(p->X, node, s->index[e]) = x;
	}
	next[node] = e;
}

/* Rows first .. end - 1 of a panel. The panel has the `width` columns of X from `column` on, and
 * zeros behind them. */
struct panel {
	size_t column, width, first, end;
};

static void panel_load(const struct plan *p, unsigned worker, const struct panel *at, double *y)
{
	memset(y + at->first * p->width, 0, (at->end - at->first) * p->width * sizeof(*y));
	for (size_t i = at->first; i < at->end; i++) {
		size_t first = filter_plan_first(&p->nodes, i),
		       end = filter_plan_first(&p->nodes, i + 1);

		for (size_t j = first; j < end; j++)
			node_load(p, p->nodes.order[j], p->nodes.enter[i], end - first > 1,
				  at->column, at->width, p->next[worker], y + i * p->width);
	}
}

/* Stores the rows and unfolds leaves (filter_plan.h). A row y may be the sum of several leaves.
 * Each leaf becomes their new mean plus `fade` times its initial deviation from their initial mean.
 * X still holds the initial values. */
static void panel_store(const struct plan *p, const struct panel *at, const double *y)
{
	const struct filter_plan *nodes = &p->nodes;
	size_t column = at->column, width = at->width;
	/* step and fade are kept from one folded row to the next, which mostly has the same
	 * values */
	double step = NAN, fade = NAN;

	y += at->first * p->width;
	for (size_t i = at->first; i < at->end; i++, y += p->width) {
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

static struct panel panel_at(const struct plan *p, size_t number, size_t cols)
{
	size_t column = number * p->width;

	return (struct panel){ .column = column,
			       .width = min_size(p->width, cols - column),
			       .end = p->nodes.n };
}

static void step_panel(const struct plan *p, const struct filter_step *t, double *y, double *out)
{
	if (p->nodes.peers)
		filter_peers_fetch(p->nodes.peers, p->nodes.n, p->width, y, p->box ? p->box : out);
	p->step(&p->nodes, 0, p->nodes.n, t, y, out);
}

static void panel_show(const struct plan *p, size_t step, const struct panel *at, const double *y)
{
	struct filter_view view = { .n = p->nodes.n,
				    .column = at->column,
				    .width = at->width,
				    .stride = p->width,
				    .y = y,
				    .leave = p->leave,
				    .order = p->nodes.order };

	if (p->see)
		p->see(p->see_ctx, step, &view);
}

static void panel_filter(void *ctx, unsigned worker, size_t number)
{
	const struct plan *p = ctx;
	struct panel at = panel_at(p, number, p->X->cols);
	double *y = simd_line(p->buffer[worker]), *out = y + p->rows * p->width;

	panel_load(p, worker, &at, y);
	for (size_t t = 0; t < p->steps.count; t++) {
		double *old = y;

		step_panel(p, &p->steps.step[t], y, out);
		y = out;
		out = old;
		panel_show(p, t, &at, y);
	}
	panel_store(p, &at, y);
}

/* A panel for all threads: loaded, moved one step, or stored. */
struct shared {
	const struct plan *p;
	struct panel at;
	const struct filter_step *t;
	double *y, *out; /* out: destination of a step; else NULL */
	bool load;
};

static void shared_chunk(void *ctx, unsigned worker, size_t chunk)
{
	const struct shared *s = ctx;
	struct panel at = s->at;

	(void)worker;
	at.first = chunk * CHUNK;
	at.end = min_size(at.first + CHUNK, s->at.end);
	if (s->out)
		s->p->step(&s->p->nodes, at.first, at.end, s->t, s->y, s->out);
	else if (s->load)
		panel_load(s->p, 0, &at, s->y);
	else
		panel_store(s->p, &at, s->y);
}

static void shared_filter(const struct plan *p, unsigned threads, size_t number)
{
	size_t n = p->nodes.n, chunks = (n + CHUNK - 1) / CHUNK;
	double *y = simd_line(p->buffer[0]), *other = y + n * p->width;
	struct shared s = { .p = p, .at = panel_at(p, number, p->X->cols), .y = y, .load = true };

	parallel(threads, chunks, shared_chunk, &s);
	for (size_t t = 0; t < p->steps.count; t++) {
		s.t = &p->steps.step[t];
		s.out = other;
		parallel(threads, chunks, shared_chunk, &s);
		other = s.y;
		s.y = s.out;
		panel_show(p, t, &s.at, s.y);
	}
	s.load = false;
	s.out = NULL;
	parallel(threads, chunks, shared_chunk, &s);
}

static void graph_filter_make_room(struct plan *p, unsigned workers)
{
	p->workers = workers;
	ALLOC(p->buffer, workers);
	ALLOC(p->next, workers);
	for (unsigned w = 0; w < workers; w++) {
		p->buffer[w] = alloc(p->rows * 2 * p->width + SIMD_LINE, sizeof(double));
		if (!p->sparse)
			continue;
		ALLOC(p->next[w], p->sparse->rows);
		memcpy(p->next[w], p->sparse->start, p->sparse->rows * sizeof(*p->next[w]));
	}
}

static void release_room(struct plan *p)
{
	for (unsigned w = 0; w < p->workers; w++) {
		free(p->buffer[w]);
		free(p->next[w]);
	}
	free(p->buffer);
	free(p->next);
	p->workers = 0;
	p->buffer = NULL;
	p->next = NULL;
}

static size_t panels_of(const struct plan *p, size_t cols)
{
	return (cols + p->width - 1) / p->width;
}

static enum err plan_begin(struct plan *p, const struct graph *g, enum filter_kind kind, bool fold)
{
	TRY(filter_plan_init(&p->nodes, g, kind, fold));
	choose_width(p);
	return ERR_OK;
}

/* True if some step also reads the panel from before the previous step. */
static bool steps_look_back(const struct filter_steps *s)
{
	for (size_t t = 0; t < s->count; t++)
		if (s->step[t].back != 0)
			return true;
	return false;
}

/* Runs all steps. Allocates buffers for the workers if the plan has too few; the caller releases
 * them. */
static void common_graph_filter_run(struct plan *p, unsigned psi, unsigned threads, struct mat *X)
{
	const struct filter_peers *peers = p->nodes.peers;
	size_t panels = panels_of(p, X->cols);
	unsigned workers;

	threads = peers ? 1 : threads; /* one thread: ranks exchange rows panel by panel */
	workers = is_large(p) ? 1 : parallel_workers(threads, panels);
	p->X = X;
	filter_steps_init(&p->steps, psi);
	if (p->workers < workers) {
		release_room(p);
		graph_filter_make_room(p, workers);
	}
	if (peers)
		filter_peers_take(peers, X);
	if (peers && steps_look_back(&p->steps))
		p->box = alloc(filter_peers_given(peers), p->width * sizeof(*p->box));
	if (!is_large(p))
		parallel(threads, panels, panel_filter, p);
	for (size_t i = 0; is_large(p) && i < panels; i++)
		shared_filter(p, threads, i);
	free(p->box);
	p->box = NULL;
	if (peers)
		filter_peers_give_back(peers, X);
	filter_steps_release(&p->steps);
}

static enum err graph_filter_run(const struct graph *g, enum filter_kind kind, unsigned psi,
				 unsigned threads, const struct csr *sparse, struct mat *X)
{
	struct plan p = { .sparse = sparse, .dense = X };

	/* In a single step a leaf receives nothing from the other leaves of its node, so its zeros
	 * must stay exactly zero. Unfolding from the leaves' sum would round them. So leaves are
	 * folded (filter_plan.h) only for two steps or more. */
	TRY(plan_begin(&p, g, kind, psi > 1));
	common_graph_filter_run(&p, psi, threads, X);
	release_room(&p);
	filter_plan_release(&p.nodes);
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
	return psi ? graph_filter_run(g, kind, psi, threads, NULL, X) : ERR_OK;
}

enum err graph_filter_sparse(const struct graph *g, enum filter_kind kind, unsigned psi,
			     unsigned threads, const struct csr *X, struct mat *out)
{
	enum err err;

	TRY(graph_check_rows(g, X->rows));
	if (psi == 0 || g->ranks) { /* ranks exchange the rows of leaves as dense rows */
		csr_to_dense(X, out);
		return graph_filter(g, kind, psi, threads, out);
	}
	mat_init(out, X->rows, X->cols);
	err = graph_filter_run(g, kind, psi, threads, X, out);
	if (err)
		mat_release(out);
	return err;
}

/* -- step by step --------------------------------------------------------------------------- */

struct filter_run {
	struct plan plan;
};

enum err filter_run_begin(const struct graph *g, enum filter_kind kind, struct filter_run **r)
{
	enum err err;

	ALLOC(*r, 1);
	err = plan_begin(&(*r)->plan, g, kind, false);
	if (err) {
		free(*r);
		*r = NULL;
	}
	return err;
}

void filter_run_step(struct filter_run *r, unsigned threads, struct mat *X)
{
	r->plan.dense = X;
	common_graph_filter_run(&r->plan, 1, threads, X);
}

void filter_run_steps(struct filter_run *r, unsigned steps, unsigned threads, struct mat *X,
		      filter_see *see, void *ctx)
{
	struct plan *p = &r->plan;
	size_t n = p->nodes.n;

	assert(!p->nodes.peers && filter_steps_count(steps) == steps);
	if (!p->leave) {
		ALLOC(p->leave, n);
		for (size_t i = 0; i < n; i++)
			p->leave[i] = 1 / p->nodes.enter[i];
	}
	p->dense = X;
	p->see = see;
	p->see_ctx = ctx;
	common_graph_filter_run(p, steps, threads, X);
	p->see = NULL;
}

size_t filter_run_panel(const struct filter_run *r)
{
	return r->plan.width;
}

void filter_run_end(struct filter_run *r)
{
	if (r) {
		release_room(&r->plan);
		filter_plan_release(&r->plan.nodes);
		free(r->plan.leave);
	}
	free(r);
}

/* -- norms of powers ------------------------------------------------------------------------ */

struct spread {
	struct plan plan;
	const struct ranks *ranks;
	size_t cols, powers, groups; /* groups: of SPREAD_COLUMNS columns */
	uint32_t *place;             /* node -> row of the plan */
	double *leave;               /* D^1/2 in the plan's order */
	/* groups x 2 powers: for each group the terms of square[] (graph_filter_spread()), then
	 * those of spread[]. They are added in the order of the groups. */
	double *term;
};

/* For each power F^t X and each group of the panel's columns, stores the sums of ||x_j||^2 and of
 * ||x_j - mean_j||^2 over the columns x_j of the group. Columns beyond the last are 0. */
static void panel_spread(void *ctx, unsigned worker, size_t panel)
{
	const struct spread *s = ctx;
	const struct plan *p = &s->plan;
	struct panel at = panel_at(p, panel, s->cols);
	size_t n = p->nodes.n, width = p->width, powers = s->powers, first = panel * width;
	double *y = simd_line(p->buffer[worker]), *out = y + p->rows * width;
	double total[1 + 3 * PANEL];
	struct rowsum sum;

	panel_load(p, worker, &at, y);
	spread_begin_sum(s->ranks, &sum, &width);
	for (size_t t = 0; t < powers; t++) {
		struct spread_rows of = { width, y, s->leave, s->place };
		double *old = y;

		for (size_t b = 0; b < rowsum_blocks(n); b++)
			spread_add(&sum, &of, b * ROWSUM_ROWS, rowsum_rows(n, b));
		ranks_sum(s->ranks, &sum, total);
		for (size_t g = 0; g < width / SPREAD_COLUMNS; g++) {
			size_t group = first / SPREAD_COLUMNS + g;
			double *term = s->term + group * 2 * powers + t;

			if (group < s->groups)
				spread_of_group(total, width, g, term, term + powers);
		}
		if (t + 1 == powers)
			break;
		step_panel(p, &FILTER_STEP, y, out);
		y = out;
		out = old;
	}
	rowsum_release(&sum);
}

static void spread_begin(struct spread *s)
{
	const struct filter_plan *nodes = &s->plan.nodes;

	s->groups = (s->cols + SPREAD_COLUMNS - 1) / SPREAD_COLUMNS;
	ALLOC(s->term, s->groups * 2 * s->powers);
	ALLOC(s->leave, nodes->n);
	ALLOC(s->place, nodes->n);
	for (size_t i = 0; i < nodes->n; i++) {
		s->leave[i] = 1 / nodes->enter[i];
		s->place[nodes->order[i]] = (uint32_t)i;
	}
}

static void spread_end(struct spread *s)
{
	free(s->place);
	free(s->leave);
	free(s->term);
}

enum err graph_filter_spread(const struct graph *g, enum filter_kind kind, unsigned steps,
			     unsigned threads, const struct csr *sparse, const struct mat *dense,
			     double *square, double *spread)
{
	size_t powers = (size_t)steps + 1, panels;
	unsigned workers;
	struct spread s = {
		.plan = { .sparse = sparse, .dense = dense },
		.ranks = g->ranks,
		.powers = powers,
	};

	assert(!sparse != !dense);
	TRY(graph_check_rows(g, sparse ? sparse->rows : dense->rows));
	TRY(plan_begin(&s.plan, g, kind, false));
	s.cols = sparse ? sparse->cols : dense->cols;
	panels = panels_of(&s.plan, s.cols);
	threads = g->ranks ? 1 : threads; /* one thread: ranks exchange rows panel by panel */
	workers = parallel_workers(threads, panels);
	spread_begin(&s);
	graph_filter_make_room(&s.plan, workers);
	parallel(threads, panels, panel_spread, &s);
	release_room(&s.plan);
	filter_plan_release(&s.plan.nodes);
	spread_add_groups(s.term, s.groups, powers, square, spread);
	spread_end(&s);
	return ERR_OK;
}
