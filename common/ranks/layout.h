/* layout.h -- rows of a graph that one rank has, laid out for the steps of the filter (graph/filter_plan.h): which rows of
 * others they are joined to, and which leaves lie with whom. For filter.c. */
#ifndef COMMON_RANKS_LAYOUT_H
#define COMMON_RANKS_LAYOUT_H

#include "common/graph/filter_plan.h"
#include "common/graph/filter_steps.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>

/* Numbers of rows, by rank: count[q] of each. */
struct lists {
	size_t *count; /* of each rank */
	uint32_t *item;
};

struct ranks_steps {
	const struct ranks *R;
	const struct csr *rows; /* until the plan stands */
	enum filter_kind kind;
	size_t n, first;
	struct filter_plan plan; /* order: rows of X, those beyond n of taken */
	struct filter_steps steps;
	size_t ghosts;    /* rows of others that this rank's are joined to */
	uint32_t *ghost;  /* their numbers, rising */
	uint32_t *at;     /* of each entry of rows: a row of this rank, or n + a ghost's place */
	uint32_t *row;    /* of each of these: its row of the plan, or FOLDED */
	uint32_t *degree; /* of each of these: how many neighbours it has */
	double *enter;    /* of each of these D^-1/2, where edges have weights and the filter is the mean one; else NULL */
	bool *gone;       /* of each of these: lies with another rank, or as part of a row */
	struct lists want,
	    give; /* ghosts by owner, and which rows (of X, then of the plan) others asked for */
	struct lists taken,
	    sent;     /* leaves that lie here for others, n + ghost's place; and own at others */
	struct mat X; /* of the taken ones */
};

/* fold: leaves of one node may be one row, where an eighth of the rows of all go. rows: looked at here alone. */
struct ranks_steps ranks_layout(const struct ranks *R, const struct csr *rows, enum filter_kind kind, bool fold);
void ranks_layout_release(struct ranks_steps *k);
size_t lists_all(const struct lists *l, const struct ranks *R); /* how many items there are */

#endif
