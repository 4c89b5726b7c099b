/* Tests privacy figures on distances and features of known entropy, and the command on generated
 * data. */
#include "tests/test.h"
#include "tests/unit/cli/typed.h"

#include "lab/lab.h"
#include "lab/privacy/privacy.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/rng.h"

#include <math.h>

static void assert_near(double x, double expected, double tolerance)
{
	if (!(fabs(x - expected) <= tolerance))
		fail_msg("%.4f, expected %.4f +- %.4f", x, expected, tolerance);
}

/* Distances to two centres are uniform over 64 and over 1024: 6 and 10 bits. Column 0 is set if the
 * first distance is in its lower half, so it shares one bit with one of the two distances. Column 1
 * is random. The last two columns do not count: one is set at 3 nodes only, the other at all
 * nodes. */
TEST(test_bits_of_uniform_distances)
{
	enum { N = 3000, M = 4 };
	uint8_t *has = alloc((size_t)M * N, 1);
	struct privacy p;
	struct rng rng;
	struct mat D;

	rng_seed(&rng, 1, 0);
	mat_init(&D, N, 2);
	for (size_t i = 0; i < N; i++) {
		MAT(&D, i, 0) = 64 * rng_unit(&rng);
		MAT(&D, i, 1) = 1024 * rng_unit(&rng);
		has[i] = MAT(&D, i, 0) < 32;
		has[N + i] = rng_below(&rng, 20) == 0;
		has[2 * N + i] = i == 5 || i == 9 || i == 700;
		has[3 * N + i] = 1;
	}
	assert_ok(privacy_of(&D, has, M, 3, 2, &p));
	assert_int_equal(p.columns, 2);
	assert_int_equal(p.repeated, 0);
	assert_near(p.entropy, 8, 0.1);
	assert_near(p.most, 0.5, 0.03);
	assert_near(p.mutual, 0.25, 0.03);
	assert_ok(privacy_of(&D, has + N, 1, 3, 1, &p));
	assert_near(p.mutual, 0, 0.02);
	assert_true(p.mutual == p.most);
	/* 100 nodes get the second distance of node 2000. Such repeated distances count once. */
	for (size_t i = 0; i < 100; i++)
		MAT(&D, i, 1) = MAT(&D, 2000, 1) + (double)i * 1e-13;
	assert_ok(privacy_of(&D, has, M, 3, 2, &p));
	assert_int_equal(p.repeated, 100);
	assert_near(p.entropy, 8, 0.1);
	assert_err(privacy_of(&D, has + 2 * N, 2, 3, 1, &p), ERR_INPUT,
		   "none of 2 columns is there at more than 3 nodes");
	for (size_t i = 0; i < N; i++)
		MAT(&D, i, 1) = (double)(i % 3);
	assert_err(privacy_of(&D, has, M, 3, 1, &p), ERR_INPUT,
		   "of the distances to centre 1 only 3 differ, expected more than 3");
	mat_release(&D);
	free(has);
}

/* Writes 200 nodes in a ring with 12 features. About a third of the nodes have each feature; its
 * value is `value`. */
static void put_data(double value)
{
	struct buf features = { 0 }, edges = { 0 }, job = { 0 };
	struct rng rng;

	rng_seed(&rng, 2, 0);
	for (int i = 0; i < 200; i++) {
		for (int j = 0; j < 12; j++)
			buf_printf(&features, "%g%c", rng_below(&rng, 3) == 0 ? value : 0,
				   j < 11 ? ',' : '\n');
		buf_printf(&edges, "%d %d\n", i, (i + 1) % 200);
	}
	buf_printf(&job, "{\"kind\": \"kcagc\", \"preset\": \"paper\", \"clusters\": 3, "
			 "\"filter\": {\"order\": 2}}");
	assert_ok(file_make_dirs("data"));
	put_buf("data/features.csv", &features);
	put_buf("data/edges.tsv", &edges);
	put_buf("job.json", &job);
}

static const char ours[] = "--data data --job job.json --parties 3 --set projection.basis=scaled";

/* Features eight times as large make squared distances 64 times as large: six bits more entropy.
 * Mutual information does not change. */
