/* filter_plan.h -- a graph laid out for the steps of its filter.
 *
 * With Y = D^-1/2 X a step X <- keep X + take S X reads Y <- keep Y + take D^-1 (A + I) Y, which
 * needs no product per edge (keep and take are diagonal, and the same for all nodes but in T).
 * Nodes are renumbered breadth first, so that neighbours lie close, and by degree among those near;
 * each keeps the order of its neighbours, so no sum changes by a bit. For filter.c and filtered.c.
 */
#ifndef COMMON_GRAPH_FILTER_PLAN_H
#define COMMON_GRAPH_FILTER_PLAN_H

#include "common/graph/filter.h"
#include "common/graph/filter_peers.h"

struct filter_plan {
	size_t n;        /* rows: nodes, and less where leaves are folded */
	uint32_t *order; /* new number -> node, a row of X */
	size_t *of; /* n + 1: row i is of order[of[i]] .. order[of[i + 1] - 1]; NULL: of order[i] */
	size_t *start;   /* n + 1 */
	uint32_t *index; /* neighbours in new numbers; from n on: rows of other ranks */
	double *value;   /* edge weights in the new order, or NULL: all ones */
	double *enter;   /* D^-1/2 in the new order */
	double *keep;    /* in the new order */
	double *take;    /* take / D in the new order */
	struct filter_peers *peers; /* where ranks share the nodes; or NULL */
};

/* fold: leaves of one node become one row, which stands for their sum: they get the same from that
 * node in each step, so what they differ by from their mean only fades, by keep + take (of the row)
 * a step. No more than FOLD_MOST at once, and none where edges have weights. Only where an eighth
 * of the rows or more go: of pubmed's 19717 there are 13446 left, and embed() takes a fifth less;
 * cora, citeseer and wiki stay as they are, bit by bit. Sums differ in rounding.
 *
 * Errors are those of graph_lambda_max(), for FILTER_SPECTRAL alone, which is not for ranks.
 * O(nnz + n) beyond it. */
enum { FOLD_MOST = 16 };
enum err filter_plan_init(struct filter_plan *p, const struct graph *g, enum filter_kind kind,
			  bool fold) MUST_CHECK;

/* Row i's nodes are order[filter_plan_first(p, i)] .. order[filter_plan_first(p, i + 1) - 1]. */
static inline size_t filter_plan_first(const struct filter_plan *p, size_t i)
{
	return p->of ? p->of[i] : i;
}

void filter_plan_release(struct filter_plan *p);

/* ERR_INPUT unless rows is the graph's number of nodes. */
enum err graph_check_rows(const struct graph *g, size_t rows) MUST_CHECK;

#endif
