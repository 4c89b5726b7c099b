/* Compares a party's terms for the choice of the filter's order with terms that are computed from
 * scratch for each order. Compares the chosen order with the rules as they are worded. */
#include "tests/unit/graph/data.h"
#include "common/graph/filtered.h"
#include "protocols/kcagc/order_search.h"

static const struct embed_params how = { .idf = true,
					 .filter = FILTER_HALF,
					 .dims = 4,
					 .unit_rows = true,
					 .row_power = 1,
					 .threads = 1 };
static const struct kmeans_params search = {
	.k = PLANTED_CLASSES, .restarts = 3, .iterations = 10, .seed = 5, .threads = 1
};

/* Returns the mean over clusters of the mean squared distance between two nodes of a cluster. */
static double pairwise(const struct mat *F, const uint32_t *label, size_t k)
{
	double total = 0;

	for (size_t c = 0; c < k; c++) {
		double sum = 0, size = 0;

		for (size_t i = 0; i < F->rows; i++)
			size += label[i] == c;
		for (size_t i = 0; i < F->rows; i++)
			for (size_t j = 0; label[i] == c && j < F->rows; j++)
				for (size_t e = 0; label[j] == c && e < F->cols; e++) {
					double gap = MAT(F, i, e) - MAT(F, j, e);

					sum += gap * gap;
				}
		total += size > 0 ? sum / (size * size) : 0;
	}
	return total / (double)k;
}

/* Computes the term of one order: weighs, filters, projects, clusters. *fit gets the modularity of
 * the clusters. */
static double from_scratch(const struct features *X, const struct graph *g,
			   const struct embed_params *p, unsigned order, double *fit)
{
	uint32_t *label = alloc(features_rows(X), sizeof(*label));
	struct mat F, Z;
	double intra;

	assert_ok(embed_weighed(X, g, p, &F));
	assert_ok(graph_filter(g, p->filter, order, 1, &F));
	assert_ok(embed_project(NULL, &F, p, &Z));
	kmeans(&Z, NULL, &search, label, NULL, NULL);
	intra = pairwise(&F, label, search.k);
	*fit = modularity(g, label, search.k);
	mat_release(&F);
	mat_release(&Z);
	free(label);
	return intra;
}

/* Checks that threads and p->order change nothing. */
static void check_threads(const struct features *X, const struct graph *g,
			  const struct embed_params *p)
{
	double a[ORDER_WORDS], b[ORDER_WORDS];
	struct embed_params four = *p;
	struct kmeans_params also = search;
	struct order_search s;

	four.threads = also.threads = 4;
	four.order = 17;
	assert_ok(order_begin(&s, X, g, p, &search));
	assert_ok(order_next(&s, a));
	order_end(&s);
	assert_ok(order_begin(&s, X, g, &four, &also));
	assert_ok(order_next(&s, b));
	order_end(&s);
	assert_memory_equal(a, b, sizeof(a));
}

static void check(const struct features *X, const struct graph *g, const struct embed_params *p,
		  unsigned blocks)
{
	struct order_search s;

	assert_ok(order_begin(&s, X, g, p, &search));
	for (unsigned b = 0; b < blocks; b++) {
		double term[ORDER_WORDS];

		assert_ok(order_next(&s, term));
		for (unsigned t = 0; t < ORDER_BLOCK; t++) {
			unsigned order = b * ORDER_BLOCK + t + 1;
			double fit, expected = from_scratch(X, g, p, order, &fit);

			if (fabs(term[t] - expected) > 1e-9 * expected)
				fail_msg("order %u: %.12g, expected %.12g", order, term[t],
					 expected);
			if (fabs(term[ORDER_BLOCK + t] - fit) > 1e-12)
				fail_msg("order %u fits by %.12g, expected %.12g", order,
					 term[ORDER_BLOCK + t], fit);
		}
	}
	order_end(&s);
}

