#include "tests/unit/graph/data.h"
#include "protocols/kcagc/order_search.h"
#include "lab/pooled/agc.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/metrics.h"

enum { N = PLANTED_NODES, K = PLANTED_CLASSES };

static struct metrics run(struct agc_params p, uint32_t *label)
{
	static uint32_t truth[N];
	struct features X;
	struct metrics m;
	struct graph g;

	planted(&X, &g, truth);
	assert_ok(agc(&X, &g, &p, label));
	assert_ok(metrics_of(truth, label, N, &m));
	graph_release(&g);
	return m;
}

/* Finds the planted classes, which needs the graph: without filtering, accuracy is below 0.9. */
TEST(finds_planted_classes)
{
	struct agc_params p = { .k = K, .psi = 6, .restarts = 10, .iterations = 100, .threads = 1 };
	static uint32_t label[N];
	struct metrics m;

	m = run(p, label);
	assert_true(m.acc > 0.95 && m.nmi > 0.9 && m.ari > 0.9 && m.f1 > 0.95);
	p.filter = FILTER_SPECTRAL;
	assert_true(run(p, label).acc > 0.95);
	p.psi = 0;
	assert_true(run(p, label).acc < 0.9);
}

/* agc() gives the labels of its two steps: embed(), then kmeans(). */
TEST(is_embed_and_kmeans)
{
	static uint32_t truth[N], label[N], expected[N];

	for (int kind = 0; kind < 2; kind++) {
		enum filter_kind filter = kind ? FILTER_SPECTRAL : FILTER_HALF;
		struct agc_params p = { .k = 5,
					.filter = filter,
					.psi = 1,
					.restarts = 2,
					.iterations = 3,
					.seed = 8,
					.threads = 1 };
		struct embed_params e = {
			.filter = filter, .order = 1, .unit_basis = true, .dims = 5, .threads = 1
		};
		struct kmeans_params m = {
			.k = 5, .restarts = 2, .iterations = 3, .seed = 8, .threads = 1
		};
		struct features X;
		struct graph g;
		struct mat Z;

		run(p, label);
		planted(&X, &g, truth);
		assert_ok(embed(&X, &g, &e, &Z));
		kmeans(&Z, NULL, &m, expected, NULL, NULL);
		assert_memory_equal(label, expected, sizeof(label));
		mat_release(&Z);
		graph_release(&g);
	}
}

TEST(threads_do_not_matter)
{
	struct agc_params p = { .k = K, .psi = 1, .restarts = 10, .iterations = 100, .seed = 3 };
	static uint32_t label[N], again[N];

	p.threads = 1;
	run(p, label);
	for (p.threads = 2; p.threads <= 4; p.threads *= 2) {
		run(p, again);
		assert_memory_equal(label, again, sizeof(label));
	}
}

/* agc_order() applies AGC's rule for the filter order. The test computes the distances of each
 * order itself, from raw features and unit left singular vectors. */
TEST(order_is_by_the_rule)
{
	const struct agc_params p = {
		.k = K, .restarts = 3, .iterations = 10, .seed = 5, .threads = 1
	};
	const struct embed_params e = { .unit_basis = true, .dims = K, .threads = 1 };
	const struct kmeans_params m = {
		.k = K, .restarts = 3, .iterations = 10, .seed = 5, .threads = 1
	};
	static uint32_t label[N];
	double intra[ORDER_CAP];
	unsigned order, expected = 0;
	struct features X;
	struct graph g;
	struct csr none;

	planted(&X, &g, label);
	for (unsigned t = 0; t < ORDER_CAP && !expected; t++) {
		struct mat F, Z;

		assert_ok(embed_weighed(&X, &g, &e, &F));
		assert_ok(graph_filter(&g, e.filter, t + 1, 1, &F));
		assert_ok(embed_project(NULL, &F, &e, &Z));
		kmeans(&Z, NULL, &m, label, NULL, NULL);
		intra[t] = psi_intra(NULL, &F, label, K);
		expected = psi_agc(intra, t + 1);
		mat_release(&F);
		mat_release(&Z);
	}
	assert_true(expected > 0);
	assert_ok(agc_order(&X, &g, &p, &order));
	assert_int_equal(order, expected);
	graph_release(&g);
	csr_from_triples(&none, N, N, NULL, 0);
	/* The search ends when the intra-cluster distance rises. Without edges it never rises. */
	graph_init(&g, &none);
	assert_err(agc_order(&X, &g, &p, &order), ERR_JOB, "falls up to order 100");
	features_release(&X);
	graph_release(&g);
}

TEST(bad_input)
{
	struct agc_params p = { .k = 2, .restarts = 1, .iterations = 1, .threads = 1 };
	struct features X = { 0 };
	struct graph g;

	sample_graph(&g, 5, 4, 0, false, 1);
	sample_normal(&X.dense, 4, 3, 1);
	assert_err(agc(&X, &g, &p, NULL), ERR_INPUT, "5 nodes");
	graph_release(&g);
}

/* -- real data: the published accuracies ----------------------------------------------------- */

static void check_published(const char *set, unsigned k, unsigned psi, double acc)
{
	struct agc_params p = {
		.k = k, .psi = psi, .restarts = 10, .iterations = 100, .threads = 2
	};
	uint32_t *truth = NULL, *label;
	struct features X;
	struct metrics m;
	struct graph g;

	if (!read_cited(set, &X, &g, &truth))
		skip();
	ALLOC(label, g.adjacency.rows);
	assert_ok(agc(&X, &g, &p, label));
	assert_ok(metrics_of(truth, label, g.adjacency.rows, &m));
	assert_near(100 * m.acc, acc, 0.05);
	graph_release(&g);
	free(label);
	free(truth);
}

TEST(cora)
{
	check_published("cora", 7, 9, 68.17);
}

TEST(citeseer)
{
	check_published("citeseer", 6, 15, 68.39);
}
