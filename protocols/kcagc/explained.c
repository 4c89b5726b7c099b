#include "protocols/kcagc/explained.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/own.h"

#include <math.h>
#include <stdlib.h>

/* Limits of the sums. If groups x columns is at most CELLS, each column has a sum in each group.
 * Otherwise a group has SKETCH sums. */
enum { CELLS = 1 << 17, SKETCH = 64 };

struct groups {
	size_t rows, all; /* number of rows of this process, and of all processes */
	uint16_t *of;     /* rows entries: the group of each row */
	double *size;     /* EXPLAINED_GROUPS entries: number of nodes in all processes */
	/* EXPLAINED_GROUPS entries: number of each non-empty group, from 0 without gaps */
	uint16_t *number;
	size_t count;
};

static uint16_t group_of(const struct graph *g, size_t row)
{
	const double most = EXPLAINED_GROUPS - 1;
	double root = g->inv_sqrt_deg[row], degree = 1 / (root * root) - 1;

	return (uint16_t)(degree < 256 ? degree + 0.5 : fmin(256 + 32 * log2(degree / 256), most));
}

static void find_groups(const struct features *X, const struct graph *graph, struct groups *g)
{
	struct rowsum sum;

	*g = (struct groups){ .rows = features_rows(X),
			      .all = ranks_n(graph->ranks, features_rows(X)) };
	ALLOC(g->of, g->rows);
	ALLOC(g->size, EXPLAINED_GROUPS);
	ALLOC(g->number, EXPLAINED_GROUPS);
	ranks_sum_begin(graph->ranks, &sum, EXPLAINED_GROUPS, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(g->rows); b++) {
		size_t first = b * ROWSUM_ROWS, end = first + rowsum_rows(g->rows, b);
		double *to = rowsum_open(&sum);

		for (size_t i = first; i < end; i++) {
			g->of[i] = group_of(graph, i);
			to[g->of[i]]++;
		}
		rowsum_close(&sum);
	}
	ranks_sum_end(graph->ranks, &sum, g->size);
	for (size_t i = 0; i < EXPLAINED_GROUPS; i++)
		if (g->size[i] > 0)
			g->number[i] = (uint16_t)g->count++;
}

static void release_groups(struct groups *g)
{
	free(g->of);
	free(g->size);
	free(g->number);
}

/* Returns the position of column j, below width, and its sign. Both are the same at every
 * process. */
static size_t explained_place_of(size_t j, size_t columns, size_t width, double *sign)
{
	uint64_t h = (uint64_t)j * 0x9e3779b97f4a7c15;

	*sign = columns > width && h >> 63 ? -1 : 1;
	return columns > width ? (h >> 32) % width : j;
}

static double explained_add_row(const struct features *X, size_t row, size_t width, double *to)
{
	const struct csr *S = &X->sparse;
	size_t columns = features_cols(X), first = X->is_sparse ? S->start[row] : 0;
	size_t end = X->is_sparse ? S->start[row + 1] : columns;
	double square = 0, sign;

	for (size_t e = first; e < end; e++) {
		size_t j = X->is_sparse ? S->index[e] : e;
		double x = !X->is_sparse ? MAT(&X->dense, row, j) : S->value ? S->value[e] : 1;

		to[explained_place_of(j, columns, width, &sign)] += sign * x;
		square += x * x;
	}
	return square;
}

/* Computes total (count x width + 1): the sum of each group's rows, then the squared length of all
 * rows. */
static void sum_groups(const struct features *X, const struct ranks *R, const struct groups *g,
		       size_t width, double *total)
{
	struct rowsum sum;

	ranks_sum_begin(R, &sum, g->count * width + 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(g->rows); b++) {
		size_t first = b * ROWSUM_ROWS, end = first + rowsum_rows(g->rows, b);
		double *to = rowsum_open(&sum);

		for (size_t i = first; i < end; i++)
			to[g->count * width] +=
			    explained_add_row(X, i, width, to + g->number[g->of[i]] * width);
		rowsum_close(&sum);
	}
	ranks_sum_end(R, &sum, total);
}

/* Sets *between to the sum over groups of size x squared length of the group's mean. Sets *mean to
 * n times the squared length of the overall mean. */
static void square_means(const struct groups *g, size_t width, const double *total, double *between,
			 double *mean)
{
	double *all = alloc(width, sizeof(*all));

	*between = *mean = 0;
	for (size_t i = 0; i < EXPLAINED_GROUPS; i++) {
		const double *sum = total + g->number[i] * width;

		for (size_t j = 0; g->size[i] > 0 && j < width; j++) {
			*between += sum[j] * sum[j] / g->size[i];
			all[j] += sum[j];
		}
	}
	for (size_t j = 0; j < width; j++)
		*mean += all[j] * all[j] / (double)g->all;
	free(all);
}

void explained_by_degrees(const struct features *X, const struct graph *graph, double *x)
{
	size_t m = features_cols(X), width;
	double *total, between, mean, chance;
	struct groups g;

	find_groups(X, graph, &g);
	width = g.count * m > CELLS && m > SKETCH ? SKETCH : m;
	total = alloc(g.count * width + 1, sizeof(*total));
	sum_groups(X, graph->ranks, &g, width, total);
	square_means(&g, width, total, &between, &mean);
	chance = g.all > 1 ? (double)(g.count - 1) / (double)(g.all - 1) : 1;
	x[1] = total[g.count * width] - mean;
	x[0] = g.count > 1 && g.count < g.all ? (between - mean - chance * x[1]) / (1 - chance) : 0;
	free(total);
	release_groups(&g);
}
