/* The planted graph has the requested properties. */
#include "tests/test.h"

#include "cli/args/args.h"
#include "cli/synth/planted.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct planted_params cora = { .nodes = 2708,
					    .features = 1433,
					    .classes = 7,
					    .degree = 3.9,
					    .homophily = 0.8,
					    .signal = 0.4,
					    .seed = 1 };

TEST(test_sizes)
{
	size_t per_class[7] = { 0 }, same = 0, highest = 0;
	struct planted g;

	assert_ok(planted_make(&cora, &g));
	assert_int_equal(g.features.rows, 2708);
	assert_int_equal(g.features.cols, 1433);
	assert_int_equal(g.adjacency.start[2708],
			 2 * 5281); /* round(2708 * 3.9 / 2) edges, each in both directions */
	assert_null(g.features.value);
	assert_null(g.adjacency.value);
	for (size_t u = 0; u < 2708; u++) {
		size_t degree = g.adjacency.start[u + 1] - g.adjacency.start[u];

		per_class[g.label[u]]++;
		highest = degree > highest ? degree : highest;
		for (size_t e = g.adjacency.start[u]; e < g.adjacency.start[u + 1]; e++) {
			assert_int_not_equal(g.adjacency.index[e], u);
			same += g.label[g.adjacency.index[e]] == g.label[u];
		}
		assert_in_range(g.features.start[u + 1] - g.features.start[u], 1, 33);
	}
	/* The size of class r is proportional to 1 / (1 + r/2), up to rounding. */
	for (size_t r = 0; r < 7; r++) {
		double sum = 1 + 2.0 / 3 + 2.0 / 4 + 2.0 / 5 + 2.0 / 6 + 2.0 / 7 + 2.0 / 8;

		assert_in_range(per_class[r], 2708 / (1 + 0.5 * (double)r) / sum - 2,
				2708 / (1 + 0.5 * (double)r) / sum + 2);
	}
	/* 0.8 of the edges stay in a class, and about 0.18 of the others do so by chance. */
	assert_in_range(same * 1000 / g.adjacency.start[2708], 790, 880);
	assert_in_range(highest, 20, 90); /* the node with most edges, a hub, has 20 to 90 */
	/* A node has 14 to 18 words on average; in cora it has 18. */
	assert_in_range(10 * g.features.start[2708] / 2708, 140, 180);
	planted_release(&g);
}

static bool same(const struct csr *a, const struct csr *b)
{
	return a->rows == b->rows &&
	       !memcmp(a->start, b->start, (a->rows + 1) * sizeof(*a->start)) &&
	       !memcmp(a->index, b->index, a->start[a->rows] * sizeof(*a->index));
}

TEST(test_seed)
{
	struct planted_params other = cora;
	struct planted a, b, c;

	other.seed = 2;
	assert_ok(planted_make(&cora, &a));
	assert_ok(planted_make(&cora, &b));
	assert_ok(planted_make(&other, &c));
	assert_true(same(&a.adjacency, &b.adjacency) && same(&a.features, &b.features));
	assert_memory_equal(a.label, b.label, 2708 * sizeof(*a.label));
	assert_false(same(&a.adjacency, &c.adjacency) || same(&a.features, &c.features));
	planted_release(&a);
	planted_release(&b);
	planted_release(&c);
}

TEST(test_extreme_parameters)
{
	struct planted_params p = cora;
	struct planted g;

	p.homophily = 1; /* no edge between classes */
	p.signal = 1;    /* no word of another class */
	p.classes = 3;
	p.nodes = 60;
	p.features = 30;
	assert_ok(planted_make(&p, &g));
	for (size_t u = 0; u < 60; u++) {
		for (size_t e = g.adjacency.start[u]; e < g.adjacency.start[u + 1]; e++)
			assert_int_equal(g.label[g.adjacency.index[e]], g.label[u]);
		for (size_t v = 0; v < 60; v++) { /* nodes of different classes share no word */
			if (g.label[u] == g.label[v])
				continue;
			for (size_t e = g.features.start[u]; e < g.features.start[u + 1]; e++)
				for (size_t f = g.features.start[v]; f < g.features.start[v + 1];
				     f++)
					assert_int_not_equal(g.features.index[e],
							     g.features.index[f]);
		}
	}
	planted_release(&g);
	p.classes = 60; /* one node per class */
	p.features = 60;
	p.homophily = 0;
	assert_ok(planted_make(&p, &g));
	planted_release(&g);
	p.classes = 61;
	assert_err(planted_make(&p, &g), ERR_INPUT,
		   "61 classes, expected at most as many as nodes, 60");
	p.classes = 2;
	p.degree = 59.9;
	p.homophily = 1;
	assert_err(planted_make(&p, &g), ERR_INPUT,
		   "60 nodes have no room for a mean degree of 59.9");
	p.classes = 60;
	p.degree = 2;
	p.homophily = 1; /* a class of one node has no inner edge */
	assert_err(planted_make(&p, &g), ERR_INPUT, "no room");
	assert_null(g.label);
}

/* With --features 0, nodes have ids but no words. */
TEST_WITH(test_graph_alone, dir_enter, dir_leave)
{
	struct edges_dropped dropped;
	struct planted_params p = cora;
	struct planted g;
	struct csr a;
	struct ids ids;

	p.features = 0;
	p.nodes = 50;
	assert_ok(planted_make(&p, &g));
	assert_null(g.features.index);
	expect_command(synth_main, "--features 0 --nodes 50 --out out", 0,
		       "50 nodes, 0 features, 98 edges");
	assert_int_not_equal(access("out/features.mtx", F_OK), 0);
	assert_int_equal(access("out/labels.txt", F_OK), 0);
	assert_ok(ids_read("out/ids.txt", &ids));
	assert_ok(edges_read("out/edges.tsv", 50, &ids, &a, &dropped));
	assert_int_equal(a.start[50], g.adjacency.start[50]);
	for (size_t i = 0; i < 50; i++) {
		size_t node = ids.row[i];
		char expected[24];

		snprintf(expected, sizeof(expected), "n%zu", node);
		assert_string_equal(ids.id[i], expected);
		assert_int_equal(a.start[i + 1] - a.start[i],
				 g.adjacency.start[node + 1] - g.adjacency.start[node]);
	}
	csr_release(&a);
	ids_release(&ids);
	planted_release(&g);
	expect_command(synth_main, "--features 1 --out no", 4,
		       "--features is 1, expected 2 or more, or 0");
}
