/* filter_gram.h -- the Gram matrix of filtered features, nearly, for a fraction of the price.
 *
 * Steps on single numbers, which are half as long, of a polynomial that is near the power to 1e-6
 * and not 1e-10 (filter_steps.h): for those who make good afterwards what is missing (refine.h).
 */
#ifndef COMMON_GRAPH_FILTER_GRAM_H
#define COMMON_GRAPH_FILTER_GRAM_H

#include "common/graph/filter_plan.h"

/* Columns that go through all steps together; fewer take as long. */
enum { FILTER_GRAM_COLUMNS = 32 };

/* G (m x m, initialised here) is near F'F, F = p(S) X, by about 1e-6 of its largest eigenvalue. The
 * plan is that of the graph, before anything is folded; X (n x m) is sparse or dense, the other
 * NULL. Sums are taken in double precision. Same bits for any threads. Each column takes half as
 * long as one of graph_filter(), or less. Memory: 4 bytes n m, and a panel per thread. */
void filter_gram(const struct filter_plan *nodes, unsigned psi, unsigned threads,
		 const struct csr *sparse, const struct mat *dense, struct mat *G);

#endif
