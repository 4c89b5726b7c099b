#include "tests/unit/math/sample.h"
#include "common/math/agc.h"
#include "common/math/kmeans.h"
#include "common/math/metrics.h"

#include <stdio.h>

enum { N = 300, M = 60, K = 4 };

/* Planted: nodes of a class share words and edges, with noise in both. */
static void planted(struct features *X, struct graph *g, uint32_t *truth)
{
	struct triple *words, *edges;
	size_t w = 0, e = 0;
	struct csr a;
	struct rng rng;

	rng_seed(&rng, 12, 0);
	ALLOC(words, N * M);
	ALLOC(edges, 2 * N * N);
	for (uint32_t i = 0; i < N; i++)
		truth[i] = (uint32_t)rng_below(&rng, K);
	for (uint32_t i = 0; i < N; i++) {
		for (uint32_t j = 0; j < M; j++)
			if (rng_unit(&rng) < (j % K == truth[i] ? 0.2 : 0.08))
				words[w++] = (struct triple){ i, j, 1 };
		for (uint32_t j = 0; j < i; j++)
			if (rng_unit(&rng) < (truth[i] == truth[j] ? 0.1 : 0.01)) {
				edges[e++] = (struct triple){ i, j, 1 };
				edges[e++] = (struct triple){ j, i, 1 };
			}
	}
	*X = (struct features){ .is_sparse = true };
	csr_from_triples(&X->sparse, N, M, words, w);
	csr_from_triples(&a, N, N, edges, e);
	graph_init(g, &a);
	free(edges);
	free(words);
}

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

/* The planted classes come back, and it takes the graph to find them. */
static void finds_planted_classes(void **state)
{
	struct agc_params p = { .k = K, .psi = 6, .restarts = 10, .iterations = 100, .threads = 1 };
	static uint32_t label[N];
	struct metrics m;

	(void)state;
	m = run(p, label);
	assert_true(m.acc > 0.95 && m.nmi > 0.9 && m.ari > 0.9 && m.f1 > 0.95);
	p.filter = FILTER_SPECTRAL;
	assert_true(run(p, label).acc > 0.95);
	p.psi = 0;
	assert_true(run(p, label).acc < 0.9);
}

/* What its header says, step by step. */
static void is_embed_and_kmeans(void **state)
{
	static uint32_t truth[N], label[N], expected[N];

	(void)state;
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

static void threads_do_not_matter(void **state)
{
	struct agc_params p = { .k = K, .psi = 1, .restarts = 10, .iterations = 100, .seed = 3 };
	static uint32_t label[N], again[N];

	(void)state;
	p.threads = 1;
	run(p, label);
	for (p.threads = 2; p.threads <= 4; p.threads *= 2) {
		run(p, again);
		assert_memory_equal(label, again, sizeof(label));
	}
}

static void bad_input(void **state)
{
	struct agc_params p = { .k = 2, .restarts = 1, .iterations = 1, .threads = 1 };
	struct features X = { 0 };
	struct graph g;

	(void)state;
	sample_graph(&g, 5, 4, 0, false, 1);
	sample_normal(&X.dense, 4, 3, 1);
	assert_err(agc(&X, &g, &p, NULL), ERR_INPUT, "5 nodes");
	graph_release(&g);
}

/* -- real data: the published accuracies ----------------------------------------------------- */

static FILE *data_file(const char *set, const char *name)
{
	const char *root = getenv("COTERIE_DATA");
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s", root ? root : "../shared/data", set, name);
	return fopen(path, "r");
}

static struct features read_words(FILE *f)
{
	struct features X = { .is_sparse = true };
	size_t rows, cols, count;
	struct triple *t;

	assert_int_equal(fscanf(f, "%*[^\n] %zu %zu %zu", &rows, &cols, &count), 3);
	ALLOC(t, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(fscanf(f, "%u %u %lf", &t[i].row, &t[i].col, &t[i].value), 3);
		t[i].row--;
		t[i].col--;
	}
	csr_from_triples(&X.sparse, rows, cols, t, count);
	free(t);
	fclose(f);
	return X;
}

static void read_graph(FILE *f, size_t n, struct graph *g)
{
	size_t count = 0;
	struct triple *t = NULL;
	struct csr a;
	uint32_t i, j;

	while (fscanf(f, "%u %u", &i, &j) == 2) {
		t = alloc_again(t, count + 2, sizeof(*t));
		t[count++] = (struct triple){ i, j, 1 };
		t[count++] = (struct triple){ j, i, 1 };
	}
	csr_from_triples(&a, n, n, t, count);
	graph_init(g, &a);
	free(t);
	fclose(f);
}

/* All nodes count, citeseer's 15 unlabelled ones too: as in the published number. */
static void check_published(const char *set, unsigned k, unsigned psi, double acc)
{
	struct agc_params p = {
		.k = k, .psi = psi, .restarts = 10, .iterations = 100, .threads = 2
	};
	FILE *words = data_file(set, "features.mtx"), *labels = data_file(set, "labels.txt");
	FILE *edges = data_file(set, "edges.tsv");
	uint32_t *truth, *label;
	struct features X;
	struct metrics m;
	struct graph g;

	if (!words || !labels || !edges)
		skip();
	X = read_words(words);
	read_graph(edges, X.sparse.rows, &g);
	ALLOC(truth, g.adjacency.rows);
	ALLOC(label, g.adjacency.rows);
	for (size_t i = 0; i < g.adjacency.rows; i++)
		assert_int_equal(fscanf(labels, "%u", &truth[i]), 1);
	fclose(labels);
	assert_ok(agc(&X, &g, &p, label));
	assert_ok(metrics_of(truth, label, g.adjacency.rows, &m));
	assert_near(100 * m.acc, acc, 0.05);
	graph_release(&g);
	free(label);
	free(truth);
}

static void cora(void **state)
{
	(void)state;
	check_published("cora", 7, 9, 68.17);
}

static void citeseer(void **state)
{
	(void)state;
	check_published("citeseer", 6, 15, 68.39);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_planted_classes),
		cmocka_unit_test(is_embed_and_kmeans),
		cmocka_unit_test(threads_do_not_matter),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(cora),
		cmocka_unit_test(citeseer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
