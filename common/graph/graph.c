#include "common/graph/graph.h"
#include "common/base/alloc.h"
#include "common/graph/modularity.h"
#include "common/linalg/rowsum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void graph_init(struct graph *g, struct csr *adjacency)
{
	struct csr *a = &g->adjacency;
	bool ones = true;

	*g = (struct graph){ .adjacency = *adjacency };
	*adjacency = (struct csr){ 0 };
	assert(a->rows == a->cols);
	ALLOC(g->inv_sqrt_deg, a->rows);
	for (size_t i = 0; i < a->rows; i++) {
		double degree = 1;

		for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
			double w = a->value ? a->value[e] : 1;

			assert(a->index[e] != i);
			degree += w;
			ones = ones && w == 1;
		}
		g->inv_sqrt_deg[i] = 1 / sqrt(degree);
	}
	if (ones) {
		free(a->value);
		a->value = NULL;
	}
}

void graph_release(struct graph *g)
{
	csr_release(&g->adjacency);
	free(g->inv_sqrt_deg);
	*g = (struct graph){ 0 };
}

double modularity_of_ends(const double *degree, size_t k, double within)
{
	double all = 0, expected = 0;

	for (size_t c = 0; c < k; c++)
		all += degree[c];
	for (size_t c = 0; all > 0 && c < k; c++)
		expected += degree[c] / all * (degree[c] / all);
	return all > 0 ? within / all - expected : 0;
}

double modularity(const struct csr *adjacency, const uint32_t *label, size_t k)
{
	const struct csr *a = adjacency;
	const double *ends;
	struct rowsum sum;
	double result;

	rowsum_init(&sum, k + 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(a->rows); b++) {
		size_t first = b * ROWSUM_ROWS, last = first + rowsum_rows(a->rows, b);
		double *to = rowsum_open(&sum);

		for (size_t i = first; i < last; i++) {
			assert(label[i] < k);
			for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
				double w = a->value ? a->value[e] : 1;

				to[label[i]] += w;
				if (label[a->index[e]] == label[i])
					to[k] += w;
			}
		}
		rowsum_close(&sum);
	}
	ends = rowsum_end(&sum);
	result = modularity_of_ends(ends, k, ends[k]);
	rowsum_release(&sum);
	return result;
}