TEST(test_each_order)
{
	struct embed_params other = how;
	uint32_t truth[PLANTED_NODES];
	struct features X, copy = { 0 };
	struct graph g;

	planted(&X, &g, truth);
	assert_false(filtered_pays(PLANTED_NODES, PLANTED_WORDS, X.sparse.start[PLANTED_NODES],
				   graph_neighbours(&g), FILTER_HALF, 1,
				   how.dims)); /* so singular vectors come from the features */
	check(&X, &g, &how, 2);
	other.filter = FILTER_SPECTRAL;
	other.idf = false;
	other.unit_basis = true;
	other.unit_rows = false;
	check(&X, &g, &other, 1);
	csr_to_dense(&X.sparse, &copy.dense);
	check(&copy, &g, &how, 1);
	assert_true(X.is_sparse && X.sparse.rows == PLANTED_NODES); /* the features are unchanged */
	features_release(&X);
	features_release(&copy);
	graph_release(&g);
}

/* Features are so wide and sparse that their singular vectors come from products. */
TEST(test_wide_features)
{
	struct features X = { .is_sparse = true }, copy = { 0 };
	struct graph g;

	sample_sparse(&X.sparse, 300, 280, 5, true, 3);
	sample_graph(&g, 300, 700, 5, false, 4);
	csr_to_dense(&X.sparse, &copy.dense);
	assert_true(filtered_pays(300, 280, X.sparse.start[300], graph_neighbours(&g), FILTER_HALF,
				  1, how.dims));
	check(&X, &g, &how, 2);
	check(&copy, &g, &how, 1);
	check_threads(&X, &g, &how);
	features_release(&X);
	features_release(&copy);
	graph_release(&g);
}

/* In any unit, a year beside words counts no more than a word that all rows have. The terms equal
 * those of words weighed by idf beside a column of variance 1. Without idf nothing is scaled. */
TEST(test_a_year_beside_words)
{
	struct embed_params plain = how;
	uint32_t truth[PLANTED_NODES];
	double a[ORDER_WORDS], b[ORDER_WORDS], c[ORDER_WORDS], share = 0;
	struct features X, with[3] = { 0 };
	struct order_search s;
	struct graph g;
	size_t m;

	planted(&X, &g, truth);
	m = features_cols(&X);
	for (size_t i = 0; i < PLANTED_NODES; i++)
		share += (truth[i] == 0) / (double)PLANTED_NODES;
	for (int u = 0; u < 3; u++) { /* the year is in years, in seconds, or scaled by hand */
		struct mat *to = &with[u].dense, F;

		mat_init(to, PLANTED_NODES, m + 1);
		if (u < 2)
			csr_to_dense(&X.sparse, &F);
		else
			assert_ok(embed_weighed(&X, &g, &how, &F));
		for (size_t i = 0; i < PLANTED_NODES; i++) {
			double year = /* linked rows share it; its mean is 0, its variance 1 */
			    truth[i] == 0 ? -sqrt((1 - share) / share) : sqrt(share / (1 - share));

			memcpy(ROW(to, i), ROW(&F, i), m * sizeof(double));
			MAT(to, i, m) = u == 0   ? 2000 + 10 * year
					: u == 1 ? 3.15e7 * (30 + 10 * year)
						 : year;
		}
		mat_release(&F);
	}
	plain.idf = false;
	for (int u = 0; u < 2; u++) {
		assert_ok(order_begin(&s, &with[u], &g, &how, &search));
		assert_ok(order_next(&s, a));
		order_end(&s);
		assert_ok(order_begin(&s, &with[2], &g, &plain, &search));
		assert_ok(order_next(&s, b));
		order_end(&s);
		for (unsigned t = 0; t < ORDER_BLOCK; t++)
			assert_near(a[t] / b[t], 1, 1e-6);
	}
	assert_ok(order_begin(&s, &with[0], &g, &plain, &search));
	assert_ok(order_next(&s, c));
	order_end(&s);
	assert_true(c[0] > 5 * a[0]); /* unscaled squares of years dominate */
	for (int u = 0; u < 3; u++)
		features_release(&with[u]);
	features_release(&X);
	graph_release(&g);
}

