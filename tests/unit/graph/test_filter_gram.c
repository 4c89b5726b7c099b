/* The Gram matrix of filtered features, nearly, against that of the filtered features. */
#include "tests/unit/linalg/sample.h"
#include "common/graph/filter_gram.h"
#include "common/linalg/la.h"

enum { NODES = 700 };

static const enum filter_kind half = FILTER_HALF;

static void formed(const struct graph *g, enum filter_kind kind, unsigned psi, const struct csr *X,
		   struct mat *G)
{
	struct mat F;

	assert_ok(graph_filter_sparse(g, kind, psi, 1, X, &F));
	la_gram_columns(&F, 1, G);
	mat_release(&F);
}

static void near(const struct graph *g, enum filter_kind kind, unsigned psi, unsigned threads,
		 const struct csr *X, bool dense, struct mat *G)
{
	struct filter_plan p;
	struct mat D = { 0 };

	if (dense)
		csr_to_dense(X, &D);
	assert_ok(filter_plan_init(&p, g, kind));
	filter_gram(&p, psi, threads, dense ? NULL : X, dense ? &D : NULL, G);
	assert_int_equal(p.n, g->adjacency.rows); /* the plan is as it was */
	assert_null(p.of);
	filter_plan_release(&p);
	mat_release(&D);
}

/* Within 1e-6 of the largest value, which the trace is no less than. */
static void assert_gram_near(const struct mat *G, const struct mat *exact)
{
	double trace = 0;

	for (size_t i = 0; i < exact->rows; i++)
		trace += MAT(exact, i, i);
	assert_mat_near(G, exact, 1e-6 * trace);
}

static void check(const struct graph *g, size_t cols, enum filter_kind kind, unsigned psi,
		  bool ones, double scale)
{
	struct mat G, exact, again;
	struct csr X;

	sample_sparse(&X, g->adjacency.rows, cols, 1 + cols / 8, ones, cols);
	for (size_t e = 0; X.value && e < X.start[X.rows]; e++)
		X.value[e] *= scale * (X.index[e] % 3 ? 1 : -1);
	formed(g, kind, psi, &X, &exact);
	near(g, kind, psi, 1, &X, false, &G);
	assert_gram_near(&G, &exact);
	for (unsigned threads = 1; threads <= 3; threads++) {
		near(g, kind, psi, threads, &X, threads != 2, &again);
		assert_same_bits(&again, &G);
		mat_release(&again);
	}
	csr_release(&X);
	mat_release(&exact);
	mat_release(&G);
}

static void all_kinds(void **state)
{
	(void)state;
	for (int weighted = 0; weighted < 2; weighted++) {
		struct graph g;

		sample_graph(&g, NODES, 2 * NODES, 5, weighted, 1);
		for (unsigned psi = 0; psi <= 60; psi += psi < 3 ? 1 : 19)
			check(&g, 40, psi % 2 ? FILTER_SPECTRAL : half, psi, psi % 3, 1);
		graph_release(&g);
	}
}

/* More and less than a panel. */
static void columns(void **state)
{
	const size_t cols[] = { 1, FILTER_GRAM_COLUMNS - 1, FILTER_GRAM_COLUMNS,
				FILTER_GRAM_COLUMNS + 1, 3 * FILTER_GRAM_COLUMNS };
	struct graph g;

	(void)state;
	sample_graph(&g, NODES, 2 * NODES, 0, false, 2);
	for (size_t i = 0; i < sizeof(cols) / sizeof(*cols); i++)
		check(&g, cols[i], half, 30, false, 1);
	graph_release(&g);
}

/* Leaves that were folded, after enough steps; and after fewer, where they may not be. */
static void leaves(void **state)
{
	(void)state;
	for (int weighted = 0; weighted < 2; weighted++) {
		struct graph g;

		sample_leafy(&g, weighted);
		for (unsigned psi = 1; psi <= 60; psi += psi < 40 ? 3 : 10)
			check(&g, 20, half, psi, false, 1);
		graph_release(&g);
	}
}

/* Features that single numbers cannot hold. */
static void sizes(void **state)
{
	struct graph g;

	(void)state;
	sample_graph(&g, NODES, 2 * NODES, 0, false, 3);
	check(&g, 10, half, 20, false, 1e100);
	check(&g, 10, half, 20, false, 1e-100);
	check(&g, 10, half, 20, false, 0);
	graph_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds),
		cmocka_unit_test(columns),
		cmocka_unit_test(leaves),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
