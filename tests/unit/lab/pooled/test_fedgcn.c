/* Tests coterie-lab fedgcn: all parties in one process, and new graphs with the stored model. */
#include "tests/unit/cli/typed.h"

#include "lab/lab.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "common/data/labels.h"

#include <stdlib.h>

#define JOB                                                                                        \
	"{\"kind\": \"fedgcn\", \"clusters\": 2, \"rounds\": 2, \"epochs\": 2, \"min_cluster\": "  \
	"2}"

/* Writes `count` paths of 4 to 7 nodes and as many cliques of 12 to 15 nodes, alternating. */
static void put_set(const char *set, const char *name, int count)
{
	struct buf indicator = { 0 }, edges = { 0 }, labels = { 0 };
	char path[256];
	int node = 1;

	assert_ok(file_make_dirs(set));
	for (int i = 0; i < 2 * count; i++) {
		int nodes = (i % 2 ? 12 : 4) + i / 2 % 4;

		for (int v = 0; v < nodes; v++) {
			buf_printf(&indicator, "%d\n", i + 1);
			for (int u = i % 2 ? 0 : v - 1; u < v; u++)
				if (u >= 0)
					buf_printf(&edges, "%d, %d\n", node + u, node + v);
		}
		buf_printf(&labels, "%d\n", i % 2);
		node += nodes;
	}
	snprintf(path, sizeof(path), "%s/%s_graph_indicator.txt", set, name);
	assert_ok(file_write(path, (struct bytes){ indicator.p, indicator.n }, FILE_PUBLIC));
	snprintf(path, sizeof(path), "%s/%s_A.txt", set, name);
	assert_ok(file_write(path, (struct bytes){ edges.p, edges.n }, FILE_PUBLIC));
	snprintf(path, sizeof(path), "%s/%s_graph_labels.txt", set, name);
	assert_ok(file_write(path, (struct bytes){ labels.p, labels.n }, FILE_PUBLIC));
	buf_release(&indicator);
	buf_release(&edges);
	buf_release(&labels);
}

/* Returns the mean accuracy of one clustering, such as the result or a baseline, over all
 * graphs. */
static double weighted(const char *way)
{
	struct json *v;
	double x;

	assert_ok(json_parse((struct bytes){ (uint8_t *)said, strlen(said) }, "said", &v));
	x = json_number(json_get(json_get(json_get(v, "weighted"), way), "acc"));
	json_free(v);
	return x;
}

TEST_WITH(test_local_and_assign, dir_enter, dir_leave)
{
	struct labels l;

	put_set("sets/a", "A", 20);
	put_set("sets/b", "B", 25);
	put_set("sets/new", "N", 10);
	put("job.json", JOB);
	assert_int_equal(run_command(fedgcn_local_main,
				     "--job job.json --graphs sets/a --graphs sets/b "
				     "--baselines --out out"),
			 0);
	assert_true(said_number("rounds") == 2 && said_number("clusters") == 2);
	assert_true(weighted("result") > 0.95 && weighted("majority") == 0.5);
	assert_true(weighted("untrained") > 0 && weighted("alone") > 0);
	assert_ok(labels_read("out/b/labels.csv", &l));
	assert_int_equal(l.n, 50);
	assert_true(l.label[0] != l.label[1]);
	labels_release(&l);
	assert_int_equal(run_command(fedgcn_main,
				     "assign --model out/a/model.fedgcn --graphs sets/new "
				     "--out assigned"),
			 0);
	assert_true(said_number("graphs") == 20 && said_number("acc") > 0.95);
	assert_ok(labels_read("assigned/labels.csv", &l));
	assert_int_equal(l.n, 20);
	labels_release(&l);
}

/* Graphs of the run get the same labels from the stored model. */
TEST_WITH(test_assign_again, dir_enter, dir_leave)
{
	struct labels run, again;

	put_set("sets/a", "A", 20);
	put("job.json", JOB);
	assert_int_equal(
	    run_command(fedgcn_local_main, "--job job.json --graphs sets/a --seed 3 --out once"),
	    0);
	assert_int_equal(
	    run_command(fedgcn_main,
			"assign --model once/a/model.fedgcn --graphs sets/a --out twice"),
	    0);
	assert_ok(labels_read("once/a/labels.csv", &run));
	assert_ok(labels_read("twice/labels.csv", &again));
	assert_int_equal(run.n, again.n);
	assert_memory_equal(run.label, again.label, run.n * sizeof(*run.label));
	labels_release(&run);
	labels_release(&again);
}

TEST_WITH(test_wrong_use_is_refused, dir_enter, dir_leave)
{
	put_set("sets/a", "A", 20);
	put("job.json", JOB);
	put("kmeans.json", "{\"kind\": \"kmeans\", \"clusters\": 2}");
	put("model", "COTGRAPH and nothing more of it");
	expect_command(fedgcn_main, "", 4, "Usage: coterie fedgcn");
	expect_command(fedgcn_main, "assign --graphs sets/a", 4,
		       "--model and one --graphs are needed");
	expect_command(fedgcn_main, "assign --model model --graphs sets/a", 4,
		       "model: cut off after 31 bytes");
	expect_command(fedgcn_local_main, "--job kmeans.json --graphs sets/a", 4,
		       "kind kmeans; fedgcn is expected");
	expect_command(fedgcn_local_main, "--job job.json --graphs sets", 4,
		       "0 files *_graph_indicator.txt");
	expect_command(fedgcn_local_main, "--job job.json --graphs sets/a --set clusters=41", 4,
		       "sets/a: 40 graphs for 41 clusters");
	expect_command(fedgcn_local_main,
		       "--job job.json --graphs sets/a --set rate=1 --set epochs=300", 1,
		       "explodes");
}
