#include "common/graph/filter.h"
#include "common/base/alloc.h"
#include "common/graph/filter_panels.h"
#include "common/graph/spread.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <stdlib.h>

static enum err graph_filter_run(const struct graph *g, enum filter_kind kind, unsigned psi,
				 unsigned threads, const struct csr *sparse, struct mat *X)
{
	struct panels p = { .sparse = sparse, .dense = X };

	/* In a single step a leaf receives nothing from the other leaves of its node, so its zeros
	 * must stay exactly zero. Unfolding from the leaves' sum would round them. So leaves are
	 * folded (filter_plan.h) only for two steps or more. */
	TRY(panels_begin(&p, g, kind, psi > 1));
	panels_run(&p, psi, threads, X);
	panels_release_room(&p);
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

/* -- norms of powers ------------------------------------------------------------------------ */

struct spread {
	struct panels panels;
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
	const struct panels *p = &s->panels;
	struct panel at = panel_at(p, panel, s->cols);
	size_t n = p->nodes.n, width = p->width, powers = s->powers, first = panel * width;
	double *y = simd_line(p->buffer[worker]), *out = y + p->rows * width;
	double total[1 + 3 * SPREAD_PANEL];
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
		panel_move(p, &FILTER_STEP, y, out);
		y = out;
		out = old;
	}
	rowsum_release(&sum);
}

static void spread_begin(struct spread *s)
{
	const struct filter_plan *nodes = &s->panels.nodes;

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
		.panels = { .sparse = sparse, .dense = dense },
		.ranks = g->ranks,
		.powers = powers,
	};

	assert(!sparse != !dense);
	TRY(graph_check_rows(g, sparse ? sparse->rows : dense->rows));
	TRY(panels_begin(&s.panels, g, kind, false));
	s.cols = sparse ? sparse->cols : dense->cols;
	panels = panels_of(&s.panels, s.cols);
	threads = g->ranks ? 1 : threads; /* one thread: ranks exchange rows panel by panel */
	workers = parallel_workers(threads, panels);
	spread_begin(&s);
	panels_make_room(&s.panels, workers);
	parallel(threads, panels, panel_spread, &s);
	panels_release_room(&s.panels);
	filter_plan_release(&s.panels.nodes);
	spread_add_groups(s.term, s.groups, powers, square, spread);
	spread_end(&s);
	return ERR_OK;
}
