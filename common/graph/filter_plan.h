/* filter_plan.h -- a graph laid out for the steps of its filter.
 *
 * With Y = D^-1/2 X (D, A and S: filter.h), a step X <- keep X + take S X becomes Y <- keep Y +
 * take D^-1 (A + I) Y, which needs no product per edge (keep and take are diagonal; all their
 * entries are equal except for FILTER_MEAN). Nodes are renumbered breadth first, so that neighbours
 * lie close, and by degree within windows. Each node keeps the order of its neighbours, so that
 * sums stay bitwise identical. For filter_panels.c and filtered.c. */
#ifndef COMMON_GRAPH_FILTER_PLAN_H
#define COMMON_GRAPH_FILTER_PLAN_H

#include "common/graph/filter.h"
#include "common/graph/filter_peers.h"

struct filter_plan {
	size_t n;        /* number of rows: one for each node, or fewer if leaves are folded */
	uint32_t *order; /* new number -> node, a row of X */
	/* n + 1 starts: row i is the sum of nodes order[of[i]] .. order[of[i + 1] - 1]; NULL: row i
	 * is node order[i] */
	size_t *of;
	size_t *start;
	uint32_t *index;            /* neighbours in new numbers; from n on: rows of other ranks */
	double *value;              /* edge weights in the new order; NULL: all ones */
	double *enter;              /* D^-1/2 in the new order, then of rows of other ranks */
	double *keep;               /* n values: `keep` of the step above, in the new order */
	double *take;               /* n values: `take` of that step, times D^-1 */
	struct filter_peers *peers; /* with distributed nodes; else NULL */
};

/* Lays out a graph for its filter. fold: the leaves of one node, which have no other neighbour,
 * become one row, which is their sum. In each step all leaves of a node receive the same value from
 * the node. So the deviations of the leaves from their mean only shrink, by the factor keep + take
 * of the row. A row folds at most FOLD_MOST leaves; if edges have weights, nothing is folded.
 * Folding is applied only if it saves at least an eighth of the rows. It leaves 13446 of pubmed's
 * 19717 rows, with which kCAGC's whole embedding takes a fifth less time; cora, citeseer and wiki
 * are not folded. Folded sums have other rounding errors.
 *
 * Returns errors only for FILTER_SPECTRAL: those of graph_lambda_max(). FILTER_SPECTRAL does not
 * work with ranks. O(nnz + n) besides graph_lambda_max(). */
enum { FOLD_MOST = 16 };
enum err filter_plan_init(struct filter_plan *p, const struct graph *g, enum filter_kind kind,
			  bool fold) MUST_CHECK;

static inline size_t filter_plan_first(const struct filter_plan *p, size_t i)
{
	return p->of ? p->of[i] : i;
}

void filter_plan_release(struct filter_plan *p);

/* Returns ERR_INPUT unless `rows` is the graph's number of nodes. */
enum err graph_check_rows(const struct graph *g, size_t rows) MUST_CHECK;

#endif
