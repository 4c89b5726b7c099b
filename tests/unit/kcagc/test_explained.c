/* How much of features degrees explain, against what stands in explained.h by its own words. */
#include "tests/unit/graph/data.h"
#include "common/kcagc/explained.h"

enum { NODES = 60, WORDS = 9 };

static size_t degree_of(const struct graph *g, size_t i)
{
	return g->adjacency.start[i + 1] - g->adjacency.start[i];
}

/* A row's word is its degree, less than WORDS or else the last, but for each `other`th row, whose
 * word is some. */
static void words_of(const struct graph *g, size_t other, struct csr *X)
{
	struct triple t[NODES];

	for (uint32_t i = 0; i < NODES; i++) {
		size_t word = other && i % other == 0 ? i * 7 / other : degree_of(g, i);

		t[i] = (struct triple){ i, (uint32_t)(word < WORDS ? word : WORDS - 1), 1 };
	}
	csr_from_triples(X, NODES, WORDS, t, NODES);
}

/* The definition: sums over pairs of rows of the same degree, in O(n^2 m). */
static void literal(const struct mat *X, const struct graph *g, double *explained, double *varied)
{
	double between = 0, square = 0, mean = 0, groups = 0, chance;

	for (size_t i = 0; i < X->rows; i++) {
		double same = 0, dot = 0;

		for (size_t j = 0; j < X->rows; j++) {
			double xy = 0;

			for (size_t c = 0; c < X->cols; c++)
				xy += MAT(X, i, c) * MAT(X, j, c);
			mean += xy / (double)X->rows;
			square += i == j ? xy : 0;
			if (degree_of(g, i) == degree_of(g, j)) {
				same++;
				dot += xy;
			}
		}
		between += dot / same;
		groups += 1 / same;
	}
	chance = (groups - 1) / ((double)X->rows - 1);
	*varied = square - mean;
	*explained = (between - mean - chance * *varied) / (1 - chance);
}

static void check(const struct csr *words, const struct graph *g, double least, double most)
{
	double explained, varied, e, v, all = 0;
	struct features sparse, dense;

	deal_columns(words, 1, false, &sparse);
	deal_columns(words, 1, true, &dense);
	explained_by_degrees(&dense, g, &explained, &varied);
	assert_true(explained >= least * varied && explained <= most * varied);
	literal(&dense.dense, g, &e, &v);
	assert_near(explained, e, 1e-9);
	assert_near(varied, v, 1e-9);
	explained_by_degrees(&sparse, g, &e, &v);
	assert_near(explained, e, 1e-12);
	assert_near(varied, v, 1e-12);
	features_release(&sparse);
	for (size_t l = 0; l < 3; l++) { /* columns apart add up */
		struct features part = { .dense = { 0 } };

		mat_init(&part.dense, NODES, WORDS / 3);
		for (size_t i = 0; i < NODES; i++)
			for (size_t j = 0; j < WORDS / 3; j++)
				MAT(&part.dense, i, j) = MAT(&dense.dense, i, 3 * j + l);
		explained_by_degrees(&part, g, &e, &v);
		explained -= e;
		varied -= v;
		all += v;
		features_release(&part);
	}
	assert_near(explained, 0, 1e-9);
	assert_near(varied, 0, 1e-9);
	assert_true(all > 0);
	features_release(&dense);
}

static void parts(void **state)
{
	struct graph g;
	struct csr X;

	(void)state;
	sample_graph(&g, NODES, 120, 0, false, 3);
	words_of(&g, 0, &X);
	check(&X, &g, 0.8, 1.0 + 1e-9); /* but for degrees that share the last word */
	csr_release(&X);
	words_of(&g, 2, &X);
	check(&X, &g, 0.05, 0.6);
	csr_release(&X);
	words_of(&g, 1, &X);
	check(&X, &g, -0.2, 0.2);
	csr_release(&X);
	graph_release(&g);
}

/* A ring: one degree, which says nothing. */
static void one_degree(void **state)
{
	double explained, varied;
	struct triple t[2 * NODES];
	struct features X;
	struct graph g;
	struct csr A, words;

	(void)state;
	for (uint32_t i = 0; i < NODES; i++) {
		t[2 * i] = (struct triple){ i, (i + 1) % NODES, 1 };
		t[2 * i + 1] = (struct triple){ (i + 1) % NODES, i, 1 };
	}
	csr_from_triples(&A, NODES, NODES, t, 2 * (size_t)NODES);
	graph_init(&g, &A);
	words_of(&g, 1, &words);
	deal_columns(&words, 1, true, &X);
	explained_by_degrees(&X, &g, &explained, &varied);
	assert_true(explained == 0 && varied > 1);
	features_release(&X);
	csr_release(&words);
	graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(one_degree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
