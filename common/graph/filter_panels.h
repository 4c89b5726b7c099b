/* filter_panels.h -- moves columns through the steps of a filter, panel by panel. For filter.c and
 * filter_run.c. */
#ifndef COMMON_GRAPH_FILTER_PANELS_H
#define COMMON_GRAPH_FILTER_PANELS_H

#include "common/graph/filter.h"
#include "common/graph/filter_plan.h"
#include "common/graph/filter_steps.h"

#include <stdbool.h>

typedef void panel_step_fn(const struct filter_plan *p, size_t first, size_t last,
			   const struct filter_step *t, const double *restrict y,
			   double *restrict out);

/* Released by panels_release_room(), filter_plan_release(&p->nodes) and free(p->leave). */
struct panels {
	struct filter_plan nodes;
	panel_step_fn *step;
	struct filter_steps steps;
	/* source of columns while they are loaded: either `sparse` or `dense`; else NULL */
	const struct csr *sparse;
	const struct mat *dense;
	struct mat *X; /* destination of panels_run() */
	size_t width;
	size_t rows;
	unsigned workers; /* number of workers that have buffers */
	double **buffer;  /* per worker: two panels */
	size_t **next;    /* per worker, for sparse columns: `next` of node_load() */
	/* scratch for rows that other ranks read, needed if a step reads its own output buffer */
	double *box;
	filter_see *see; /* or NULL */
	void *see_ctx;
	double *leave; /* for a filter_view: D^1/2 in the plan's order; NULL before first use */
	double *held;  /* the panel of panels_hold(), in `buffer`; or NULL */
};

/* Rows first .. end - 1 of a panel. The panel has the `width` columns of X from `column` on, and
 * zeros behind them. */
struct panel {
	size_t column, width, first, end;
};

/* fold: as for filter_plan_init(), of which these are the errors. */
enum err panels_begin(struct panels *p, const struct graph *g, enum filter_kind kind,
		      bool fold) MUST_CHECK;
/* Allocates two panels for each worker. */
void panels_make_room(struct panels *p, unsigned workers);
void panels_release_room(struct panels *p);

/* Runs the steps for psi on all columns of X. Allocates panels for the workers if there are too
 * few; the caller releases them. */
void panels_run(struct panels *p, unsigned psi, unsigned threads, struct mat *X);

/* panels_of(): number of panels for cols columns. panel_at(): one of them, with all rows. */
size_t panels_of(const struct panels *p, size_t cols);
struct panel panel_at(const struct panels *p, size_t number, size_t cols);
/* Loads columns of the source into y. A worker loads sparse columns from left to right. */
void panel_load(const struct panels *p, unsigned worker, const struct panel *at, double *y);
/* Moves y one step, to out. */
void panel_move(const struct panels *p, const struct filter_step *t, double *y, double *out);

/* Releases the room, then copies X, of at most SPREAD_PANEL columns, to one panel of that width.
 * panels_move_held() moves it one step. Ends with the next panels_run() or panels_release_room().
 * Nodes are not distributed. */
void panels_hold(struct panels *p, unsigned threads, const struct mat *X);
void panels_move_held(struct panels *p, unsigned threads);

#endif
