#include "common/graph/graph.h"
#include "common/base/alloc.h"
#include "common/graph/modularity.h"
#include "common/linalg/rowsum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

double graph_inv_sqrt_deg(const struct csr *a, size_t row)
{
	double degree = 1;

	for (size_t e = a->start[row]; e < a->start[row + 1]; e++)
		degree += a->value ? a->value[e] : 1;
	return 1 / sqrt(degree);
}

void graph_init(struct graph *g, struct csr *adjacency)
{
	struct csr *a = &g->adjacency;
	bool ones = true;

	*g = (struct graph){ .adjacency = *adjacency };
	*adjacency = (struct csr){ 0 };
	assert(a->rows == a->cols);
	ALLOC(g->inv_sqrt_deg, a->rows);
	for (size_t i = 0; i < a->rows; i++) {
		for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
			assert(a->index[e] != i);
			ones = ones && (!a->value || a->value[e] == 1);
		}
		g->inv_sqrt_deg[i] = graph_inv_sqrt_deg(a, i);
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

void modularity_add(const struct csr *a, const uint32_t *label, label_of *of, const void *ctx,
		    size_t k, struct rowsum *sum)
{
	for (size_t b = 0; b < rowsum_blocks(a->rows); b++) {
		size_t first = b * ROWSUM_ROWS, last = first + rowsum_rows(a->rows, b);
		double *to = rowsum_open(sum);

		for (size_t i = first; i < last; i++) {
			assert(label[i] < k);
			for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
				double w = a->value ? a->value[e] : 1;

				to[label[i]] += w;
				if (of(ctx, a->index[e]) == label[i])
					to[k] += w;
			}
		}
		rowsum_close(sum);
	}
}

static uint32_t own_label(const void *label, uint32_t row)
{
	return ((const uint32_t *)label)[row];
}

double modularity(const struct csr *adjacency, const uint32_t *label, size_t k)
{
	const double *ends;
	struct rowsum sum;
	double result;

	rowsum_init(&sum, k + 1, NULL, NULL);
	modularity_add(adjacency, label, own_label, label, k, &sum);
	ends = rowsum_end(&sum);
	result = modularity_of_ends(ends, k, ends[k]);
	rowsum_release(&sum);
	return result;
}
