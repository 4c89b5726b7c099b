#include "tests/unit/math/parts.h"

enum { N = 240, K = 4, EDGES = 1400, ALONE = 6 };

static struct csr graph;
static uint32_t truth[N], central[N];

static int plant(void **state)
{
	(void)state;
	parts_planted(&graph, N, K, EDGES, 0.08, ALONE, truth);
	parts_central(&graph, K, central);
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&graph);
	return 0;
}

/* ---- exact ---- */

/* However the edges lie, also each at three of the parties, it is the clustering of all of them. */
static void exact_is_central(void **state)
{
	static const size_t split[][2] = { { 1, 1 }, { 2, 1 }, { 2, 0 },  { 3, 1 },  { 5, 3 },
					   { 7, 0 }, { 7, 7 }, { 20, 1 }, { 20, 0 }, { 20, 8 } };
	struct fedspectral_report report;
	struct fedspectral_params p;
	uint32_t label[N];

	(void)state;
	fedspectral_defaults(&p, K, 1, 2);
	for (size_t s = 0; s < sizeof(split) / sizeof(*split); s++) {
		struct parts parts;
		char what[64];

		snprintf(what, sizeof(what), "%zu parties, edges at %zu", split[s][0], split[s][1]);
		parts_deal(&parts, &graph, split[s][0], split[s][1], s, 1);
		assert_ok(fedspectral_exact(&parts.pool, &p, label, &report));
		assert_agree(central, label, N, 1, what);
		assert_int_equal(report.isolated, ALONE);
		assert_int_equal(report.clusters, K + 1);
		assert_int_equal(report.components, 1);
		assert_true(report.residual <= 1e-3);
		parts_release(&parts);
	}
}

/* Random graphs with no clusters to find, where any difference shows. */
static void exact_on_random_graphs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct fedspectral_params p;
		uint32_t all[60], label[60];
		struct parts parts;
		struct graph g;

		sample_graph(&g, 60, 150, 3, seed % 2, seed);
		fedspectral_defaults(&p, 3, 1, 1);
		p.tolerance = 1e-8;
		parts_central(&g.adjacency, 3, all);
		for (size_t count = 1; count <= 4; count++)
			for (size_t held = 0; held <= count; held++) {
				parts_deal(&parts, &g.adjacency, count, held, seed, 1);
				assert_ok(fedspectral_exact(&parts.pool, &p, label, NULL));
				assert_agree(all, label, 60, 1, "random graph");
				parts_release(&parts);
			}
		graph_release(&g);
	}
}

/* Each edge is at one or at both of two parties: there it weighs 2. */
static void multiplicities_are_weights(void **state)
{
	struct csr twice;
	struct parts two, one;
	struct fedspectral_report r, s;
	struct fedspectral_params p;
	uint32_t a[N], b[N];
	double da[N], db[N];

	(void)state;
	csr_copy(&twice, &graph);
	parts_deal(&two, &graph, 3, 2, 4, 1); /* the first two: some edges are at both */
	for (size_t i = 0; i < N; i++)
		for (size_t e = graph.start[i]; e < graph.start[i + 1]; e++) {
			twice.value[e] = 0;
			for (size_t l = 0; l < 2; l++)
				for (size_t o = two.party[l].A.start[i];
				     o < two.party[l].A.start[i + 1]; o++)
					twice.value[e] += two.party[l].A.index[o] == graph.index[e];
			assert_true(twice.value[e] >=
				    1); /* at two of three: at one of two at least */
		}
	two.memory.parties = two.pool.parties = 2;
	parts_deal(&one, &twice, 1, 1, 0, 1);
	assert_ok(two.pool.degrees(two.pool.ctx, da));
	assert_ok(one.pool.degrees(one.pool.ctx, db));
	assert_memory_equal(da, db, sizeof(da));
	parts_release(&two);
	parts_release(&one);
	parts_deal(&two, &graph, 3, 2, 4, 1);
	two.memory.parties = two.pool.parties = 2;
	parts_deal(&one, &twice, 1, 1, 0, 1);
	fedspectral_defaults(&p, K, 1, 1);
	assert_ok(fedspectral_exact(&two.pool, &p, a, &r));
	assert_ok(fedspectral_exact(&one.pool, &p, b, &s));
	assert_agree(b, a, N, 1, "weights");
	for (size_t i = 0; i < K; i++)
		assert_near(r.value[i], s.value[i], 1e-9);
	parts_release(&two);
	parts_release(&one);
	csr_release(&twice);
}

