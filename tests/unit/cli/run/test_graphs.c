/* Tests sets of graphs: planting, splitting, and scores of a run versus its baselines. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "cli/run/graph_scores.h"
#include "cli/report/picture.h"
#include "cli/synth/planted_graphs.h"
#include "cli/split/split.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "protocols/fedgcn/file.h"
#include "common/data/labels.h"
#include "common/data/tu.h"
#include "common/learn/gin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void plant(const char *name, size_t graphs, size_t classes, size_t attributes, uint64_t seed,
		  struct tu *tu)
{
	struct planted_graphs_params p = { graphs, 12, classes, attributes, 0.95, seed };
	struct planted_graphs_counts counts;

	assert_ok(planted_graphs_write(in(name), &p, &counts));
	assert_ok(tu_read(in(name), tu));
	assert_int_equal(graphs_nodes(&tu->graphs), counts.nodes);
	assert_int_equal(tu->graphs.A.start[counts.nodes], 2 * counts.edges);
}

/* ---- planted sets ---- */

TEST_WITH(test_planted, dir_make, dir_remove)
{
	double degree[3] = { 0 }, size[3] = { 0 };
	uint32_t *label;
	size_t classes;
	struct tu tu;

	plant("set", 91, 3, 2, 5, &tu);
	assert_int_equal(tu.graphs.count, 91);
	assert_int_equal(tu.graphs.attribute.cols, 2);
	assert_int_equal(tu.loops + tu.twice + tu.edgeless, 0);
	ALLOC(label, 91);
	tu_classes(&tu, label, &classes);
	assert_int_equal(classes, 3);
	for (size_t g = 0; g < 91; g++) {
		size_t first = tu.graphs.first[g], end = tu.graphs.first[g + 1];

		assert_in_range(end - first, 9, 15);
		size[label[g]] += (double)(end - first) / 30;
		degree[label[g]] += (double)(tu.graphs.A.start[end] - tu.graphs.A.start[first]) /
				    (double)(end - first) / 30;
	}
	for (int c = 0; c < 3; c++)
		assert_true(fabs(size[c] - 12) < 1);
	assert_true(degree[0] < 2.2 && degree[1] > 3 && degree[2] > degree[1] + 0.5);
	free(label);
	tu_release(&tu);
}

TEST_WITH(test_same_seed_same_graphs, dir_make, dir_remove)
{
	struct tu a, b, c;
	size_t nodes;

	plant("a", 20, 2, 1, 5, &a);
	plant("b", 20, 2, 1, 5, &b);
	plant("c", 20, 2, 1, 6, &c);
	nodes = graphs_nodes(&a.graphs);
	assert_int_equal(nodes, graphs_nodes(&b.graphs));
	assert_memory_equal(a.graphs.A.start, b.graphs.A.start, (nodes + 1) * sizeof(size_t));
	assert_memory_equal(a.graphs.attribute.a, b.graphs.attribute.a, nodes * sizeof(double));
	assert_memory_equal(a.class, b.class, 20 * sizeof(*a.class));
	assert_true(memcmp(a.class, c.class, 20 * sizeof(*a.class)) != 0);
	tu_release(&a);
	tu_release(&b);
	tu_release(&c);
}

/* ---- split ---- */

static void read_numbers(const char *path, struct labels *l)
{
	assert_ok(labels_read(path, l)); /* one whole number a line */
}

/* Each graph is at exactly one party, unchanged. */
TEST_WITH(test_split, dir_make, dir_remove)
{
	struct split_params p = { .by = SPLIT_GRAPHS, .parties = 3, .seed = 4 };
	struct tu whole, part;
	bool seen[50] = { false };

	plant("whole", 50, 2, 2, 1, &whole);
	p.data = in("whole");
	p.out = in("split");
	assert_ok(split_data(&p));
	for (int l = 0; l < 3; l++) {
		struct labels which;
		char name[64];

		snprintf(name, sizeof(name), "split/party-%02d", l);
		assert_ok(tu_read(in(name), &part));
		snprintf(name, sizeof(name), "split/party-%02d/graphs.txt", l);
		read_numbers(in(name), &which);
		assert_int_equal(which.n, part.graphs.count);
		assert_in_range(which.n, 16, 17);
		for (size_t i = 0; i < which.n; i++) {
			size_t g = which.label[i] - 1, from = whole.graphs.first[g];
			size_t to = part.graphs.first[i], n = whole.graphs.first[g + 1] - from;

			assert_false(seen[g]);
			seen[g] = true;
			assert_int_equal(part.graphs.first[i + 1] - to, n);
			assert_int_equal(part.class[i], whole.class[g]);
			assert_int_equal(part.graphs.A.start[to + n] - part.graphs.A.start[to],
					 whole.graphs.A.start[from + n] -
					     whole.graphs.A.start[from]);
			assert_memory_equal(ROW(&part.graphs.attribute, to),
					    ROW(&whole.graphs.attribute, from),
					    n * 2 * sizeof(double));
		}
		labels_release(&which);
		tu_release(&part);
	}
	for (size_t g = 0; g < 50; g++)
		assert_true(seen[g]);
	tu_release(&whole);
}