TEST_WITH(test_units, dir_enter, dir_leave)
{
	double entropy, mutual, level, joint;

	put_data(1);
	expect_command(privacy_main, ours, 0, "\"parties\": 3,");
	assert_true(said_number("rows") == 200 && said_number("centres") == 3 &&
		    said_number("columns") == 12 && said_number("neighbours") == 3);
	entropy = said_number("entropy_bits");
	mutual = said_number("mutual_bits");
	level = said_number("privacy_level");
	joint = said_number("joint_bits");
	assert_near(level, exp2(entropy - mutual), 1e-9);
	assert_near(said_number("privacy_leakage"), 1 - exp2(-mutual), 1e-9);
	assert_near(said_number("joint_leakage"), 1 - exp2(-joint), 1e-9);
	assert_true(said_number("leakage_of_worst_column") >= said_number("privacy_leakage"));
	/* A party's whole row and all distances have more mutual information than one feature and
	 * one distance. */
	assert_true(joint > 2 * mutual);
	put_data(8);
	expect_command(privacy_main, ours, 0, "\"parties\": 3,");
	assert_near(said_number("entropy_bits"), entropy + 6, 1e-3);
	assert_near(said_number("mutual_bits"), mutual, 1e-3);
	assert_near(said_number("privacy_level"), 64 * level, 0.1 * level);
}

/* Without scaling of rows and with all dimensions, a projection only rotates each party's part. So
 * summed distances are those of the features, for any split of columns. */
TEST_WITH(test_sums_over_parties, dir_enter, dir_leave)
{
	static const char whole[] = "--data data --job job.json --set projection.basis=scaled "
				    "--set projection.dims=12 --parties ";
	double entropy, mutual, joint;
	char line[256];

	put_data(1);
	snprintf(line, sizeof(line), "%s1", whole);
	expect_command(privacy_main, line, 0, "\"parties\": 1,");
	entropy = said_number("entropy_bits");
	mutual = said_number("mutual_bits");
	joint = said_number("joint_bits");
	for (const char *L = "235"; *L; L++) {
		snprintf(line, sizeof(line), "%s%c", whole, *L);
		expect_command(privacy_main, line, 0, "\"rows\": 200,");
		assert_near(said_number("entropy_bits"), entropy, 1e-6);
		assert_near(said_number("mutual_bits"), mutual, 1e-3);
		assert_true(said_number("joint_columns") == 12 / (*L - '0'));
		/* One party's part has less mutual information with the sums than all columns. */
		assert_true(said_number("joint_bits") < joint);
	}
}

/* Results depend on the seed, which splits the columns, and on --neighbours, but not on threads. */
TEST_WITH(test_seed_and_threads, dir_enter, dir_leave)
{
	double one;
	char line[256];

	put_data(1);
	expect_command(privacy_main, ours, 0, "\"seed\": 1,");
	one = said_number("joint_bits");
	snprintf(line, sizeof(line), "%s --threads 3", ours);
	expect_command(privacy_main, line, 0, "\"seed\": 1,");
	assert_true(said_number("joint_bits") == one);
	snprintf(line, sizeof(line), "%s --seed 2", ours);
	expect_command(privacy_main, line, 0, "\"seed\": 2,");
	assert_true(said_number("joint_bits") != one);
	snprintf(line, sizeof(line), "%s --neighbours 5", ours);
	expect_command(privacy_main, line, 0, "\"neighbours\": 5,");
	assert_true(said_number("joint_bits") != one);
}

TEST_WITH(test_refusals, dir_enter, dir_leave)
{
	put_data(1);
	expect_command(privacy_main, "--data data --job job.json", 4,
		       "--data, --job and --parties are needed");
	expect_command(privacy_main, "--data none --job job.json --parties 2", 4,
		       "none: no features.mtx");
	expect_command(privacy_main, "--data data --job job.json --parties 13", 4,
		       "data has 12 columns, expected at least one for each of 13 parties");
	expect_command(privacy_main, "--data data --job job.json --parties 2 --set clusters=201", 4,
		       "data has 200 nodes, expected at least 201");
	expect_command(privacy_main,
		       "--data data --job job.json --parties 2 --set filter.order=auto", 4,
		       "give the order as a number");
	expect_command(privacy_main, "--neighbours 0", 4, "--neighbours is \"0\"");
	expect_command(privacy_main, "--parties 300", 4, "--parties is \"300\"");
	expect_command(privacy_main, "--help", 0, "2^h(Y|X)");
}