/* Eigenvalues against a dense solver's, the gap between two of them, and k by it. */
static void eigenvalues_and_gap(void **state)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];
	double value[K + 1];
	struct spectral_graph g;
	struct mat I, M, E;

	(void)state;
	spectral_graph_init(&g, &graph, 1);
	mat_init(&I, N, N);
	for (size_t i = 0; i < N; i++)
		MAT(&I, i, i) = 1;
	assert_ok(spectral_graph_times(&g, &I, &M));
	assert_ok(la_eigen_top(&M, K + 1, value, &E));
	parts_deal(&parts, &graph, 3, 1, 1, 1);
	fedspectral_defaults(&p, 0, 1, 1);
	assert_ok(fedspectral_exact(&parts.pool, &p, label, &report));
	assert_int_equal(report.k, K);
	assert_int_equal(report.values, FEDSPECTRAL_AUTO_MAX + 1);
	for (size_t i = 0; i < K + 1; i++)
		assert_near(report.value[i], value[i], 1e-5);
	assert_near(report.gap, value[K - 1] - value[K], 1e-5);
	assert_agree(central, label, N, 1, "auto");
	parts_release(&parts);
	mat_release(&E);
	mat_release(&M);
	mat_release(&I);
	spectral_graph_release(&g);
}

/* Five classes without an edge between: so many components, and so many clusters. */
static void components(void **state)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	uint32_t class[200], label[200];
	struct parts parts;
	struct csr A;

	(void)state;
	parts_planted(&A, 200, 5, 2000, 0, 0, class);
	parts_deal(&parts, &A, 4, 1, 1, 1);
	fedspectral_defaults(&p, 0, 1, 1);
	assert_ok(fedspectral_exact(&parts.pool, &p, label, &report));
	assert_int_equal(report.components, 5);
	assert_int_equal(report.k, 5);
	assert_int_equal(report.clusters, 5);
	assert_agree(class, label, 200, 1, "components");
	parts_release(&parts);
	csr_release(&A);
}

/* The largest is 0, and what has no edge comes last. */
static void clusters_by_size(void **state)
{
	struct triple t[400];
	size_t count = 0, size[4] = { 0 };
	struct fedspectral_params p;
	uint32_t label[24];
	struct parts parts;
	struct csr A;

	(void)state;
	for (uint32_t i = 0; i < 20; i++) /* 4, 6 and 10 nodes */
		for (uint32_t j = 0; j < 20; j++)
			if (i != j && (i < 4) == (j < 4) && (i < 10) == (j < 10))
				t[count++] = (struct triple){ i, j, 1 };
	csr_from_triples(&A, 24, 24, t, count);
	parts_deal(&parts, &A, 2, 1, 1, 1);
	fedspectral_defaults(&p, 3, 1, 1);
	assert_ok(fedspectral_exact(&parts.pool, &p, label, NULL));
	for (size_t i = 0; i < 24; i++)
		size[label[i]]++;
	assert_int_equal(size[0], 10);
	assert_int_equal(size[1], 6);
	assert_int_equal(size[2], 4);
	assert_int_equal(size[3], 4);
	assert_int_equal(label[23], 3);
	parts_release(&parts);
	csr_release(&A);
}

static void too_few_nodes(void **state)
{
	struct triple t[] = { { 1, 3, 1 }, { 3, 1, 1 }, { 3, 4, 2 }, { 4, 3, 2 } };
	enum err (*const method[])(
	    const struct fedspectral_pool *, const struct fedspectral_params *, uint32_t *,
	    struct fedspectral_report *) = { fedspectral_exact, fedspectral_plus,
					     fedspectral_plain };
	struct fedspectral_params p;
	uint32_t label[7];
	struct csr A;

	(void)state;
	csr_from_triples(&A, 7, 7, t, 4);
	for (size_t i = 0; i < 3; i++) {
		struct parts parts;

		parts_deal(&parts, &A, 2, 1, 1, 1);
		fedspectral_defaults(&p, 4, 1, 1);
		assert_err(method[i](&parts.pool, &p, label, NULL), ERR_JOB,
			   "3 of 7 nodes have edges, which cannot be put into 4 clusters");
		parts_release(&parts);
		parts_deal(&parts, &A, 2, 1, 1, 1);
		p.k = 3;
		p.rounds = 5;
		assert_ok(method[i](&parts.pool, &p, label, NULL));
		assert_int_equal(label[0], 3);
		parts_release(&parts);
	}
	csr_release(&A);
}

