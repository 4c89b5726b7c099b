/* modularity.h -- how well clusters of rows that lie on several ranks fit the graph, to the bits of one process. */
#ifndef COMMON_RANKS_MODULARITY_H
#define COMMON_RANKS_MODULARITY_H

#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* graph.h's modularity(), the same at each rank. rows: of the adjacency, this rank's; label: of these rows, below k. Labels
 * of rows elsewhere that an edge leads to come from their ranks. */
double ranks_modularity(const struct ranks *R, const struct csr *rows, const uint32_t *label, size_t k);

#endif
