/* nodes.h -- a graph of several blocks of nodes with features, and the part of each rank. */
#ifndef TESTS_UNIT_RANKS_NODES_H
#define TESTS_UNIT_RANKS_NODES_H

#include "tests/unit/linalg/sample.h"
#include "common/base/rng.h"
#include "common/base/sanitized.h"
#include "common/graph/graph.h"
#include "common/linalg/ranks.h"

enum { BLOCKS = SANITIZED ? 3 : 5, NODES = BLOCKS * ROWSUM_ROWS - 100, COLS = 19 };

/* Makes a graph with near and distant neighbours. `leaves` of each hundred nodes have one edge, to
 * one of the hubs. */
static inline void nodes_graph(struct graph *g, unsigned leaves, bool weighted)
{
	size_t count = 0;
	struct triple *t;
	struct csr a;
	struct rng rng;

	rng_seed(&rng, leaves, 0);
	ALLOC(t, 6 * NODES);
	for (size_t i = 0; i < NODES; i++) {
		bool leaf = i % 100 >= 100 - leaves;

		for (int e = 0; e < (leaf ? 1 : 3); e++) {
			size_t j = leaf ? rng_below(&rng, NODES / 1000) * 1000
				   : e  ? i / 500 * 500 + rng_below(&rng, 500)
					: rng_below(&rng, NODES);

			if (j >= NODES || j == i || (!leaf && j % 100 >= 100 - leaves))
				continue;
			t[count++] = (struct triple){ (uint32_t)i, (uint32_t)j, 1 };
			t[count++] = (struct triple){ (uint32_t)j, (uint32_t)i, 1 };
		}
	}
	csr_from_triples(&a, NODES, NODES, t, count);
	free(t);
	for (size_t i = 0; i < NODES; i++) /* weights are symmetric */
		for (size_t e = a.start[i]; e < a.start[i + 1]; e++)
			a.value[e] = weighted ? 1 / (1 + (double)((i + a.index[e]) % 17)) : 1;
	graph_init(g, &a);
}

static inline void nodes_features(struct mat *X, bool words)
{
	sample_normal(X, NODES, COLS, 4);
	for (size_t i = 0; i < NODES; i++)
		MAT(X, i, i * 6 / NODES) += 4;
	for (size_t e = 0; words && e < NODES * COLS; e++)
		X->a[e] = X->a[e] > 0.5;
}

static inline void nodes_of_rank(const struct graph *g, const struct mat *all,
				 const struct ranks *R, struct graph *own, struct mat *X)
{
	const struct csr *a = &g->adjacency;
	size_t first = R->cut[R->own], n = ranks_rows(R);
	struct csr rows;

	csr_init(&rows, n, NODES, a->start[first + n] - a->start[first], a->value);
	for (size_t i = 0; i <= n; i++)
		rows.start[i] = a->start[first + i] - a->start[first];
	memcpy(rows.index, a->index + a->start[first], rows.start[n] * sizeof(*rows.index));
	if (a->value)
		memcpy(rows.value, a->value + a->start[first], rows.start[n] * sizeof(*rows.value));
	graph_init_part(own, &rows, R);
	mat_init(X, n, COLS);
	memcpy(X->a, ROW(all, first), n * COLS * sizeof(double));
}

/* Makes the features sparse as an .mtx file may have them, with some zeros among the entries. */
static inline void nodes_sparse(struct features *X)
{
	const struct mat m = X->dense;
	struct csr *s = &X->sparse;
	size_t to = 0;

	csr_init(s, m.rows, m.cols, m.rows * m.cols, true);
	for (size_t i = 0; i < m.rows; i++) {
		for (size_t j = 0; j < m.cols; j++)
			if (MAT(&m, i, j) != 0 || j % 3 == 0) {
				s->index[to] = (uint32_t)j;
				s->value[to++] = MAT(&m, i, j);
			}
		s->start[i + 1] = to;
	}
	mat_release(&X->dense);
	X->is_sparse = true;
}

#endif
