#include "common/graph/graph.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static bool all_ones(const struct csr *a)
{
	for (size_t e = 0; e < a->start[a->rows]; e++)
		if (a->value[e] != 1)
			return false;
	return true;
}

void graph_init(struct graph *g, struct csr *adjacency)
{
	*g = (struct graph){ .adjacency = *adjacency };
	*adjacency = (struct csr){ 0 };
	assert(g->adjacency.rows == g->adjacency.cols);
	if (g->adjacency.value && all_ones(&g->adjacency)) {
		free(g->adjacency.value);
		g->adjacency.value = NULL;
	}
	ALLOC(g->inv_sqrt_deg, g->adjacency.rows);
	for (size_t i = 0; i < g->adjacency.rows; i++) {
		double degree = 1;

		for (size_t e = g->adjacency.start[i]; e < g->adjacency.start[i + 1]; e++) {
			assert(g->adjacency.index[e] != i);
			degree += g->adjacency.value ? g->adjacency.value[e] : 1;
		}
		g->inv_sqrt_deg[i] = 1 / sqrt(degree);
	}
}

void graph_release(struct graph *g)
{
	csr_release(&g->adjacency);
	free(g->inv_sqrt_deg);
	*g = (struct graph){ 0 };
}
