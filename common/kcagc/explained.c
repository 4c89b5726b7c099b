#include "common/kcagc/explained.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct node {
	double degree; /* its root's inverse, which is all that is compared */
	size_t row;
};

static int by_degree(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->degree != y->degree)
		return x->degree < y->degree ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* sum (m) gains the row; returns its squared length. */
static double add_row(const struct features *X, size_t row, double *sum)
{
	double square = 0;

	if (X->is_sparse) {
		const struct csr *S = &X->sparse;

		for (size_t e = S->start[row]; e < S->start[row + 1]; e++) {
			double x = S->value ? S->value[e] : 1;

			sum[S->index[e]] += x;
			square += x * x;
		}
		return square;
	}
	for (size_t j = 0; j < X->dense.cols; j++) {
		double x = MAT(&X->dense, row, j);

		sum[j] += x;
		square += x * x;
	}
	return square;
}

/* The columns that row touches: the sum's square over count, of those not yet 0; they go over to
 * all. */
static double take_row(const struct features *X, size_t row, double count, double *sum, double *all)
{
	const struct csr *S = &X->sparse;
	size_t first = X->is_sparse ? S->start[row] : 0;
	size_t end = X->is_sparse ? S->start[row + 1] : X->dense.cols;
	double between = 0;

	for (size_t e = first; e < end; e++) {
		size_t j = X->is_sparse ? S->index[e] : e;

		between += sum[j] * sum[j] / count;
		all[j] += sum[j];
		sum[j] = 0;
	}
	return between;
}

void explained_by_degrees(const struct features *X, const struct graph *g, double *explained,
			  double *varied)
{
	size_t n = features_rows(X), m = features_cols(X), groups = 0;
	struct node *node = alloc(n, sizeof(*node));
	double *sum = alloc(2 * m, sizeof(*sum)), *all = sum + m;
	double square = 0, between = 0, mean = 0, chance;

	for (size_t i = 0; i < n; i++)
		node[i] = (struct node){ g->inv_sqrt_deg[i], i };
	qsort(node, n, sizeof(*node), by_degree);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && node[end].degree == node[first].degree; end++)
			square += add_row(X, node[end].row, sum);
		for (size_t i = first; i < end; i++)
			between += take_row(X, node[i].row, (double)(end - first), sum, all);
		groups++;
	}
	for (size_t j = 0; j < m; j++)
		mean += all[j] * all[j] / (double)n;
	chance = n > 1 ? (double)(groups - 1) / (double)(n - 1) : 1;
	*varied = square - mean;
	*explained =
	    groups > 1 && groups < n ? (between - mean - chance * *varied) / (1 - chance) : 0;
	free(sum);
	free(node);
}
