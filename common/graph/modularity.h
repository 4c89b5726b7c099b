/* modularity.h -- graph.h's modularity by what it is made of, for ranks, which have some of the rows. */
#ifndef COMMON_GRAPH_MODULARITY_H
#define COMMON_GRAPH_MODULARITY_H

#include "common/linalg/csr.h"
#include "common/linalg/rowsum.h"

/* degree (k): ends of edges in each cluster; within: of edges between nodes of one cluster. */
double modularity_of_ends(const double *degree, size_t k, double within);

/* Both of some rows, whole blocks, go into sum: k + 1 numbers, begun. label: of these rows, below k; of(ctx, row): of a row
 * that an edge leads to. O(edges). */
typedef uint32_t label_of(const void *ctx, uint32_t row);
void modularity_add(const struct csr *a, const uint32_t *label, label_of *of, const void *ctx, size_t k,
		    struct rowsum *sum);

#endif
