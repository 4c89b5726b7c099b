/* Tests rows that sums reveal: planted rows, a search that sees only which rows are in which sum,
 * and the command. */
#include "tests/test.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#include "lab/lab.h"
#include "lab/privacy/privacy.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/rng.h"

static struct job job_of(const char *text)
{
	struct job job;

	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "test", NULL));
	return job;
}

/* Makes k distant balls of `each` rows, and `odd` rows far from all balls and from each other. */
static void balls(struct mat *X, size_t k, size_t each, size_t odd, size_t m)
{
	struct rng rng;

	rng_seed(&rng, 5, 0);
	mat_init(X, k * each + odd, m);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < m; j++) {
			size_t ball = i / each;
			double at = ball < k ? 10 * (double)((ball >> j % 4) & 1)
					     : 60 * (double)(i - k * each + 1) * (j == 0 ? 1 : -1);

			MAT(X, i, j) = at + rng_normal(&rng);
		}
}

/* A row far from all others is its own cluster. If a cluster of one row is summed, the sum is the
 * row. If that cluster is not summed, the row is what is missing from the sum of all rows. */
TEST(test_the_odd_one)
{
	static const char text[] = "{\"kind\": \"kmeans\", \"clusters\": 2, \"min_cluster\": %d}";
	struct exposed e;
	char line[128];
	struct mat X;
	struct job job;

	balls(&X, 2, 60, 1, 3);
	snprintf(line, sizeof(line), text, 1);
	job = job_of(line);
	assert_ok(exposed_by(&X, &job, 3, 1, &e));
	assert_true(e.n == 121 && e.parties == 3);
	assert_true(e.rows.alone >= 1 && e.rows.fewest == 1);
	assert_true(e.rows.rest == 0); /* every centre is summed */
	assert_true(e.rows.exposed >= 1);
	snprintf(line, sizeof(line), text, 3);
	job = job_of(line);
	assert_ok(exposed_by(&X, &job, 3, 1, &e));
	assert_true(e.rows.fewest >= 3);
	assert_true(e.rows.alone >= 1 && e.rows.rest == 1);
	assert_true(e.rows.exposed >= e.rows.rest);
	assert_true(e.embedding.rounds == 0 && e.products == 0);
	mat_release(&X);
}

/* The coordinator finds exactly the exposed rows, from summed squared lengths alone. */
TEST(test_found_by_the_coordinator)
{
	static const char *const jobs[] = {
		"{\"kind\": \"fedsc\", \"clusters\": 4}",
		"{\"kind\": \"fedsc\", \"clusters\": 4, \"variant\": \"dense\", \"dims\": 30}",
		"{\"kind\": \"fedsc\", \"clusters\": 4, \"variant\": \"paper\", \"dims\": 30}",
		"{\"kind\": \"kmeans\", \"clusters\": 4}",
	};
	struct mat X;

	balls(&X, 4, 60, 5, 6);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		struct job job = job_of(jobs[i]);
		struct exposed e, again;

		assert_ok(exposed_by(&X, &job, 4, 1, &e));
		assert_true(e.rows.rounds > 10 && e.rows.sums > e.rows.rounds);
		assert_true(e.rows.exposed > 10 && e.rows.exposed < X.rows);
		assert_int_equal(e.rows.found, e.rows.exposed);
		assert_int_equal(e.rows.mistaken, 0);
		assert_int_equal(e.embedding.found, e.embedding.exposed);
		assert_true((e.embedding.rounds > 0) == (i < 2));
		assert_true((e.products > 0) == (i == 0));
		assert_true(e.single <= e.products);
		/* Another split and number of threads change the sums in at most the last bits. */
		assert_ok(exposed_by(&X, &job, 2, 2, &again));
		assert_int_equal(again.rows.found, again.rows.exposed);
	}
	mat_release(&X);
}

TEST(test_refused)
{
	struct job job = job_of("{\"kind\": \"kmeans\", \"clusters\": 2, \"noise\": {\"on\": "
				"\"data\", \"beta\": 1}}");
	struct exposed e;
	struct mat X;

	balls(&X, 2, 10, 0, 2);
	assert_err(exposed_by(&X, &job, 2, 1, &e), ERR_INPUT, "job.noise.on is \"data\"");
	job = job_of("{\"kind\": \"kmeans\", \"clusters\": 2}");
	assert_err(exposed_by(&X, &job, 11, 1, &e), ERR_INPUT, "20 rows for 11 parties");
	assert_ok(exposed_by(&X, &job, 10, 1, &e));
	job = job_of("{\"kind\": \"kmeans\", \"clusters\": 21}");
	assert_err(exposed_by(&X, &job, 2, 1, &e), ERR_INPUT, "job.clusters is 21, of 20 rows");
	mat_release(&X);
}

TEST(test_command)
{
	struct buf features = { 0 }, job = { 0 };
	struct mat X;

	balls(&X, 3, 40, 0, 3);
	for (size_t i = 0; i < X.rows; i++)
		buf_printf(&features, "%.17g,%.17g,%.17g\n", MAT(&X, i, 0), MAT(&X, i, 1),
			   MAT(&X, i, 2));
	mat_release(&X);
	buf_printf(&job, "{\"kind\": \"fedsc\", \"clusters\": 3}");
	assert_ok(file_make_dirs("data"));
	put_buf("data/features.csv", &features);
	put_buf("job.json", &job);
	expect_command(privacy_main, "--data data --job job.json --parties 4", 0,
		       "\"variant\": \"anchor\"");
	assert_non_null(strstr(said, "\"points\": 120"));
	assert_non_null(strstr(said, "\"products_of_one\""));
	expect_command(privacy_main, "--data data --job job.json --parties 4 --set variant=dense",
		       0, "\"embedding\": {");
	expect_command(privacy_main, "--data data --job job.json --parties 70", ERR_INPUT,
		       "parties");
	expect_command(privacy_main, "--data none --job job.json --parties 4", ERR_INPUT, "none");
	buf_printf(&job, "{\"kind\": \"fedspectral\", \"clusters\": 3}");
	put_buf("job.json", &job);
	expect_command(privacy_main, "--data data --job job.json --parties 4", ERR_INPUT,
		       "kind fedspectral, expected kcagc, fedsc or kmeans");
}

TESTS_BETWEEN(dir_enter, dir_leave)
