/* graphs.h -- many small graphs in one sparse matrix, and the node features that FedGCN (Liu et
 * al., AAAI 2025) computes from them. */
#ifndef COMMON_GRAPH_GRAPHS_H
#define COMMON_GRAPH_GRAPHS_H

#include "common/base/err.h"
#include "common/linalg/csr.h"

#include <stddef.h>

struct graphs {
	size_t count;
	size_t *first; /* count + 1: graph g has nodes first[g] .. first[g+1]-1 */
	/* nodes x nodes, symmetric, no self-loops, all ones, no edge between graphs */
	struct csr A;
	struct mat attribute; /* nodes x width; empty (0 x 0) if there are none */
};

void graphs_release(struct graphs *g);

static inline size_t graphs_nodes(const struct graphs *g)
{
	return g->first[g->count];
}

enum graphs_features {
	/* 32 features: the degree, limited to 1 .. 16 and one-hot; then the diagonals of (D^-1 A)^t
	 * for t = 1 .. 16 (equation 3). */
	GRAPHS_STRUCTURE,
	/* 98 features, for graphs whose edges are lines: GRAPHS_STRUCTURE, the first two attributes
	 * (coordinates from 0 to 3, as in the Letter sets), and position and direction of the lines
	 * at each node. */
	GRAPHS_DRAWING,
	/* 34 features: GRAPHS_STRUCTURE and the first two attributes. */
	GRAPHS_COORDINATES,
};
enum {
	GRAPHS_DEGREES = 16,
	GRAPHS_WALKS = 16,
	GRAPHS_LINES = 64, /* the last columns of GRAPHS_DRAWING: 4 directions of 4 x 4 cells */
};

size_t graphs_width(enum graphs_features what);

/* F: nodes x graphs_width() floats, owned by the caller. ERR_INPUT if the features need coordinates
 * and nodes have fewer than two attributes. O(sum over graphs of nodes x edges x 8), less if 8
 * steps of a walk do not reach all nodes. Bitwise identical for any number of threads. */
enum err graphs_features(const struct graphs *g, enum graphs_features what, unsigned threads,
			 float **F) MUST_CHECK;

#endif