static void no_edges(void **state)
{
	struct fedspectral_params p;
	struct triple none;
	uint32_t label[5];
	struct parts parts;
	struct csr A;

	(void)state;
	csr_from_triples(&A, 5, 5, &none, 0);
	parts_deal(&parts, &A, 2, 1, 1, 1);
	fedspectral_defaults(&p, 0, 1, 1);
	assert_err(fedspectral_exact(&parts.pool, &p, label, NULL), ERR_JOB, "0 of 5 nodes");
	parts_release(&parts);
	csr_release(&A);
}

/* So many rows that k-means begins on some of them; any threads. */
static void many_nodes(void **state)
{
	enum { MANY = 20000 };
	uint32_t *class = alloc(MANY, sizeof(*class)), *label = alloc(MANY, sizeof(*label));
	uint32_t *again = alloc(MANY, sizeof(*again));
	struct fedspectral_params p;
	struct parts parts;
	struct csr A;

	(void)state;
	assert_true(MANY > (size_t)FEDSPECTRAL_SAMPLE);
	parts_planted(&A, MANY, 3, 12 * MANY, 0.02, 1, class);
	fedspectral_defaults(&p, 3, 1, 1);
	p.restarts = 3;
	for (unsigned threads = 1; threads <= 2; threads++) {
		p.threads = threads;
		parts_deal(&parts, &A, 2, 1, 1, threads);
		assert_ok(fedspectral_exact(&parts.pool, &p, threads == 1 ? label : again, NULL));
		parts_release(&parts);
	}
	assert_agree(class, label, MANY, 0.99, "20000 nodes");
	assert_memory_equal(label, again, MANY * sizeof(*label));
	csr_release(&A);
	free(again);
	free(label);
	free(class);
}

/* ---- a party ---- */

/* Rows of a small graph, named in another order among more nodes. */
static void rows_of_other_names(void **state)
{
	static const uint32_t row[] = { 6, 1, 4, 2 };
	struct triple t[] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 3 },
			      { 2, 0, 3 }, { 1, 2, 5 }, { 2, 1, 5 } };
	double degree[8], joint[8] = { 0, 9, 0, 1, 8, 0, 25, 0 };
	struct fedspectral_party p;
	struct mat V, Y;
	struct csr own;

	(void)state;
	csr_from_triples(&own, 4, 4, t, 6);
	fedspectral_party_init(&p, &own, row, 8, 1);
	for (size_t i = 0; i < 8; i++)
		for (size_t e = p.A.start[i] + 1; e < p.A.start[i + 1]; e++)
			assert_true(p.A.index[e] > p.A.index[e - 1]);
	fedspectral_party_degrees(&p, degree);
	assert_near(degree[6], 5, 0);
	assert_near(degree[1], 7, 0);
	assert_near(degree[4], 8, 0);
	assert_near(degree[2], 0, 0);
	fedspectral_party_join(&p, joint); /* rows 1, 3, 4 and 6 */
	assert_int_equal(p.A.rows, 4);
	mat_init(&V, 4, 1);
	for (size_t i = 0; i < 4; i++)
		V.a[i] = (double)(i + 1);
	mat_init(&Y, 4, 1);
	spectral_graph_rows(&p.part, &V, 0, 4, Y.a);
	assert_near(Y.a[0], 5 * 3 / sqrt(9 * 8) + 2 * 4 / sqrt(9 * 25), 1e-15);
	assert_near(Y.a[1], 0, 0);
	assert_near(Y.a[2], 5 * 1 / sqrt(8 * 9) + 3 * 4 / sqrt(8 * 25), 1e-15);
	assert_near(Y.a[3], 2 * 1 / sqrt(25 * 9) + 3 * 3 / sqrt(25 * 8), 1e-15);
	Y.a[0] = -1;
	spectral_graph_rows(&p.part, &V, 2, 1, Y.a);
	assert_near(Y.a[0], 5 * 1 / sqrt(8 * 9) + 3 * 4 / sqrt(8 * 25), 1e-15);
	mat_release(&Y);
	mat_release(&V);
	fedspectral_party_release(&p);
	csr_release(&own);
}

