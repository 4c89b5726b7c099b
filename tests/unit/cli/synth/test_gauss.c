/* Tests clouds of rows: their number, distance and width, and the command that makes them. */
#include "tests/test.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#include "cli/args/args.h"
#include "cli/synth/planted.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "common/data/labels.h"

#include <math.h>

/* Computes the mean of each cluster. */
static void means_of(const struct mat *X, const uint32_t *label, size_t k, struct mat *mean,
		     size_t *count)
{
	mat_init(mean, k, X->cols);
	for (size_t i = 0; i < X->rows; i++) {
		count[label[i]]++;
		for (size_t j = 0; j < X->cols; j++)
			MAT(mean, label[i], j) += MAT(X, i, j);
	}
	for (size_t c = 0; c < k; c++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(mean, c, j) /= (double)count[c];
}

static double distance(const double *a, const double *b, size_t m)
{
	double d = 0;

	for (size_t j = 0; j < m; j++)
		d += (a[j] - b[j]) * (a[j] - b[j]);
	return sqrt(d);
}

/* Clusters have equal sizes. Their means are at least `apart` from each other, less about three
 * times the error sqrt(2 m / 500) = 0.18 for m = 8 columns. Each column has variance 1 around the
 * means, and all values are floats. */
TEST(test_clouds)
{
	struct gauss_params p = {
		.rows = 2002, .columns = 8, .clusters = 4, .apart = 6, .seed = 3
	};
	size_t count[4] = { 0 };
	double variance = 0;
	uint32_t *label;
	struct mat X, mean;

	assert_ok(gauss_make(&p, &X, &label));
	assert_int_equal(X.rows, 2002);
	assert_int_equal(X.cols, 8);
	means_of(&X, label, 4, &mean, count);
	for (size_t c = 0; c < 4; c++) {
		assert_in_range(count[c], 500, 501);
		for (size_t o = 0; o < c; o++)
			assert_true(distance(ROW(&mean, c), ROW(&mean, o), 8) > 5.4);
	}
	for (size_t i = 0; i < X.rows; i++) {
		double d = distance(ROW(&X, i), ROW(&mean, label[i]), 8);

		variance += d * d / (double)(X.rows * X.cols);
		for (size_t j = 0; j < 8; j++)
			assert_true(MAT(&X, i, j) == (double)(float)MAT(&X, i, j));
	}
	assert_true(fabs(variance - 1) < 0.05);
	mat_release(&mean);
	mat_release(&X);
	free(label);
}

/* The same seed gives the same rows, another seed others. Rows are not sorted by cluster. */
TEST(test_seeds)
{
	struct gauss_params p = { .rows = 200, .columns = 3, .clusters = 2, .apart = 4, .seed = 1 };
	uint32_t *a_label, *b_label, *c_label;
	struct mat a, b, c;
	size_t changes = 0;

	assert_ok(gauss_make(&p, &a, &a_label));
	assert_ok(gauss_make(&p, &b, &b_label));
	p.seed = 2;
	assert_ok(gauss_make(&p, &c, &c_label));
	assert_memory_equal(a.a, b.a, 600 * sizeof(*a.a));
	assert_memory_equal(a_label, b_label, 200 * sizeof(*a_label));
	assert_memory_not_equal(a.a, c.a, 600 * sizeof(*a.a));
	assert_memory_not_equal(a_label, c_label, 200 * sizeof(*a_label));
	for (size_t i = 1; i < 200; i++)
		changes += a_label[i] != a_label[i - 1];
	assert_in_range(changes, 60, 140);
	mat_release(&a);
	mat_release(&b);
	mat_release(&c);
	free(a_label);
	free(b_label);
	free(c_label);
}

/* Many centres on a line still have the requested distance. */
TEST(test_one_dimension)
{
	struct gauss_params p = {
		.rows = 60, .columns = 1, .clusters = 60, .apart = 50, .seed = 1
	};
	uint32_t *label;
	struct mat X;

	assert_ok(gauss_make(&p, &X, &label)); /* noise exceeds 5 almost never */
	for (size_t i = 0; i < 60; i++)
		for (size_t o = 0; o < i; o++)
			assert_true(fabs(X.a[i] - X.a[o]) > 40);
	mat_release(&X);
	free(label);
}

TEST(test_refusals)
{
	struct gauss_params p = { .rows = 3, .columns = 2, .clusters = 4, .seed = 1 };
	uint32_t *label;
	struct mat X;

	assert_err(gauss_make(&p, &X, &label), ERR_INPUT, "4 clusters of 3 rows");
	assert_null(label);
	p = (struct gauss_params){ .rows = 1 << 24, .columns = 1 << 24, .clusters = 2 };
	assert_err(gauss_make(&p, &X, &label), ERR_INPUT,
		   "16777216 x 16777216 values, expected at most");
	assert_null(X.a);
}

TEST_WITH(test_command, dir_enter, dir_leave)
{
	struct dataset_files f;
	struct features X;
	struct labels l;

	expect_command(synth_main, "--points --nodes 50 --features 1 --clusters 3 --out out", 0,
		       "50 rows, 1 columns, 3 clusters 8 apart, seed 1");
	assert_ok(dataset_find("out", DATASET_FEATURES, &f));
	assert_null(f.edges);
	assert_non_null(strstr(f.features, "features.npy"));
	assert_ok(features_read(f.features, &X));
	assert_int_equal(features_rows(&X), 50);
	assert_int_equal(features_cols(&X), 1);
	assert_ok(labels_read(f.labels, &l));
	assert_int_equal(l.n, 50);
	labels_release(&l);
	features_release(&X);
	dataset_files_release(&f);
	expect_command(synth_main, "--points --out x --signal 0.5", 4,
		       "--signal plants clusters in a graph, --points makes no graph");
	expect_command(synth_main, "--out x --apart 3", 4, "--apart goes with --points");
	expect_command(synth_main, "--points --out x --apart -1", 4,
		       "--apart is \"-1\", expected a number from 0 to");
	expect_command(synth_main, "--points --out x --clusters 5000 --nodes 6000", 4,
		       "--clusters is 5000, expected at most 4096 with --points");
	expect_command(synth_main, "--points --out x --nodes 4 --clusters 5", 4,
		       "5 clusters of 4 rows");
	expect_command(synth_main, "--points", 4, "--out is missing");
}
