/* Makes small random graphs for tests of code that computes on graphs. */
#ifndef TESTS_UNIT_GRAPH_GRAPHS_H
#define TESTS_UNIT_GRAPH_GRAPHS_H

#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/graph/graphs.h"

#include <stdlib.h>

/* Makes `count` graphs of 1 to `most` nodes with two attributes each. Each pair of nodes has an
 * edge with probability p. */
static inline void random_graphs(struct graphs *g, size_t count, size_t most, double p,
				 uint64_t seed)
{
	struct triple *t;
	struct rng rng;
	size_t edges = 0, nodes;

	rng_seed(&rng, seed, 0);
	*g = (struct graphs){ .count = count };
	ALLOC(g->first, count + 1);
	for (size_t i = 0; i < count; i++)
		g->first[i + 1] = g->first[i] + 1 + rng_below(&rng, most);
	nodes = g->first[count];
	ALLOC(t, nodes * most * 2);
	for (size_t i = 0; i < count; i++) {
		for (size_t u = g->first[i]; u < g->first[i + 1]; u++) {
			for (size_t v = u + 1; v < g->first[i + 1]; v++) {
				if (rng_unit(&rng) >= p)
					continue;
				t[edges++] = (struct triple){ (uint32_t)u, (uint32_t)v, 1 };
				t[edges++] = (struct triple){ (uint32_t)v, (uint32_t)u, 1 };
			}
		}
	}
	csr_from_triples(&g->A, nodes, nodes, t, edges);
	free(g->A.value);
	g->A.value = NULL;
	free(t);
	mat_init(&g->attribute, nodes, 2);
	for (size_t i = 0; i < 2 * nodes; i++)
		g->attribute.a[i] = 3 * rng_unit(&rng);
}

#endif
