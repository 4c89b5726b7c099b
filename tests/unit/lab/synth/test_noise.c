/* Tests coterie-lab noise: random features of a known density. */
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "lab/lab.h"
#include "lab/synth/noise.h"

#include <math.h>
#include <unistd.h>

static bool same(const struct csr *a, const struct csr *b)
{
	return a->rows == b->rows &&
	       !memcmp(a->start, b->start, (a->rows + 1) * sizeof(*a->start)) &&
	       !memcmp(a->index, b->index, a->start[a->rows] * sizeof(*a->index));
}

TEST(test_noise)
{
	struct csr f, again;
	double sum = 0;

	assert_ok(noise_features(2000, 50, 0.1, 3, &f));
	assert_int_equal(f.rows, 2000);
	assert_int_equal(f.cols, 50);
	assert_in_range(f.start[2000], 9600, 10400); /* mean 10000, deviation 95 */
	for (size_t i = 0; i < 2000; i++) {
		assert_true(f.start[i] <= f.start[i + 1]);
		for (size_t e = f.start[i]; e < f.start[i + 1]; e++) {
			assert_true(f.index[e] < 50 && f.value[e] > 0 && f.value[e] <= 1);
			assert_true(e == f.start[i] || f.index[e - 1] < f.index[e]);
			sum += f.value[e];
		}
	}
	assert_true(fabs(sum / (double)f.start[2000] - 0.5) < 0.02);
	assert_ok(noise_features(2000, 50, 0.1, 3, &again));
	assert_true(same(&f, &again));
	csr_release(&again);
	assert_ok(noise_features(2000, 50, 0.1, 4, &again));
	assert_false(same(&f, &again));
	csr_release(&again);
	csr_release(&f);
	assert_ok(noise_features(30, 7, 1, 3, &f)); /* density 1: every entry exists */
	for (size_t e = 0; e < 210; e++)
		assert_int_equal(f.index[e], e % 7);
	assert_int_equal(f.start[30], 210);
	csr_release(&f);
	assert_ok(noise_features(30, 7, 0, 3, &f)); /* density 0: no entry exists */
	assert_int_equal(f.start[30], 0);
	csr_release(&f);
	assert_ok(noise_features(3000, 2, 0.001, 3, &f)); /* most rows are empty */
	assert_in_range(f.start[3000], 1, 20);
	csr_release(&f);
	assert_err(noise_features(1 << 24, 1 << 24, 0.5, 3, &f), ERR_INPUT,
		   "16777216 nodes x 16777216 features at density 0.5");
	assert_null(f.start);
}

/* The output has the given graph, random features and no labels. */
TEST_WITH(test_command, dir_enter, dir_leave)
{
	struct edges_dropped dropped;
	struct features X;
	struct csr a;

	put("graph.tsv", "0 1\n1 2 0.5\n4 2\n");
	expect_command(noise_main,
		       "--edges graph.tsv --nodes 6 --features 20 --density 0.5 --seed 2 --out out",
		       0, "6 nodes, 20 features");
	assert_ok(edges_read("out/edges.tsv", 6, NULL, &a, &dropped));
	assert_int_equal(a.start[6], 6);
	assert_int_equal(a.index[a.start[4]], 2);
	assert_true(a.value[a.start[2]] == 0.5);
	csr_release(&a);
	assert_ok(features_read("out/features.mtx", &X));
	assert_int_equal(features_rows(&X), 6);
	assert_int_equal(features_cols(&X), 20);
	assert_in_range(X.sparse.start[6], 40, 80);
	features_release(&X);
	assert_int_not_equal(access("out/labels.txt", F_OK), 0);

	expect_command(noise_main, "--edges graph.tsv --nodes 4 --out no", 4, "graph.tsv:3");
	expect_command(noise_main, "--edges none.tsv --nodes 4 --out no", 4, "none.tsv");
	expect_command(noise_main, "--edges graph.tsv --out no", 4,
		       "--edges, --nodes and --out are needed");
	expect_command(noise_main, "--edges graph.tsv --nodes 6 --features 1 --out no", 4,
		       "--features is \"1\", expected a whole number from 2");
	put("graph.tsv", "0 1\n1 2\n");
	expect_command(noise_main, "--edges graph.tsv --nodes 6 --out out", 4,
		       "out: has a features.mtx already");
	expect_command(noise_main, "--edges graph.tsv --nodes 6 --density 1.5 --out no", 4,
		       "density");
	assert_int_not_equal(access("no", F_OK), 0);
}