TEST_WITH(test_split_by_class, dir_make, dir_remove)
{
	struct split_params p = { .by = SPLIT_GRAPHS, .parties = 2, .seed = 4, .skew = 1 };
	struct tu whole, part;

	plant("whole", 50, 2, 0, 1, &whole);
	tu_release(&whole);
	p.data = in("whole");
	p.out = in("skewed");
	assert_ok(split_data(&p));
	assert_ok(tu_read(in("skewed/party-00"), &part));
	for (size_t i = 1; i < part.graphs.count; i++)
		assert_int_equal(part.class[i], part.class[0]);
	tu_release(&part);
	p.parties = 51;
	assert_err(split_data(&p), ERR_INPUT,
		   "has 50 graphs, expected at least one for each of 51");
	assert_int_equal(unlink(in("whole/whole_graph_labels.txt")), 0);
	p.parties = 2;
	assert_err(split_data(&p), ERR_INPUT, "no graph labels there, which a skew needs");
}

/* ---- scores ---- */

static void put_run(const char *name, const char *role, const char *graphs)
{
	char path[128], text[1024], data[300] = "";

	snprintf(path, sizeof(path), "%s/%s", "run", name);
	assert_ok(file_make_dirs(in(path)));
	if (graphs)
		snprintf(data, sizeof(data), ", \"data\": {\"graphs\": \"%s\"}", in(graphs));
	snprintf(text, sizeof(text),
		 "{\"schema_version\": 1, \"software\": \"coterie\", \"role\": \"%s\", \"name\": "
		 "\"%s\", \"job_id\": \"0123456789abcdef0123456789abcdef\", \"attempt\": 1, "
		 "\"status\": \"done\", \"job\": {\"kind\": \"fedgcn\", \"clusters\": 2, \"seed\": "
		 "1}%s}\n",
		 role, name, data);
	snprintf(path, sizeof(path), "run/%s/run.json", name);
	put(in(path), text);
}

/* Writes labels that equal the truth except for the first `wrong` graphs. */
static void put_labels(const char *path, const struct tu *tu, size_t wrong)
{
	uint32_t *label;
	size_t classes;

	ALLOC(label, tu->graphs.count);
	tu_classes(tu, label, &classes);
	for (size_t i = 0; i < wrong; i++)
		label[i] = 1 - label[i];
	assert_ok(labels_write(in(path), NULL, NULL, label, NULL, tu->graphs.count));
	free(label);
}

static double of(const struct json *e, const char *mean, const char *way, const char *score)
{
	return json_number(json_get(run_object(run_object(e, mean), way), score));
}