/* (I - L)^3 V by the dense matrix. */
static void powers(void **state)
{
	struct fedspectral_party p;
	struct mat V, W, M, I;

	(void)state;
	fedspectral_party_init(&p, &graph, NULL, N, 2);
	mat_init(&I, N, N);
	for (size_t i = 0; i < N; i++)
		MAT(&I, i, i) = 1;
	assert_ok(spectral_graph_times(&p.part, &I, &M));
	sample_normal(&V, N, 5, 1);
	mat_copy(&W, &V);
	fedspectral_party_powers(&p, 3, &V);
	for (int t = 0; t < 3; t++) {
		struct mat next;

		la_mul_nn(&M, &W, 1, &next);
		mat_release(&W);
		W = next;
	}
	assert_mat_near(&V, &W, 1e-13);
	for (size_t j = 0; j < 5; j++)
		assert_near(MAT(&V, N - 1, j), 0, 0);
	mat_release(&W);
	mat_release(&V);
	mat_release(&M);
	mat_release(&I);
	fedspectral_party_release(&p);
}

/* ---- the paper's ---- */

/* Who has all edges finds what central clustering does, after enough rounds. */
static void plus_of_one_party(void **state)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];

	(void)state;
	parts_deal(&parts, &graph, 1, 1, 1, 1);
	fedspectral_defaults(&p, K, 1, 1);
	p.rounds = 20;
	assert_ok(fedspectral_plus(&parts.pool, &p, label, &report));
	assert_agree(central, label, N, 1, "fedspectral+ of one");
	assert_int_equal(report.rounds, 20);
	assert_int_equal(report.isolated, ALONE);
	parts_release(&parts);
	parts_deal(&parts, &graph, 4, 2, 1, 1);
	assert_ok(fedspectral_plus(&parts.pool, &p, label, NULL));
	assert_agree(truth, label, N, 0.9, "fedspectral+ of four");
	parts_release(&parts);
}

static void plain_of_equal_parties(void **state)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];

	(void)state;
	fedspectral_defaults(&p, K, 1, 1);
	parts_deal(&parts, &graph, 3, 3, 1, 1);
	assert_ok(fedspectral_plain(&parts.pool, &p, label, &report));
	assert_agree(central, label, N, 1, "fedspectral of three who have all");
	assert_int_equal(report.clusters, K + 1);
	parts_release(&parts);
}

static enum err given_cells(void *ctx, size_t k, uint32_t *label)
{
	(void)k;
	memcpy(label, ctx, 3 * 40 * sizeof(*label));
	return ERR_OK;
}

/* Against the similarity graph itself (equation 1), whose eigenvectors LAPACK makes. */
static void plain_is_of_the_similarity_graph(void **state)
{
	struct fedspectral_params p;
	uint32_t cell[3 * 40], label[40], expected[40];
	struct fedspectral_pool pool = { .n = 40, .parties = 3, .ctx = cell, .cells = given_cells };
	struct triple *t = alloc(40 * 40 * 3, sizeof(*t));
	size_t count = 0;
	struct rng rng;
	struct csr S;

	(void)state;
	rng_seed(&rng, 3, 3);
	for (size_t l = 0; l < 3; l++) /* 3 of 10 at random, others by what they are; 3: none */
		for (uint32_t i = 0; i < 40; i++)
			cell[l * 40 + i] =
			    rng_below(&rng, 10) < 3 ? (uint32_t)rng_below(&rng, 4) : i % 3;
	for (size_t l = 0; l < 3; l++)
		cell[l * 40 + 39] = 3;
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t j = 0; j < 40; j++)
			for (size_t l = 0; l < 3; l++)
				if (cell[l * 40 + i] == cell[l * 40 + j] && cell[l * 40 + i] < 3)
					t[count++] = (struct triple){ i, j, 1.0 / 3 };
	csr_from_triples(&S, 40, 40, t, count);
	parts_central(&S, 3, expected);
	fedspectral_defaults(&p, 3, 1, 1);
	assert_ok(fedspectral_plain(&pool, &p, label, NULL));
	assert_agree(expected, label, 40, 1, "similarity graph");
	assert_int_equal(label[39], 3);
	csr_release(&S);
	free(t);
}

/* A party without as many nodes as clusters, and one without any edge. */
static void cells_of_few(void **state)
{
	struct triple t[] = { { 1, 3, 1 }, { 3, 1, 1 } };
	struct fedspectral_party p;
	uint32_t label[5];
	struct csr A;

	(void)state;
	for (size_t count = 0; count <= 2; count += 2) {
		csr_from_triples(&A, 5, 5, t, count);
		fedspectral_party_init(&p, &A, NULL, 5, 1);
		assert_ok(fedspectral_party_cells(&p, 3, 2, 1, label));
		assert_int_equal(label[0], 3);
		assert_int_equal(label[1], count ? 0 : 3);
		assert_int_equal(label[3], count ? 1 : 3);
		fedspectral_party_release(&p);
		csr_release(&A);
	}
}

/* ---- what fails ---- */

