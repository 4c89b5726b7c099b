/* modularity.h -- how well a clustering fits a graph, without labels. */
#ifndef COMMON_GRAPH_MODULARITY_H
#define COMMON_GRAPH_MODULARITY_H

#include "common/linalg/csr.h"

#include <stdint.h>

/* sum_c e_c / 2m - (d_c / 2m)^2 (Newman 2004): e_c the weight of edges within cluster c, counted
 * from both ends, d_c its nodes' degrees, 2m the sum of all degrees. Between -1/2 and 1; 0 for a
 * graph without edges. label: adjacency->rows values below k. O(nnz + k). */
double modularity(const struct csr *adjacency, const uint32_t *label, size_t k);

#endif