TEST(test_same_for_any_threads)
{
	uint32_t truth[PLANTED_NODES];
	struct features X;
	struct graph g;

	planted(&X, &g, truth);
	check_threads(&X, &g, &how);
	features_release(&X);
	graph_release(&g);
}

/* ---- the rule ---- */

TEST(test_order_by_the_rule)
{
	double intra[ORDER_CAP];
	unsigned order, rule;

	for (size_t t = 0; t < ORDER_CAP; t++)
		intra[t] = 1000 - (double)t;
	for (size_t known = ORDER_BLOCK; known < ORDER_CAP; known += ORDER_BLOCK) {
		assert_ok(order_decide(intra, NULL, known, &rule, &order));
		assert_int_equal(order, 0);
	}
	assert_err(order_decide(intra, NULL, ORDER_CAP, &rule, &order), ERR_JOB,
		   "the intra-cluster distance falls up to order 100, where the search ends; give "
		   "job.filter.order as a number");
	intra[99] = 1000; /* the distance rises at the last order */
	assert_ok(order_decide(intra, NULL, ORDER_CAP, &rule, &order));
	assert_int_equal(order, 99);
	intra[57] = intra[56]; /* equal values are not a rise */
	intra[12] = 1000;      /* the first of two rises counts */
	assert_ok(order_decide(intra, NULL, 60, &rule, &order));
	assert_int_equal(order, 12);
	intra[1] = 1001;
	assert_ok(order_decide(intra, NULL, ORDER_BLOCK, &rule, &order));
	assert_int_equal(order, 1);
}

/* If distances fall up to the cap, the decline of modularity ends the search. */
TEST(test_order_without_a_rise)
{
	double intra[ORDER_CAP], fit[ORDER_CAP];
	unsigned order, rule;

	for (size_t t = 0; t < ORDER_CAP; t++) {
		intra[t] = 1000 - (double)t;
		/* the fit rises to .29 at order 30, is .45 at order 31, and falls from there */
		fit[t] = t < 30 ? 0.01 * (double)t : 0.6 - 0.005 * (double)t;
	}
	assert_ok(order_decide(intra, fit, 40, &rule, &order));
	assert_true(order == 0 && rule == 0);
	assert_ok(order_decide(intra, fit, 50, &rule, &order));
	/* Order 31 fits best. The search ends ten orders later, where the fit is .89 of it. */
	assert_true(order == 41 && rule == 0);
	for (size_t t = 0; t < ORDER_CAP; t++)
		fit[t] = 0.3; /* the fit is equal at all orders */
	assert_err(order_decide(intra, fit, ORDER_CAP, &rule, &order), ERR_JOB,
		   "falls up to order 100");
	intra[40] = 1000;
	assert_ok(order_decide(intra, fit, ORDER_CAP, &rule, &order));
	assert_true(order == 40 && rule == 40);
	fit[20] = 0.4;
	assert_ok(order_decide(intra, fit, ORDER_CAP, &rule, &order));
	assert_true(order == 21 && rule == 0); /* the search ends at 31, before the rise at 41 */
}

/* With coauthor-phy at eight parties, modularity is best at order 9, and AGC's distance rises only
 * after order 73. On such values the search ends at order 19, whose clusters still fit well. */
TEST(test_search_ends_before_the_rise)
{
	double intra[ORDER_CAP], fit[ORDER_CAP];
	unsigned order, rule;

	for (size_t t = 0; t < ORDER_CAP; t++) {
		intra[t] = 1000 - (double)t;
		fit[t] = t < 9 ? 0.45 + 0.01 * (double)t : fmax(0.59 - 0.007 * (double)t, 0.46);
	}
	assert_ok(order_decide(intra, fit, 10, &rule, &order));
	assert_true(order == 0 && rule == 0);
	assert_ok(order_decide(intra, fit, 20, &rule, &order));
	assert_true(order == 19 && rule == 0); /* although no block ends at order 19 */
	assert_ok(order_decide(intra, NULL, 20, &rule, &order)); /* preset "paper" has no fit */
	assert_true(order == 0 && rule == 0);
	fit[10] = fit[8] + 0.001; /* best in the last block: no order yet */
	assert_ok(order_decide(intra, fit, 20, &rule, &order));
	assert_int_equal(order, 0);
	fit[10] = 0.5;
	fit[18] = fit[8] - 0.011; /* just below the margin */
	assert_ok(order_decide(intra, fit, 20, &rule, &order));
	assert_true(order == 19 && rule == 0);
	fit[18] = fit[19] = fit[8] - 0.009; /* nearly best: no order yet */
	assert_ok(order_decide(intra, fit, 20, &rule, &order));
	assert_int_equal(order, 0);
}

