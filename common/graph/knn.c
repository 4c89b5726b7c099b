#include "common/graph/knn.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

size_t knn_rule(size_t n)
{
	double k = ceil(log((double)n));

	return k > 1 ? (size_t)k : 1;
}

struct search {
	const struct knn_source *source;
	size_t k;
	double **room;      /* per worker: KNN_ROWS x n */
	struct triple *out; /* n x 2 k */
};

/* Finds the k largest positive values of row i, except the row's own, in descending order. On ties
 * the value with the lower index is taken. Returns their number. */
static size_t largest(const double *row, size_t n, size_t i, size_t k, double *value, uint32_t *at)
{
	size_t found = 0;

	for (size_t j = 0; j < n; j++) {
		size_t p;

		if (j == i || !(row[j] > 0) || (found == k && row[j] <= value[k - 1]))
			continue;
		found += found < k;
		for (p = found - 1; p > 0 && value[p - 1] < row[j]; p--) {
			value[p] = value[p - 1];
			at[p] = at[p - 1];
		}
		value[p] = row[j];
		at[p] = (uint32_t)j;
	}
	return found;
}

static void search_block(void *ctx, unsigned worker, size_t block)
{
	const struct search *s = ctx;
	size_t n = s->source->n, first = block * KNN_ROWS;
	size_t rows = min_size(KNN_ROWS, n - first);
	uint32_t *at;
	double *value;

	if (!s->room[worker])
		ALLOC(s->room[worker], (n < KNN_ROWS ? n : KNN_ROWS) * n);
	s->source->block(s->source->ctx, first, rows, s->room[worker]);
	ALLOC(value, s->k);
	ALLOC(at, s->k);
	for (size_t a = 0; a < rows; a++) {
		size_t i = first + a;
		size_t found = largest(s->room[worker] + a * n, n, i, s->k, value, at);
		struct triple *t = s->out + i * 2 * s->k;

		for (size_t p = 0; p < found; p++) {
			t[2 * p] = (struct triple){ (uint32_t)i, at[p], value[p] / 2 };
			t[2 * p + 1] = (struct triple){ at[p], (uint32_t)i, value[p] / 2 };
		}
	}
	free(at);
	free(value);
}

void knn_graph(const struct knn_source *source, size_t k, unsigned threads, struct csr *S)
{
	size_t n = source->n, count = 0;
	struct search s = { .source = source, .k = k < n - 1 ? k : n - 1 };

	assert(n > 0 && n < UINT32_MAX);
	ALLOC(s.room, PARALLEL_MAX);
	ALLOC(s.out, n * 2 * s.k);
	parallel(threads, (n + KNN_ROWS - 1) / KNN_ROWS, search_block, &s);
	for (size_t w = 0; w < PARALLEL_MAX; w++)
		free(s.room[w]);
	for (size_t e = 0; e < n * 2 * s.k; e++)
		if (s.out[e].value > 0) /* rows with fewer neighbours leave empty entries */
			s.out[count++] = s.out[e];
	csr_from_triples(S, n, n, s.out, count);
	free(s.out);
	free(s.room);
}

static void product_block(void *ctx, size_t first, size_t count, double *S)
{
	const struct mat *F = ctx;

	la_block_nt(count, F->rows, F->cols, ROW(F, first), F->a, S, F->rows);
}

void knn_products(const struct mat *F, size_t k, unsigned threads, struct csr *S)
{
	struct mat borrowed = *F;
	struct knn_source source = { F->rows, &borrowed, product_block };

	knn_graph(&source, k, threads, S);
}
