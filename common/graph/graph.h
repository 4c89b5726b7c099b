/* graph.h -- an undirected graph with the degrees that its filters need. */
#ifndef COMMON_GRAPH_GRAPH_H
#define COMMON_GRAPH_GRAPH_H

#include "common/linalg/csr.h"

struct graph {
	struct csr adjacency; /* symmetric, no self-loops; values NULL (unweighted) or > 0 */
	double *inv_sqrt_deg; /* n values (D of A + I)^-1/2; owned */
};

/* Takes over *adjacency (which becomes empty) and computes the degrees. O(nnz + n). */
void graph_init(struct graph *g, struct csr *adjacency);
void graph_release(struct graph *g);

#endif
