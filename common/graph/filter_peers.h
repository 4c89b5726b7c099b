/* filter_peers.h -- the nodes of a filter's plan, for filter_plan.c and filter_panels.c. With
 * distributed nodes, a plan also reads rows of other ranks, and folded leaves (filter_plan.h) are
 * stored at the rank of their neighbour. */
#ifndef COMMON_GRAPH_FILTER_PEERS_H
#define COMMON_GRAPH_FILTER_PEERS_H

#include "common/graph/graph.h"
#include "common/linalg/halo.h"

#include <stdbool.h>

/* Rows that a rank sends and receives in each step of its filter. */
struct filter_peers {
	const struct ranks *R;
	size_t n;                 /* this rank's nodes, rows of X */
	size_t others;            /* rows of other ranks, stored behind the plan's rows */
	size_t *want;             /* per rank: how many of the `others` it has */
	struct rows_by_rank give; /* rows of the plan that other ranks read */
	struct rows_by_rank sent; /* leaves of this rank that another rank stores */
	/* number of leaves of each rank that this rank stores, as rows n, n + 1, .. of X */
	size_t *taken;
};

struct filter_nodes {
	/* rows: stored nodes. others: adjacent nodes of other ranks, stored behind them. */
	size_t rows, others;
	size_t *start;
	uint32_t *index; /* neighbours, in the order of the graph */
	double *value;
	double *enter;              /* (degree in A + I)^-1/2: rows + others */
	uint32_t *node;             /* row of X for each stored row; NULL: the same row */
	bool fold;                  /* leaves of one node share a row, up to FOLD_MOST of them */
	struct filter_peers *peers; /* NULL: this process has all nodes */
};

/* Prepares the nodes of g. Folds leaves only if `fold` is true, edges have no weights, and folding
 * saves at least an eighth of all nodes; s->fold becomes true then. Without ranks, the arrays are
 * borrowed from g. O(edges). With ranks O(edges log others), and 16 bytes per edge and node. */
void filter_nodes_init(struct filter_nodes *s, const struct graph *g, bool fold);
void filter_nodes_release(struct filter_nodes *s); /* except peers, which the plan takes over */

void filter_peers_free(struct filter_peers *p); /* accepts NULL */
/* Renumbers the rows that other ranks read: row i of the nodes becomes row[i] of the plan. */
void filter_peers_place(struct filter_peers *p, const uint32_t *row);
/* filter_peers_take() appends the rows of leaves that this rank stores to X;
 * filter_peers_give_back() returns them to their ranks. */
void filter_peers_take(const struct filter_peers *p, struct mat *X);
void filter_peers_give_back(const struct filter_peers *p, struct mat *X);
size_t filter_peers_given(const struct filter_peers *p);
/* Receives the rows of other ranks into y (rows x width), behind this rank's own. box: scratch for
 * filter_peers_given() rows; may be the next step's output buffer. */
void filter_peers_fetch(const struct filter_peers *p, size_t rows, size_t width, double *y,
			double *box);

#endif
