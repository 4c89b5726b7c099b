/* FedSpectral's variant `exact`, which sums products, equals central clustering for any split of
 * the edges. */
#include "tests/unit/protocols/fedspectral/parts_planted.h"

/* Sets parameters as published. With tau 0 the eigenvalues are those of the pooled graph's
 * normalised adjacency matrix. */
static void letter(struct fedspectral_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	fedspectral_defaults(p, k, seed, threads);
	p->tau = 0;
}

/* For any split of the edges, exact equals the clustering of all edges. Splits with copies of each
 * edge at several parties are included. */
TEST(exact_is_central)
{
	static const size_t split[][2] = { { 1, 1 }, { 2, 1 }, { 2, 0 },  { 3, 1 },  { 5, 3 },
					   { 7, 0 }, { 7, 7 }, { 20, 1 }, { 20, 0 }, { 20, 8 } };
	struct fedspectral_report report;
	struct fedspectral_params p;
	uint32_t label[N];

	letter(&p, K, 1, 2);
	for (size_t s = 0; s < sizeof(split) / sizeof(*split); s++) {
		struct parts parts;
		char what[64];

		snprintf(what, sizeof(what), "%zu parties, edges at %zu", split[s][0], split[s][1]);
		parts_deal(&parts, &graph, split[s][0], split[s][1], s, 1);
		assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, &report));
		assert_agree(central, label, N, 1, what);
		assert_int_equal(report.isolated, ALONE);
		assert_int_equal(report.clusters, K + 1);
		assert_int_equal(report.near_1, 1);
		assert_true(report.residual <= 1e-3);
		parts_release(&parts);
	}
}

/* Random graphs have no clear clusters, so small differences change labels. */
TEST(exact_on_random_graphs)
{
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct fedspectral_params p;
		uint32_t all[60], label[60];
		struct parts parts;
		struct graph g;

		sample_graph(&g, 60, 150, 3, seed % 2, seed);
		letter(&p, 3, 1, 1);
		p.tolerance = 1e-8;
		parts_central(&g.adjacency, 3, all);
		for (size_t count = 1; count <= 4; count++)
			for (size_t held = 0; held <= count; held++) {
				parts_deal(&parts, &g.adjacency, count, held, seed, 1);
				assert_ok(
				    fedspectral_exact(&parts.parties, parts.n, &p, label, NULL));
				assert_agree(all, label, 60, 1, "random graph");
				parts_release(&parts);
			}
		graph_release(&g);
	}
}

/* If each of two parties has an edge, the weight of the edge is 2. */
TEST(multiplicities_are_weights)
{
	struct csr twice;
	struct parts two, one;
	struct fedspectral_report r, s;
	struct fedspectral_params p;
	uint32_t a[N], b[N];
	struct fedspectral_question degrees = { .kind = FEDSPECTRAL_DEGREES };
	double da[N], db[N];

	csr_copy(&twice, &graph);
	parts_deal(&two, &graph, 3, 2, 4, 1); /* only the first two of three parties are used */
	for (size_t i = 0; i < N; i++)
		for (size_t e = graph.start[i]; e < graph.start[i + 1]; e++) {
			twice.value[e] = 0;
			for (size_t l = 0; l < 2; l++)
				for (size_t o = two.party[l].A.start[i];
				     o < two.party[l].A.start[i + 1]; o++)
					twice.value[e] += two.party[l].A.index[o] == graph.index[e];
			/* Two of three parties have the edge, so one of the first two has it. */
			assert_true(twice.value[e] >= 1);
		}
	two.memory.count = two.parties.count = 2;
	parts_deal(&one, &twice, 1, 1, 0, 1);
	assert_ok(parties_sum(&two.parties, &degrees, da, N));
	assert_ok(parties_sum(&one.parties, &degrees, db, N));
	assert_memory_equal(da, db, sizeof(da));
	parts_release(&two);
	parts_release(&one);
	parts_deal(&two, &graph, 3, 2, 4, 1);
	two.memory.count = two.parties.count = 2;
	parts_deal(&one, &twice, 1, 1, 0, 1);
	letter(&p, K, 1, 1);
	assert_ok(fedspectral_exact(&two.parties, two.n, &p, a, &r));
	assert_ok(fedspectral_exact(&one.parties, one.n, &p, b, &s));
	assert_agree(b, a, N, 1, "weights");
	for (size_t i = 0; i < K; i++)
		assert_near(r.value[i], s.value[i], 1e-9);
	parts_release(&two);
	parts_release(&one);
	csr_release(&twice);
}

