/* sample.h -- random matrices and graphs for several tests of numerics. */
#ifndef TESTS_UNIT_LINALG_SAMPLE_H
#define TESTS_UNIT_LINALG_SAMPLE_H

#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/kcagc/embed.h"
#include "common/linalg/mat.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline void sample_normal(struct mat *m, size_t rows, size_t cols, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 0);
	mat_init(m, rows, cols);
	for (size_t i = 0; i < rows * cols; i++)
		m->a[i] = rng_normal(&rng);
}

/* Makes a matrix of about nnz_per_row entries in each row. The entries are ones, or values in (0,
 * 1] of which some are explicit zeros. */
static inline void sample_sparse(struct csr *s, size_t rows, size_t cols, size_t nnz_per_row,
				 bool ones, uint64_t seed)
{
	size_t count = 0;
	struct triple *t;
	struct rng rng;

	rng_seed(&rng, seed, 1);
	ALLOC(t, rows * cols);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < cols; j++)
			if (rng_below(&rng, cols) < nnz_per_row)
				t[count++] = (struct triple){ (uint32_t)i, (uint32_t)j,
							      ones || rng_below(&rng, 10) == 0
								  ? (double)ones
								  : 1 - rng_unit(&rng) };
	csr_from_triples(s, rows, cols, t, count);
	free(t);
}

/* Makes a random graph of n nodes; the last `isolated` nodes have no edge. */
static inline void sample_graph(struct graph *g, size_t n, size_t edges, size_t isolated,
				bool weighted, uint64_t seed)
{
	size_t count = 0;
	struct triple *t;
	struct csr a;
	struct rng rng;
	bool *there;

	rng_seed(&rng, seed, 2);
	ALLOC(there, n * n);
	ALLOC(t, 2 * edges);
	for (size_t e = 0; e < edges; e++) {
		uint32_t i = (uint32_t)rng_below(&rng, n - isolated);
		uint32_t j = (uint32_t)rng_below(&rng, n - isolated);
		double w = weighted ? 0.25 + rng_unit(&rng) : 1;

		if (i == j || there[i * n + j])
			continue;
		there[i * n + j] = there[j * n + i] = true;
		t[count++] = (struct triple){ i, j, w };
		t[count++] = (struct triple){ j, i, w };
	}
	csr_from_triples(&a, n, n, t, count);
	graph_init(g, &a);
	free(t);
	free(there);
}

/* Makes SAMPLE_HUBS nodes in a ring, with 0, 3, 6 .. leaves each. The leaves of one hub do not have
 * consecutive numbers. If `weighted`, edges to leaves differ in weight. */
enum { SAMPLE_HUBS = 10, SAMPLE_LEAFY = SAMPLE_HUBS + 3 * SAMPLE_HUBS * (SAMPLE_HUBS - 1) / 2 };

static inline void sample_leafy(struct graph *g, bool weighted)
{
	struct triple t[2 * SAMPLE_LEAFY];
	size_t count = 0;
	uint32_t leaf = SAMPLE_HUBS;
	struct csr a;

	for (uint32_t i = 0; i < SAMPLE_HUBS; i++) {
		uint32_t next = (i + 1) % SAMPLE_HUBS;

		t[count++] = (struct triple){ i, next, 1 };
		t[count++] = (struct triple){ next, i, 1 };
	}
	for (uint32_t round = 0; leaf < SAMPLE_LEAFY; round++)
		for (uint32_t i = 0; i < SAMPLE_HUBS; i++) {
			double w = weighted ? 1 + leaf % 5 : 1;

			if (round >= 3 * i)
				continue;
			t[count++] = (struct triple){ i, leaf, w };
			t[count++] = (struct triple){ leaf++, i, w };
		}
	csr_from_triples(&a, SAMPLE_LEAFY, SAMPLE_LEAFY, t, count);
	graph_init(g, &a);
}

/* Sets S to D^-1/2 (A + I) D^-1/2 as a dense matrix; A is the adjacency, and D has the degrees of A
 * + I. */
static inline void sample_normalised(const struct graph *g, struct mat *S)
{
	size_t n = g->adjacency.rows;
	double *degree;

	csr_to_dense(&g->adjacency, S);
	ALLOC(degree, n);
	for (size_t i = 0; i < n; i++) {
		MAT(S, i, i) = 1;
		for (size_t j = 0; j < n; j++)
			degree[i] += MAT(S, i, j);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			MAT(S, i, j) /= sqrt(degree[i] * degree[j]);
	free(degree);
}

/* Sets T to S + I, where S is from sample_normalised(), as a dense matrix, each row divided by its
 * sum. */
static inline void sample_mean_filter(const struct graph *g, struct mat *T)
{
	size_t n = g->adjacency.rows;

	sample_normalised(g, T);
	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (size_t j = 0; j < n; j++) {
			MAT(T, i, j) += i == j;
			sum += MAT(T, i, j);
		}
		for (size_t j = 0; j < n; j++)
			MAT(T, i, j) /= sum;
	}
}

static inline void assert_same_bits(const struct mat *a, const struct mat *b)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->cols, b->cols);
	assert_memory_equal(a->a, b->a, a->rows * a->cols * sizeof(double));
}

/* Fails unless |a - b| <= tolerance; a NaN fails, too. */
static inline void assert_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.17g and %.17g differ by %.3g, more than %.3g", a, b, fabs(a - b),
			 tolerance);
}

static inline void assert_mat_near(const struct mat *a, const struct mat *b, double tolerance)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->cols, b->cols);
	for (size_t i = 0; i < a->rows * a->cols; i++)
		assert_near(a->a[i], b->a[i], tolerance);
}

static inline void sample_copy(const struct mat *from, struct mat *to)
{
	mat_init(to, from->rows, from->cols);
	memcpy(to->a, from->a, from->rows * from->cols * sizeof(double));
}

/* Copies a sparse matrix to X, as a sparse or a dense matrix. */
static inline void sample_features(const struct csr *from, bool sparse, struct features *X)
{
	size_t entries = from->start[from->rows];

	*X = (struct features){ .is_sparse = sparse };
	if (!sparse) {
		csr_to_dense(from, &X->dense);
		return;
	}
	X->sparse = (struct csr){ .rows = from->rows, .cols = from->cols };
	ALLOC(X->sparse.start, from->rows + 1);
	ALLOC(X->sparse.index, entries);
	memcpy(X->sparse.start, from->start, (from->rows + 1) * sizeof(size_t));
	memcpy(X->sparse.index, from->index, entries * sizeof(uint32_t));
	if (from->value) {
		ALLOC(X->sparse.value, entries);
		memcpy(X->sparse.value, from->value, entries * sizeof(double));
	}
}

#endif
