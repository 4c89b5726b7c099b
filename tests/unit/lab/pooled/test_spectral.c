/* Tests coterie-lab spectral on a graph with known clusters, and compares it with
 * spectral_cluster(). */
#include "tests/unit/cli/typed.h"

#include "lab/lab.h"
#include "cli/synth/planted.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/cluster/metrics.h"
#include "common/cluster/spectral.h"

/* Two joined triangles, a separate pair and a node without edges; the ids are unsorted. */
TEST_WITH(test_small, dir_enter, dir_leave)
{
	struct labels l;

	assert_ok(file_make_dirs("data"));
	put("data/ids.txt", "z\nb\na\nd\ny\nf\np\nalone\nq\n");
	put("data/edges.tsv", "a b 2\nb d 2\na d 2\nd f 0.1\nf y 2\ny z 2\nf z 2\np q\n");
	put("data/labels.txt", "1\n0\n0\n0\n1\n1\n2\n3\n2\n");
	assert_int_equal(run_command(spectral_main, "--data data --clusters 3 --out out"), 0);
	assert_true(said_number("nodes") == 9 && said_number("edges") == 8);
	assert_true(said_number("isolated") == 1 && said_number("components") == 2);
	assert_true(said_number("acc") == 1 && said_number("ari") == 1);
	assert_true(said_number("clusters") == 3 && said_number("eigengap") > 0.5);
	assert_true(file_exists("out/labels.npy") && file_exists("out/result.json"));
	assert_ok(labels_read("out/labels.csv", &l));
	assert_int_equal(l.n, 9);
	for (size_t i = 0; i < l.n; i++) {
		if (!strcmp(l.id[i], "alone"))
			assert_int_equal(l.label[i], 3); /* numbered after the three clusters */
		else if (!strcmp(l.id[i], "p") || !strcmp(l.id[i], "q"))
			assert_int_equal(l.label[i], 2); /* the smallest cluster */
	}
	labels_release(&l);
	assert_int_equal(run_command(spectral_main, "--data data --clusters auto"), 0);
	assert_true(said_number("clusters") == 3);
	/* Without ids.txt, the nodes are those that edges.tsv names. */
	assert_int_equal(system("rm data/ids.txt data/labels.txt"), 0);
	assert_int_equal(run_command(spectral_main, "--data data --clusters 3"), 0);
	assert_true(said_number("nodes") == 8 && said_number("isolated") == 0);
}

/* spectral_cluster() on the whole matrix gives the same clusters, apart from nodes without
 * edges. */
TEST_WITH(test_against_spectral_cluster, dir_enter, dir_leave)
{
	struct planted_params p = {
		.nodes = 300, .classes = 4, .degree = 12, .homophily = 0.8, .seed = 2
	};
	uint32_t label[300], found[300];
	struct spectral_params how;
	struct planted g;
	struct metrics m;
	struct labels l;
	size_t linked = 0;

	assert_int_equal(run_command(synth_main, "--out data --features 0 --nodes 300 --clusters 4 "
						 "--degree 12 --seed 2"),
			 0);
	assert_int_equal(run_command(spectral_main, "--data data --clusters 4 --out out"), 0);
	assert_true(said_number("ari") > 0.7);
	assert_ok(labels_read("out/labels.csv", &l));
	assert_int_equal(l.n, 300);
	for (size_t i = 0; i < 300; i++) /* sorted as "n0", "n1", "n10", ... */
		found[atoi(l.id[i] + 1)] = l.label[i];
	labels_release(&l);
	assert_ok(planted_make(&p, &g));
	spectral_defaults(&how, 300, 4, 1, 1);
	assert_ok(spectral_cluster(&g.adjacency, &how, 100, label, NULL));
	for (size_t i = 0; i < 300; i++)
		if (g.adjacency.start[i] < g.adjacency.start[i + 1]) {
			found[linked] = found[i];
			label[linked++] = label[i];
		}
	assert_true(linked > 290);
	assert_ok(metrics_of(label, found, linked, &m));
	assert_true(m.ari > 0.999);
	planted_release(&g);
}

TEST_WITH(test_refusals, dir_enter, dir_leave)
{
	assert_ok(file_make_dirs("data"));
	put("data/edges.tsv", "a b\nc d\nb d\n");
	expect_command(spectral_main, "--data data --clusters 5", 1,
		       "4 of 4 nodes have edges, which cannot be put into 5 clusters");
	put("data/edges.tsv", "a b\nb c -1\n");
	expect_command(spectral_main, "--data data --clusters 2", 4,
		       "edges.tsv:2: the weight is -1, expected more than 0");
	put("data/ids.txt", "a\nb\n");
	put("data/edges.tsv", "a b\nb c\n");
	expect_command(spectral_main, "--data data --clusters 2", 4,
		       "edges.tsv:2: \"c\" is none of the 2 ids");
	expect_command(spectral_main, "--data none --clusters 2", 4, "none: no edges.tsv");
	expect_command(spectral_main, "--data data", 4, "--data and --clusters are needed");
	expect_command(spectral_main, "--data data --clusters 1", 4, "--clusters is \"1\"");
	expect_command(spectral_main, "--data data --clusters 2 x", 4, "unexpected argument: x");
}
