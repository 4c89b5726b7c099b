#include "common/graph/filter_panels.h"
#include "common/base/alloc.h"
#include "common/graph/spread.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
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

static_assert(2 * FILTER_PANEL == PANEL, "filter_run_hold() takes 2 FILTER_PANEL columns");

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

static void choose_width(struct panels *p)
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

static bool is_large(const struct panels *p)
{
	return p->nodes.n >= LARGE && !p->nodes.peers;
}

/* Adds scale times a node's features to `to`: to[u] increases by scale times the feature in column
 * `column` + u. If the node is a folded leaf (filter_plan.h) and features are sparse, also stores
 * its features in X, which is still 0. A worker calls this with increasing `column`. next: for each
 * node, the first sparse entry that is not before the current columns. */
static void node_load(const struct panels *p, size_t node, double scale, bool leaf, size_t column,
		      size_t width, size_t *next, double *to)
{
	const struct csr *s = p->sparse;
	size_t e, end;

	if (!s) {
		const double *restrict from = ROW(p->dense, node) + column;
		double *restrict sum = to;

		for (size_t u = 0; u < width; u++)
			sum[u] += scale * from[u];
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

void panel_load(const struct panels *p, unsigned worker, const struct panel *at, double *y)
{
	for (size_t i = at->first; i < at->end; i++) {
		size_t first = filter_plan_first(&p->nodes, i),
		       end = filter_plan_first(&p->nodes, i + 1);

		memset(y + i * p->width, 0, p->width * sizeof(*y));
		for (size_t j = first; j < end; j++)
			node_load(p, p->nodes.order[j], p->nodes.enter[i], end - first > 1,
				  at->column, at->width, p->next[worker], y + i * p->width);
	}
}

/* Stores the rows and unfolds leaves (filter_plan.h). A row y may be the sum of several leaves.
 * Each leaf becomes their new mean plus `fade` times its initial deviation from their initial mean.
 * X still holds the initial values. */
static void panel_store(const struct panels *p, const struct panel *at, const double *restrict y)
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
			double *restrict x = ROW(p->X, nodes->order[first]) + column;
			double enter = nodes->enter[i];

			for (size_t u = 0; u < width; u++)
				x[u] = y[u] / enter;
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

struct panel panel_at(const struct panels *p, size_t number, size_t cols)
{
	size_t column = number * p->width;

	return (struct panel){ .column = column,
			       .width = min_size(p->width, cols - column),
			       .end = p->nodes.n };
}

void panel_move(const struct panels *p, const struct filter_step *t, double *y, double *out)
{
	if (p->nodes.peers)
		filter_peers_fetch(p->nodes.peers, p->nodes.n, p->width, y, p->box ? p->box : out);
	p->step(&p->nodes, 0, p->nodes.n, t, y, out);
}

static void panel_show(const struct panels *p, size_t step, const struct panel *at, const double *y)
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
	const struct panels *p = ctx;
	struct panel at = panel_at(p, number, p->X->cols);
	double *y = simd_line(p->buffer[worker]), *out = y + p->rows * p->width;

	panel_load(p, worker, &at, y);
	for (size_t t = 0; t < p->steps.count; t++) {
		double *old = y;

		panel_move(p, &p->steps.step[t], y, out);
		y = out;
		out = old;
		panel_show(p, t, &at, y);
	}
	panel_store(p, &at, y);
}

/* -- one panel for all threads -------------------------------------------------------------- */

/* A panel that is loaded, moved one step, or stored. */
struct shared {
	const struct panels *p;
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

static void shared_pass(struct shared *s, unsigned threads)
{
	parallel(threads, (s->at.end + CHUNK - 1) / CHUNK, shared_chunk, s);
}

/* The first worker's panels are y and `other`. Moves y to `other`, then swaps them. */
static void shared_move(struct shared *s, unsigned threads, const struct filter_step *t,
			double **other)
{
	double *old = s->y;

	s->t = t;
	s->out = *other;
	shared_pass(s, threads);
	s->y = s->out;
	s->out = NULL;
	*other = old;
}

static void shared_filter(const struct panels *p, unsigned threads, size_t number)
{
	double *y = simd_line(p->buffer[0]), *other = y + p->rows * p->width;
	struct shared s = { .p = p, .at = panel_at(p, number, p->X->cols), .y = y, .load = true };

	shared_pass(&s, threads);
	s.load = false;
	for (size_t t = 0; t < p->steps.count; t++) {
		shared_move(&s, threads, &p->steps.step[t], &other);
		panel_show(p, t, &s.at, s.y);
	}
	shared_pass(&s, threads);
}

void panels_hold(struct panels *p, unsigned threads, const struct mat *X)
{
	struct shared s = { .p = p, .load = true };

	assert(X->cols <= PANEL && !p->nodes.peers);
	panels_release_room(p);
	p->width = PANEL;
	p->step = SIMD_PICK_512(panel_step);
	p->dense = X;
	panels_make_room(p, 1);
	s.at = panel_at(p, 0, X->cols);
	s.y = p->held = simd_line(p->buffer[0]);
	shared_pass(&s, threads);
	p->dense = NULL;
}

void panels_move_held(struct panels *p, unsigned threads)
{
	double *first = simd_line(p->buffer[0]), *second = first + p->rows * p->width;
	double *other = p->held == first ? second : first;
	struct shared s = { .p = p, .at = { .end = p->nodes.n }, .y = p->held };

	assert(p->held);
	shared_move(&s, threads, &FILTER_STEP, &other);
	p->held = s.y;
}

/* -- all panels ----------------------------------------------------------------------------- */

void panels_make_room(struct panels *p, unsigned workers)
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

void panels_release_room(struct panels *p)
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
	p->held = NULL;
}

size_t panels_of(const struct panels *p, size_t cols)
{
	return (cols + p->width - 1) / p->width;
}

enum err panels_begin(struct panels *p, const struct graph *g, enum filter_kind kind, bool fold)
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

void panels_run(struct panels *p, unsigned psi, unsigned threads, struct mat *X)
{
	const struct filter_peers *peers = p->nodes.peers;
	size_t panels = panels_of(p, X->cols);
	unsigned workers;

	p->held = NULL;
	threads = peers ? 1 : threads; /* one thread: ranks exchange rows panel by panel */
	workers = is_large(p) ? 1 : parallel_workers(threads, panels);
	p->X = X;
	filter_steps_init(&p->steps, psi);
	if (p->workers < workers) {
		panels_release_room(p);
		panels_make_room(p, workers);
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
