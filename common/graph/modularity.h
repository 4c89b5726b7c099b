/* modularity.h -- graph.h's modularity by what it is made of, for ranks, which have some of the rows. */
#ifndef COMMON_GRAPH_MODULARITY_H
#define COMMON_GRAPH_MODULARITY_H

#include <stddef.h>

/* degree (k): ends of edges in each cluster; within: of edges between nodes of one cluster. */
double modularity_of_ends(const double *degree, size_t k, double within);

#endif