/* Gives each node one word: the word of its degree, or an arbitrary word. */
static void one_word(const struct graph *g, bool of_degree, struct features *X)
{
	size_t n = g->adjacency.rows;
	struct triple *t;

	ALLOC(t, n);
	for (uint32_t i = 0; i < n; i++) {
		size_t degree = g->adjacency.start[i + 1] - g->adjacency.start[i];
		size_t word = of_degree ? degree : 7 * i;

		t[i] = (struct triple){ i, (uint32_t)(word % n), 1 };
	}
	*X = (struct features){ .is_sparse = true };
	csr_from_triples(&X->sparse, n, n, t, n);
	free(t);
}

/* Makes a graph without communities: each two nodes have an edge with probability .15. */
static void random_edges(struct graph *g)
{
	struct triple *edges;
	struct csr a;
	struct rng rng;
	size_t e = 0;

	rng_seed(&rng, 3, 0);
	ALLOC(edges, PLANTED_NODES * PLANTED_NODES);
	for (uint32_t i = 0; i < PLANTED_NODES; i++)
		for (uint32_t j = 0; j < i; j++)
			if (rng_unit(&rng) < 0.15) {
				edges[e++] = (struct triple){ i, j, 1 };
				edges[e++] = (struct triple){ j, i, 1 };
			}
	csr_from_triples(&a, PLANTED_NODES, PLANTED_NODES, edges, e);
	graph_init(g, &a);
	free(edges);
}

/* True if all modularities of two blocks are 0, false if those of neither block are. */
static bool abstains(const struct graph *g, bool of_degree, bool alone)
{
	double zero[ORDER_BLOCK] = { 0 }, term[ORDER_WORDS];
	struct order_search s;
	struct features X;
	bool abstains[2];

	one_word(g, of_degree, &X);
	assert_ok(order_begin(&s, &X, g, &how, &search));
	s.alone = alone;
	for (int b = 0; b < 2; b++) {
		assert_ok(order_next(&s, term));
		abstains[b] = !memcmp(term + ORDER_BLOCK, zero, sizeof(zero));
	}
	assert_int_equal(abstains[0], abstains[1]);
	order_end(&s);
	features_release(&X);
	return abstains[0];
}

/* If the features are degrees and the graph has no communities, modularities are 0, and psi_fit()
 * keeps AGC's order. */
TEST(test_degrees)
{
	double zero[ORDER_BLOCK] = { 0 };
	uint32_t truth[PLANTED_NODES];
	struct features X;
	struct graph g;

	random_edges(&g);
	assert_true(abstains(&g, true, false));
	assert_false(abstains(&g, false, false)); /* other words */
	assert_false(abstains(&g, true, true));   /* preset "paper" */
	graph_release(&g);
	planted(&X, &g, truth); /* communities */
	assert_false(abstains(&g, true, false));
	features_release(&X);
	graph_release(&g);
	assert_int_equal(psi_fit(zero, ORDER_BLOCK), ORDER_BLOCK);
}

TEST(test_nothing_to_cluster)
{
	struct features none = { 0 };
	struct order_search s;
	uint32_t truth[PLANTED_NODES];
	struct features X;
	struct graph g;

	planted(&X, &g, truth);
	mat_init(&none.dense, PLANTED_NODES, 0);
	assert_err(order_begin(&s, &none, &g, &how, &search), ERR_INPUT, "nothing to cluster");
	features_release(&none);
	features_release(&X);
	graph_release(&g);
}
