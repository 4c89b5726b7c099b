#include "common/kcagc/shares.h"
#include "common/base/alloc.h"
#include "common/kcagc/slice.h"

#include <stdlib.h>
#include <string.h>

struct along {
	const double *root; /* sqrt(degree) of each row */
	double *sum;        /* of each column */
};

static void add_along(void *ctx, size_t row, size_t column, double *value)
{
	struct along *a = ctx;

	a->sum[column] += *value * a->root[row];
}

/* tr(S^2) */
static double trace_of_square(const struct graph *g)
{
	const struct csr *a = &g->adjacency;
	double sum = 0;

	for (size_t i = 0; i < a->rows; i++) {
		double own = g->inv_sqrt_deg[i] * g->inv_sqrt_deg[i];

		sum += own * own;
		for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
			double far = g->inv_sqrt_deg[a->index[e]], w = a->value ? a->value[e] : 1;

			sum += w * w * own * far * far;
		}
	}
	return sum;
}

enum err shares(struct features *X, const struct graph *g, unsigned threads, double *x)
{
	double square[SLICE_ORDER_MAX + 1], spread[SLICE_ORDER_MAX + 1], total = 0, rest;
	size_t n = features_rows(X), m = features_cols(X);
	double *root = alloc(n, sizeof(*root));
	struct along a = { .root = root };

	for (size_t i = 0; i < n; i++) {
		root[i] = 1 / g->inv_sqrt_deg[i];
		total += root[i] * root[i];
	}
	ALLOC(a.sum, m);
	features_each(X, add_along, &a);
	x[0] = 0;
	for (size_t j = 0; j < m; j++)
		x[0] += a.sum[j] * a.sum[j] / total;
	free(a.sum);
	free(root);
	TRY(graph_filter_spread(g, FILTER_PLAIN, SLICE_ORDER_MAX, threads,
				X->is_sparse ? &X->sparse : NULL, X->is_sparse ? NULL : &X->dense,
				square, spread));
	memcpy(x + 1, square + 1, SLICE_ORDER_MAX * sizeof(*x));
	rest = n > 1 ? (trace_of_square(g) - 1) / (double)(n - 1) : 0;
	x[SLICE_ORDER_MAX + 1] = x[0] + (square[0] - x[0]) * rest;
	return ERR_OK;
}
