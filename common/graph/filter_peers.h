/* filter_peers.h -- nodes that a filter's plan is made of. Where ranks share them: rows of other
 * ranks that its steps read, and leaves that lie with the rank of their node. For filter_plan.c and
 * filter.c. */
#ifndef COMMON_GRAPH_FILTER_PEERS_H
#define COMMON_GRAPH_FILTER_PEERS_H

#include "common/graph/graph.h"
#include "common/linalg/halo.h"

#include <stdbool.h>

/* Rows that a rank sends to others and receives from them in a step of its filter. */
struct filter_peers {
	const struct ranks *R;
	size_t n;                 /* this rank's nodes, rows of X */
	size_t others;            /* rows of others, behind the plan's */
	size_t *want;             /* of them from each rank */
	struct rows_by_rank give; /* rows of the plan that others read */
	struct rows_by_rank sent; /* nodes of this rank that lie as leaves with another */
	size_t *taken; /* leaves of each rank that lie here: rows n, n + 1, .. of X */
};

struct filter_nodes {
	size_t rows, others; /* nodes that lie here; others that they are joined to, behind them */
	size_t *start;       /* rows + 1 */
	uint32_t *index;     /* neighbours of each, in the order of the graph */
	double *value;       /* or NULL */
	double *enter;       /* D^-1/2: rows + others */
	uint32_t *node;      /* of each row that lies here: its row of X; NULL: the same */
	bool fold;           /* leaves of one node are one row, FOLD_MOST of them at a time */
	struct filter_peers *peers; /* NULL: all nodes are here */
};

/* fold: is wanted; s->fold: and an eighth of the nodes of all or more go by it, and edges have no
 * weights. Without ranks all else is g's own. O(edges), with ranks O(edges log others) and 16 bytes
 * for each edge and node. */
void filter_nodes_init(struct filter_nodes *s, const struct graph *g, bool fold);
void filter_nodes_release(struct filter_nodes *s); /* all but peers, which go on to the plan */

void filter_peers_free(struct filter_peers *p); /* accepts NULL */
/* row: the plan's row of each node that lies here alone in its row. */
void filter_peers_place(struct filter_peers *p, const uint32_t *row);
/* Rows of leaves that lie here are appended to X; and go back to their ranks. */
void filter_peers_take(const struct filter_peers *p, struct mat *X);
void filter_peers_give_back(const struct filter_peers *p, struct mat *X);
/* How many rows others read. */
size_t filter_peers_given(const struct filter_peers *p);
/* y (rows x width) gets the rows of others behind its own. box: room for filter_peers_given() rows;
 * may be where a step writes next. */
void filter_peers_fetch(const struct filter_peers *p, size_t rows, size_t width, double *y,
			double *box);

#endif
