#include "common/math/filter_plan.h"
#include "common/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are sorted by length among each other, and lengths told apart. */
enum { WINDOW = 4096, DEGREES = 64 };

static void breadth_first(const struct csr *a, uint32_t *order)
{
	size_t head = 0, tail = 0;
	bool *seen;

	ALLOC(seen, a->rows);
	for (size_t root = 0; root < a->rows; root++) {
		if (seen[root])
			continue;
		seen[root] = true;
		order[tail++] = (uint32_t)root;
		for (; head < tail; head++)
			for (size_t e = a->start[order[head]]; e < a->start[order[head] + 1]; e++)
				if (!seen[a->index[e]]) {
					seen[a->index[e]] = true;
					order[tail++] = a->index[e];
				}
	}
	free(seen);
}

/* A node's number of neighbours; long rows count as one length. */
static size_t bucket(const struct csr *a, uint32_t node)
{
	size_t degree = a->start[node + 1] - a->start[node];

	return degree < DEGREES ? degree : DEGREES - 1;
}

/* Rows of one length after each other, in windows so short that neighbours stay close: where rows
 * end is then foreseen. On pubmed's graph a step of 8 columns takes a quarter less, one of 32 a
 * little. */
static void group_by_degree(const struct csr *a, uint32_t *order, uint32_t *scratch)
{
	for (size_t first = 0; first < a->rows; first += WINDOW) {
		size_t rows = a->rows - first < WINDOW ? a->rows - first : WINDOW;
		size_t place[DEGREES + 1] = { 0 };

		memcpy(scratch, order + first, rows * sizeof(*scratch));
		for (size_t i = 0; i < rows; i++)
			place[bucket(a, scratch[i]) + 1]++;
		for (size_t k = 0; k < DEGREES; k++)
			place[k + 1] += place[k];
		for (size_t i = 0; i < rows; i++)
			order[first + place[bucket(a, scratch[i])]++] = scratch[i];
	}
}

/* keep and take of each node, in the new order. */
static void plan_weigh(struct filter_plan *p, enum filter_kind kind, double lambda)
{
	/* Without an edge Ls = 0, and the filter is the identity. */
	double keep = lambda ? 1 - 1 / lambda : 1, take = lambda ? 1 / lambda : 0;

	for (size_t i = 0; i < p->n; i++) {
		if (kind == FILTER_MEAN) { /* 1 / (row sum of S + I), for both */
			double sum = p->enter[i];

			for (size_t e = p->start[i]; e < p->start[i + 1]; e++)
				sum += (p->value ? p->value[e] : 1) * p->enter[p->index[e]];
			keep = take = 1 / (1 + p->enter[i] * sum);
		}
		p->keep[i] = keep;
		p->take[i] = take * (p->enter[i] * p->enter[i]);
	}
}

enum err filter_plan_init(struct filter_plan *p, const struct graph *g, enum filter_kind kind)
{
	const struct csr *a = &g->adjacency;
	double lambda = 2;
	uint32_t *number;

	if (kind == FILTER_SPECTRAL)
		TRY(graph_lambda_max(g, &lambda));
	p->n = a->rows;
	ALLOC(p->order, p->n);
	ALLOC(p->start, p->n + 1);
	ALLOC(p->index, a->start[p->n]);
	ALLOC(p->enter, p->n);
	ALLOC(p->keep, p->n);
	ALLOC(p->take, p->n);
	p->value = NULL;
	if (a->value)
		ALLOC(p->value, a->start[p->n]);
	ALLOC(number, p->n);
	breadth_first(a, p->order);
	group_by_degree(a, p->order, number);
	for (size_t i = 0; i < p->n; i++)
		number[p->order[i]] = (uint32_t)i;
	for (size_t i = 0, to = 0; i < p->n; i++) {
		size_t node = p->order[i];

		for (size_t e = a->start[node]; e < a->start[node + 1]; e++, to++) {
			p->index[to] = number[a->index[e]];
			if (a->value)
				p->value[to] = a->value[e];
		}
		p->start[i + 1] = to;
		p->enter[i] = g->inv_sqrt_deg[node];
	}
	free(number);
	plan_weigh(p, kind, lambda);
	return ERR_OK;
}

void filter_plan_release(struct filter_plan *p)
{
	free(p->order);
	free(p->start);
	free(p->index);
	free(p->enter);
	free(p->keep);
	free(p->take);
	free(p->value);
}
