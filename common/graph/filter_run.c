#include "common/graph/filter.h"
#include "common/base/alloc.h"
#include "common/graph/filter_panels.h"

#include <assert.h>
#include <stdlib.h>

struct filter_run {
	struct panels panels;
	size_t held_cols; /* columns of the matrix of filter_run_hold() */
};

enum err filter_run_begin(const struct graph *g, enum filter_kind kind, struct filter_run **r)
{
	enum err err;

	ALLOC(*r, 1);
	err = panels_begin(&(*r)->panels, g, kind, false);
	if (err) {
		free(*r);
		*r = NULL;
	}
	return err;
}

void filter_run_step(struct filter_run *r, unsigned threads, struct mat *X)
{
	r->panels.dense = X;
	panels_run(&r->panels, 1, threads, X);
}

static void prepare_views(struct panels *p)
{
	size_t n = p->nodes.n;

	if (p->leave)
		return;
	ALLOC(p->leave, n);
	for (size_t i = 0; i < n; i++)
		p->leave[i] = 1 / p->nodes.enter[i];
}

void filter_run_steps(struct filter_run *r, unsigned steps, unsigned threads, struct mat *X,
		      filter_see *see, void *ctx)
{
	struct panels *p = &r->panels;

	assert(!p->nodes.peers && filter_steps_count(steps) == steps);
	prepare_views(p);
	p->dense = X;
	p->see = see;
	p->see_ctx = ctx;
	panels_run(p, steps, threads, X);
	p->see = NULL;
}

size_t filter_run_panel(const struct filter_run *r)
{
	return r->panels.width;
}

void filter_run_hold(struct filter_run *r, unsigned threads, const struct mat *X)
{
	assert(!r->panels.nodes.peers);
	prepare_views(&r->panels);
	panels_hold(&r->panels, threads, X);
	r->held_cols = X->cols;
}

void filter_run_step_held(struct filter_run *r, unsigned threads)
{
	panels_move_held(&r->panels, threads);
}

struct filter_view filter_run_held(const struct filter_run *r)
{
	const struct panels *p = &r->panels;

	assert(p->held);
	return (struct filter_view){ .n = p->nodes.n,
				     .width = r->held_cols,
				     .stride = p->width,
				     .y = p->held,
				     .leave = p->leave,
				     .order = p->nodes.order };
}

void filter_run_end(struct filter_run *r)
{
	if (r) {
		panels_release_room(&r->panels);
		filter_plan_release(&r->panels.nodes);
		free(r->panels.leave);
	}
	free(r);
}
