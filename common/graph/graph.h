/* graph.h -- an undirected graph with the degrees that its filters need, and its modularity. */
#ifndef COMMON_GRAPH_GRAPH_H
#define COMMON_GRAPH_GRAPH_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

struct graph {
	struct csr adjacency; /* symmetric, no self-loops; values NULL (unweighted) or > 0 */
	double *inv_sqrt_deg; /* n values (degree in A + I)^-1/2; owned */
	/* Processes of this party that share the nodes (ranks.h). Both members above then have this
	 * rank's rows, and columns are numbered over the nodes of all ranks. Borrowed, or NULL. */
	const struct ranks *ranks;
};

/* Takes over *adjacency (which becomes empty) and computes the degrees. Frees values that are
 * all 1. O(nnz + n). */
void graph_init(struct graph *g, struct csr *adjacency);
/* graph_init() for one rank's rows; either all ranks have weights or none. */
void graph_init_part(struct graph *g, struct csr *adjacency, const struct ranks *R);
void graph_release(struct graph *g);
static inline size_t graph_neighbours(const struct graph *g)
{
	return ranks_total(g->ranks, g->adjacency.start[g->adjacency.rows]);
}

/* Returns the modularity of a clustering (Newman 2004): sum_c e_c / 2m - (d_c / 2m)^2. e_c is the
 * weight of edges within cluster c, counted from both ends; d_c the sum of its nodes' degrees; 2m
 * the sum of all degrees. Between -1/2 and 1; 0 for a graph without edges. label: per node of g,
 * below k. The result is the same at each rank. O(nnz + k). */
double modularity(const struct graph *g, const uint32_t *label, size_t k);

#endif