/* Compares eigenvalues with a dense solver's, and checks the gap and the k that it gives. */
TEST(eigenvalues_and_gap)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];
	double value[K + 1];
	struct spectral_graph g;
	struct mat I, M, E;

	spectral_graph_init(&g, &graph, 1);
	mat_init(&I, N, N);
	for (size_t i = 0; i < N; i++)
		MAT(&I, i, i) = 1;
	assert_ok(spectral_graph_times(&g, &I, &M));
	assert_ok(la_eigen_top(&M, K + 1, value, &E));
	parts_deal(&parts, &graph, 3, 1, 1, 1);
	letter(&p, 0, 1, 1);
	assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, &report));
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

/* Five classes without edges between them give five eigenvalues of 1 and five clusters. */
TEST(test_classes_apart)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	uint32_t class[200], label[200];
	struct parts parts;
	struct csr A;

	parts_planted(&A, 200, 5, 2000, 0, 0, class);
	parts_deal(&parts, &A, 4, 1, 1, 1);
	letter(&p, 0, 1, 1);
	assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, &report));
	assert_int_equal(report.near_1, 5);
	assert_int_equal(report.k, 5);
	assert_int_equal(report.clusters, 5);
	assert_agree(class, label, 200, 1, "components");
	parts_release(&parts);
	csr_release(&A);
}

/* Runs exact for k clusters on `count` triangles. If bridge > 0, an edge of this weight links each
 * triangle to the next. */
static struct fedspectral_report triangles(size_t count, double bridge, unsigned k)
{
	size_t n = 3 * count, edges = 0;
	struct triple *t = alloc(8 * count, sizeof(*t));
	uint32_t *label = alloc(n, sizeof(*label));
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	struct csr A;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = i % 3 == 2 ? i - 2 : i + 1;

		t[edges++] = (struct triple){ i, next, 1 };
		t[edges++] = (struct triple){ next, i, 1 };
		if (bridge > 0 && i % 3 == 2 && i + 1 < n) {
			t[edges++] = (struct triple){ i, i + 1, bridge };
			t[edges++] = (struct triple){ i + 1, i, bridge };
		}
	}
	csr_from_triples(&A, n, n, t, edges);
	parts_deal(&parts, &A, 2, 1, 1, 1);
	letter(&p, k, 1, 1);
	assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, &report));
	parts_release(&parts);
	csr_release(&A);
	free(label);
	free(t);
	return report;
}

/* If there are more components than computed eigenvalues, all computed eigenvalues are near 1. A
 * component with a very weak bridge has two eigenvalues near 1, as two components have. */
TEST(test_near_1_counts_no_components)
{
	struct fedspectral_report many = triangles(20, 0, 5), few = triangles(3, 0, 2);
	struct fedspectral_report hanging = triangles(2, 1e-8, 2), tied = triangles(2, 0.1, 2);

	assert_true(many.near_1 == many.values && many.values < 20);
	assert_true(few.near_1 == 3 && few.values > 3);
	assert_true(hanging.near_1 == 2 && hanging.values > 2);
	assert_true(tied.near_1 == 1);
}

/* Numbers clusters by falling size; nodes without edges form the last one. */
TEST(clusters_by_size)
{
	struct triple t[400];
	size_t count = 0, size[4] = { 0 };
	struct fedspectral_params p;
	uint32_t label[24];
	struct parts parts;
	struct csr A;

	for (uint32_t i = 0; i < 20; i++) /* cliques of 4, 6 and 10 nodes */
		for (uint32_t j = 0; j < 20; j++)
			if (i != j && (i < 4) == (j < 4) && (i < 10) == (j < 10))
				t[count++] = (struct triple){ i, j, 1 };
	csr_from_triples(&A, 24, 24, t, count);
	parts_deal(&parts, &A, 2, 1, 1, 1);
	letter(&p, 3, 1, 1);
	assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, NULL));
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

/* With many rows k-means starts on a sample. Labels are the same for any number of threads. */
TEST(many_nodes)
{
	enum { MANY = 20000 };
	uint32_t *class = alloc(MANY, sizeof(*class)), *label = alloc(MANY, sizeof(*label));
	uint32_t *again = alloc(MANY, sizeof(*again));
	struct fedspectral_params p;
	struct parts parts;
	struct csr A;

	assert_true(MANY > (size_t)FEDSPECTRAL_SAMPLE);
	parts_planted(&A, MANY, 3, 12 * MANY, 0.02, 1, class);
	letter(&p, 3, 1, 1);
	p.restarts = 3;
	for (unsigned threads = 1; threads <= 2; threads++) {
		p.threads = threads;
		parts_deal(&parts, &A, 2, 1, 1, threads);
		assert_ok(fedspectral_exact(&parts.parties, parts.n, &p,
					    threads == 1 ? label : again, NULL));
		parts_release(&parts);
	}
	assert_agree(class, label, MANY, 0.99, "20000 nodes");
	assert_memory_equal(label, again, MANY * sizeof(*label));
	csr_release(&A);
	free(again);
	free(label);
	free(class);
}

TESTS_BETWEEN(plant, uproot)
