#include "common/graph/graph.h"
#include "common/base/alloc.h"
#include "common/linalg/halo.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double inv_sqrt_deg(const struct csr *a, size_t row)
{
	double degree = 1;

	for (size_t e = a->start[row]; e < a->start[row + 1]; e++)
		degree += a->value ? a->value[e] : 1;
	return 1 / sqrt(degree);
}

void graph_init_part(struct graph *g, struct csr *adjacency, const struct ranks *R)
{
	*g = (struct graph){ .adjacency = *adjacency, .ranks = R };
	*adjacency = (struct csr){ 0 };
	ALLOC(g->inv_sqrt_deg, g->adjacency.rows);
	for (size_t i = 0; i < g->adjacency.rows; i++)
		g->inv_sqrt_deg[i] = inv_sqrt_deg(&g->adjacency, i);
}

void graph_init(struct graph *g, struct csr *adjacency)
{
	struct csr *a = &g->adjacency;
	bool ones = true;

	graph_init_part(g, adjacency, NULL);
	assert(a->rows == a->cols);
	for (size_t i = 0; i < a->rows; i++)
		for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
			assert(a->index[e] != i);
			ones = ones && (!a->value || a->value[e] == 1);
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

/* Computes the modularity from weights of edge ends. degree (k): for each cluster, the weight of
 * all edge ends in it. within: the weight of the ends of all edges that lie inside a cluster. */
static double modularity_of_ends(const double *degree, size_t k, double within)
{
	double all = 0, expected = 0;

	for (size_t c = 0; c < k; c++)
		all += degree[c];
	for (size_t c = 0; all > 0 && c < k; c++)
		expected += degree[c] / all * (degree[c] / all);
	return all > 0 ? within / all - expected : 0;
}

/* Adds the weights of a node's edges to *all, and of those within its cluster to *within. Counts
 * edges without weights as integers, which is several times faster and equally exact. */
static void add_ends_of(const struct csr *a, size_t i, const uint32_t *at, const uint32_t *label,
			double *all, double *within)
{
	size_t begin = a->start[i], end = a->start[i + 1], inside = 0;
	double sum = *all, own = *within;

	if (!a->value) {
		for (size_t e = begin; e < end; e++)
			inside += label[at[e]] == label[i];
		*all += (double)(end - begin);
		*within += (double)inside;
		return;
	}
	for (size_t e = begin; e < end; e++) {
		sum += a->value[e];
		own += label[at[e]] == label[i] ? a->value[e] : 0;
	}
	*all = sum;
	*within = own;
}

/* Adds k + 1 numbers to `sum`: degree and within of modularity_of_ends(). label: per node; at: per
 * entry of a, the index of its label. */
static void add_ends(const struct csr *a, const uint32_t *at, const uint32_t *label, size_t k,
		     struct rowsum *sum)
{
	for (size_t b = 0; b < rowsum_blocks(a->rows); b++) {
		size_t first = b * ROWSUM_ROWS, last = first + rowsum_rows(a->rows, b);
		double *to = rowsum_open(sum);

		for (size_t i = first; i < last; i++) {
			assert(label[i] < k);
			add_ends_of(a, i, at, label, to + label[i], to + k);
		}
		rowsum_close(sum);
	}
}

double modularity(const struct graph *g, const uint32_t *label, size_t k)
{
	size_t n = g->adjacency.rows;
	double *ends = alloc(k + 1, sizeof(*ends)), result;
	uint32_t *all = NULL;
	struct rowsum sum;
	struct halo h;

	halo_init(&h, g->ranks, &g->adjacency);
	if (g->ranks) { /* this rank's labels, then those of others' adjacent nodes */
		all = alloc(n + h.count, sizeof(*all));
		memcpy(all, label, n * sizeof(*all));
		halo_fetch(&h, sizeof(*all), label, all + n);
	}
	ranks_sum_begin(g->ranks, &sum, k + 1, NULL, NULL);
	add_ends(&g->adjacency, h.at, all ? all : label, k, &sum);
	ranks_sum_end(g->ranks, &sum, ends);
	result = modularity_of_ends(ends, k, ends[k]);
	halo_release(&h);
	free(all);
	free(ends);
	return result;
}