static unsigned falters; /* after so many more calls */
static struct fedspectral_pool sound;

static enum err falter(void)
{
	return falters-- == 0 ? err_set(ERR_PEER, "the sum failed") : ERR_OK;
}

static enum err bad_degrees(void *ctx, double *degree)
{
	TRY(falter());
	return sound.degrees(ctx, degree);
}

static enum err bad_products(void *ctx, const struct mat *V, struct mat *Y)
{
	TRY(falter());
	return sound.products(ctx, V, Y);
}

static enum err bad_powers(void *ctx, const struct mat *V, struct mat *Y)
{
	TRY(falter());
	return sound.powers(ctx, V, Y);
}

static enum err bad_cells(void *ctx, size_t k, uint32_t *label)
{
	TRY(falter());
	return sound.cells(ctx, k, label);
}

static void errors_come_through(void **state)
{
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];

	(void)state;
	fedspectral_defaults(&p, K, 1, 1);
	for (unsigned after = 0; after < 3; after++) {
		parts_deal(&parts, &graph, 2, 1, 1, 1);
		sound = parts.pool;
		parts.pool.degrees = bad_degrees;
		parts.pool.products = bad_products;
		parts.pool.powers = bad_powers;
		parts.pool.cells = bad_cells;
		falters = after;
		assert_err(fedspectral_plus(&parts.pool, &p, label, NULL), ERR_PEER, "sum failed");
		falters = after;
		assert_err(fedspectral_exact(&parts.pool, &p, label, NULL), ERR_PEER, "sum failed");
		falters = 0;
		assert_err(fedspectral_plain(&parts.pool, &p, label, NULL), ERR_PEER, "sum failed");
		parts_release(&parts);
	}
	parts_deal(&parts, &graph, 2, 1, 1, 1);
	p.rounds = 2;
	assert_err(fedspectral_exact(&parts.pool, &p, label, NULL), ERR_JOB, "after 2 rounds");
	parts_release(&parts);
}

/* ---- real graphs ---- */

static void check_real(const char *set, unsigned rounds)
{
	static const size_t split[][2] = { { 5, 2 }, { 5, 0 }, { 2, 1 }, { 10, 4 }, { 20, 8 } };
	struct fedspectral_report report;
	struct fedspectral_params p;
	uint32_t *all, *label;
	struct csr A;

	if (!parts_read(set, &A)) {
		print_message("no %s here\n", set);
		skip();
		return;
	}
	ALLOC(all, A.rows);
	ALLOC(label, A.rows);
	parts_central(&A, 10, all);
	fedspectral_defaults(&p, 10, 1, 2);
	for (size_t s = 0; s < sizeof(split) / sizeof(*split); s++) {
		struct parts parts;
		struct metrics m;

		parts_deal(&parts, &A, split[s][0], split[s][1], 1, 1);
		assert_ok(fedspectral_exact(&parts.pool, &p, label, &report));
		assert_ok(metrics_of(all, label, A.rows, &m));
		print_message("%s, %zu parties, edges at %zu: %u rounds, similarity %.6f, ARI "
			      "%.6f\n",
			      set, split[s][0], split[s][1], report.rounds, m.similarity, m.ari);
		assert_true(m.similarity >= 0.9999);
		assert_true(m.ari >= 0.999);
		assert_in_range(report.rounds, 1, rounds);
		parts_release(&parts);
	}
	free(label);
	free(all);
	csr_release(&A);
}

static void email_eu_core(void **state)
{
	(void)state;
	check_real("email-eu-core", 12);
}

static void ego_facebook(void **state)
{
	(void)state;
	check_real("ego-facebook", 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_is_central),
		cmocka_unit_test(exact_on_random_graphs),
		cmocka_unit_test(multiplicities_are_weights),
		cmocka_unit_test(eigenvalues_and_gap),
		cmocka_unit_test(components),
		cmocka_unit_test(clusters_by_size),
		cmocka_unit_test(too_few_nodes),
		cmocka_unit_test(no_edges),
		cmocka_unit_test(many_nodes),
		cmocka_unit_test(rows_of_other_names),
		cmocka_unit_test(powers),
		cmocka_unit_test(plus_of_one_party),
		cmocka_unit_test(plain_of_equal_parties),
		cmocka_unit_test(plain_is_of_the_similarity_graph),
		cmocka_unit_test(cells_of_few),
		cmocka_unit_test(errors_come_through),
		cmocka_unit_test(email_eu_core),
		cmocka_unit_test(ego_facebook),
	};

	return cmocka_run_group_tests(tests, plant, uproot);
}