TEST_WITH(test_scores, dir_make, dir_remove)
{
	struct run_dir runs;
	struct json *e;
	struct tu a, b;

	plant("set-a", 40, 2, 0, 1, &a);
	plant("set-b", 10, 2, 0, 2, &b);
	put_run("coordinator", "coordinator", NULL);
	put_run("party-00", "party", "set-a");
	put_run("party-01", "party", "set-b");
	put_labels("run/party-00/labels.csv", &a, 4);
	put_labels("run/party-01/labels.csv", &b, 2);
	put_labels("run/party-00/baseline-size.csv", &a, 8);
	put_labels("run/party-01/baseline-size.csv", &b, 2);
	/* Party-01 has no baseline-alone.csv, so the scores of `alone` have no mean. */
	put_labels("run/party-00/baseline-alone.csv", &a, 0);
	assert_ok(run_dir_read(in("run"), &runs));
	assert_true(run_is_of_graphs(runs.process[0].run));
	assert_ok(graph_scores_make(&runs, "own", &e));
	assert_true(fabs(of(e, "mean", "result", "acc") - 0.85) < 1e-9);
	assert_true(fabs(of(e, "weighted", "result", "acc") - 0.88) < 1e-9);
	assert_true(fabs(of(e, "weighted", "size", "acc") - 0.8) < 1e-9);
	assert_true(fabs(of(e, "weighted", "majority", "acc") - 0.5) < 1e-9);
	assert_true(fabs(of(e, "weighted", "majority", "ari")) < 1e-9);
	assert_null(run_object(run_object(e, "mean"), "alone"));
	assert_int_equal(json_count(run_list(e, "parties")), 2);
	json_free(e);
	/* graph_scores_make() finds the graphs of each party in `dir` by the party's name. */
	assert_int_equal(symlink(in("set-a"), in("party-00")), 0);
	assert_int_equal(symlink(in("set-b"), in("party-01")), 0);
	assert_ok(graph_scores_make(&runs, dir, &e));
	assert_true(fabs(of(e, "weighted", "result", "acc") - 0.88) < 1e-9);
	json_free(e);
	assert_err(graph_scores_make(&runs, in("nowhere"), &e), ERR_INPUT, "nowhere/party-00");
	put_labels("run/party-01/labels.csv", &a, 0);
	assert_err(graph_scores_make(&runs, "own", &e), ERR_INPUT, "has 40 labels");
	run_dir_release(&runs);
	tu_release(&a);
	tu_release(&b);
}

/* ---- the picture ---- */

/* The scores name a set without classes, but no mean includes it. A score that one party lacks has
 * no mean. */
TEST(test_means_of_some)
{
	static const uint32_t truth[] = { 0, 1, 0, 1 }, other[] = { 0, 0, 1, 1 };
	struct graph_ways ways[] = { { .name = "a", .n = 4 },
				     { .name = "b", .n = 9 },
				     { .name = "c", .n = 2 } };
	struct json *e = json_object();

	assert_ok(graph_ways_score(&ways[0], WAY_RESULT, truth, truth));
	assert_ok(graph_ways_score(&ways[2], WAY_RESULT, truth, truth));
	assert_ok(graph_ways_score(&ways[0], WAY_BASELINES, truth, other));
	ways[0].score[WAY_RESULT][0] = 0.25;
	graph_ways_put(e, ways, 3);
	assert_int_equal(json_count(json_get(e, "parties")), 3);
	assert_null(json_get(json_next(json_first(json_get(e, "parties"))), "ways"));
	assert_true(fabs(of(e, "mean", "result", "acc") - 0.625) < 1e-9);
	assert_null(run_object(run_object(e, "mean"), "size"));
	assert_true(fabs(of(e, "weighted", "result", "acc") - 0.5) < 1e-9);
	json_free(e);
}

TEST_WITH(test_picture, dir_make, dir_remove)
{
	struct picture_params params = { .threads = 1 };
	struct fedgcn_model m = { .features = GRAPHS_STRUCTURE, .k = 2 };
	char *id[40], names[40][8], run[256];
	struct picture p;
	uint32_t label[40];
	struct gin net;
	struct tu tu;

	plant("set-a", 40, 2, 0, 1, &tu);
	put_run("party-00", "party", "set-a");
	for (uint32_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", i + 1);
		id[i] = names[i];
		label[i] = i % 2;
	}
	assert_ok(labels_write(in("run/party-00/labels.csv"), NULL, id, label, NULL, 40));
	gin_init(&net, graphs_width(m.features));
	m.weights = net.weights;
	ALLOC(m.W, net.weights);
	gin_draw(&net, 3, m.W);
	mat_init(&m.C, 2, FEDGCN_Z);
	assert_ok(fedgcn_file_write(in("run/party-00/model.fedgcn"), &m));
	fedgcn_model_release(&m);
	snprintf(run, sizeof(run), "%s", in("run/party-00"));
	params.run = run;
	assert_ok(picture_make(&params, &p));
	assert_int_equal(p.n, 40);
	assert_int_equal(p.dims, FEDGCN_Z);
	for (uint32_t i = 0; i < 40; i++) {
		assert_string_equal(p.id[i], names[i]);
		assert_int_equal(p.label[i], i % 2);
	}
	assert_non_null(strstr(p.caption, "the party's own graphs, in the 64 dimensions"));
	picture_release(&p);
	/* Without ids, the file numbers its rows from 0. */
	assert_ok(labels_write(in("run/party-00/labels.csv"), NULL, NULL, label, NULL, 40));
	assert_err(picture_make(&params, &p), ERR_INPUT, "has the id 0, which");
	tu_release(&tu);
}
