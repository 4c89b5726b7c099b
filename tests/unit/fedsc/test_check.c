/* Jobs of kinds fedsc and kmeans: what goes with what, and what is not read must not be given. */
#include "common/fedsc/job.h"
#include "tests/unit/job/jobs.h"

#include <stdio.h>

#define NOISE(x) ", \"noise\": {" x "}"
#define EPS      "\"eps\": 0.5, \"delta\": 1e-5, \"clip\": 2"
#define FACTORS                                                                                    \
	", \"variant\": \"paper\", \"dims\": 20, \"kernel\": {\"width\": 1.5}" NOISE(              \
	    "\"on\": \"factors\", " EPS)

static void check(const char *kind, const char *more, const char *message)
{
	char text[1024];
	struct job j;

	snprintf(text, sizeof(text), "{\"kind\": \"%s\", \"clusters\": 5%s}", kind, more);
	if (message)
		assert_err(parse(&j, text, NULL), ERR_INPUT, message);
	else
		assert_ok(parse(&j, text, NULL));
}

static void fedsc(const char *more, const char *message)
{
	check("fedsc", more, message);
}

static void test_sizes(void **state)
{
	struct job j;

	(void)state;
	fedsc("", NULL);
	fedsc(", \"dims\": 5", NULL);
	fedsc(", \"dims\": 4", "job.dims is 4, expected at least job.clusters, 5");
	fedsc(", \"dims\": 5, \"near\": 5", "job.dims is 5, expected more than job.near, 5");
	fedsc(", \"dims\": 5, \"variant\": \"dense\"", NULL);
	fedsc(", \"dims_most\": 4, \"variant\": \"dense\"",
	      "job.dims_most is 4, expected at least");
	fedsc(", \"restarts\": 0", "job.restarts is 0, expected");
	fedsc(", \"min_cluster\": 0", "job.min_cluster is 0, expected");
	fedsc(", \"variant\": \"dense\", \"participants\": 2", NULL);
	fedsc(", \"variant\": \"dense\", \"participants\": 1", "job.participants is 1");
	fedsc(", \"variant\": \"dense\", \"participants\": 1, \"allow_single\": true", NULL);
	check("kmeans", "", NULL);
	check("kmeans", ", \"dims\": 5", "job.dims is unknown");
	assert_err(parse(&j, "{\"kind\": \"kmeans\", \"clusters\": \"auto\"}", NULL), ERR_INPUT,
		   "job.clusters is \"auto\", expected a whole number from 2 to");
}

/* Each is refused by its name where nothing reads it, taken where something does, and taken
 * everywhere at its default. */
static void test_unread(void **state)
{
	static const struct {
		const char *given, *standard, *path;
		bool anchor, dense, paper;
	} cases[] = {
		{ "\"near\": 3", "\"near\": 4", "job.near", true, false, false },
		{ "\"neighbours\": 7", "\"neighbours\": \"auto\"", "job.neighbours", false, false,
		  true },
		{ "\"iterations\": 7", "\"iterations\": 10", "job.iterations", true, true, false },
		{ "\"dims_share\": 0.9", "\"dims_share\": 0.99", "job.dims_share", false, true,
		  true },
		{ "\"dims_most\": 90", "\"dims_most\": 250", "job.dims_most", false, true, true },
		{ "\"rounds\": 9", "\"rounds\": 4", "job.rounds", false, true, true },
		{ "\"inner\": 9", "\"inner\": 5", "job.inner", false, true, true },
		{ "\"tolerance\": 0.1", "\"tolerance\": 0", "job.tolerance", false, true, true },
		{ "\"participants\": 3", "\"participants\": 0", "job.participants", false, true,
		  true },
		{ "\"kernel\": {\"width\": 2}", "\"kernel\": {\"width\": 0}", "job.kernel.width",
		  false, true, true },
		{ "\"kernel\": {\"factor\": 2}", "\"kernel\": {\"factor\": 1}", "job.kernel.factor",
		  false, true, true },
		{ "\"kernel\": {\"lambda\": 2}", "\"kernel\": {\"lambda\": 0.01}",
		  "job.kernel.lambda", false, true, true },
		{ "\"dims\": 40", "\"dims\": \"auto\"", NULL, true, true, true },
		{ "\"restarts\": 9", "\"restarts\": 20", NULL, true, true, true },
		{ "\"min_cluster\": 9", "\"min_cluster\": 3", NULL, true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (unsigned v = 0; v < 3; v++) {
			bool read = v == 0   ? cases[i].anchor
				    : v == 1 ? cases[i].dense
					     : cases[i].paper;
			char more[256];

			snprintf(more, sizeof(more), ", \"variant\": \"%s\", %s",
				 fedsc_variant_names[v], cases[i].given);
			fedsc(more, read ? NULL : cases[i].path);
			if (!read)
				assert_non_null(strstr(err_detail(), fedsc_variant_names[v]));
			snprintf(more, sizeof(more), ", \"variant\": \"%s\", %s",
				 fedsc_variant_names[v], cases[i].standard);
			fedsc(more, NULL);
		}
	fedsc(", \"variant\": \"dense\", \"dims\": 40, \"dims_share\": 0.9",
	      "nothing reads it where job.dims is a number");
	fedsc(", \"variant\": \"dense\", \"dims\": 40, \"dims_most\": 90", "job.dims is a number");
	fedsc(", \"variant\": \"dense\", \"kernel\": {\"width\": 2, \"factor\": 2}",
	      "nothing reads it where job.kernel.width is given");
}

static void test_noise_of_rows(void **state)
{
	static const char *const kinds[] = { "fedsc", "kmeans" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		check(kinds[i], NOISE("\"on\": \"data\", \"beta\": 0.3"), NULL);
		check(kinds[i], NOISE("\"on\": \"data\", " EPS), NULL);
		check(kinds[i], NOISE("\"on\": \"data\""),
		      "job.noise.on is \"data\", but job.noise.eps is not given and "
		      "job.noise.beta is 0");
		check(kinds[i], NOISE("\"on\": \"data\", \"beta\": 0.3, " EPS),
		      "job.noise.eps is 0.5 and job.noise.beta is 0.3, expected one");
		check(kinds[i], NOISE("\"on\": \"data\", \"eps\": 2, \"clip\": 1"),
		      "job.noise.eps is 2 without job.noise.delta");
		check(kinds[i], NOISE("\"on\": \"data\", \"eps\": 2, \"delta\": 1e-5"),
		      "job.noise.eps is 2 without job.noise.clip");
		check(kinds[i], NOISE("\"on\": \"data\", \"beta\": 1, \"delta\": 1e-5"),
		      "job.noise.delta is 1e-05 without job.noise.eps");
		check(kinds[i], NOISE("\"on\": \"data\", \"beta\": 1, \"clip\": 3"),
		      "job.noise.clip is 3 without job.noise.eps");
		check(kinds[i], NOISE(EPS), "job.noise.eps is 0.5, but job.noise.on is \"none\"");
		check(kinds[i], NOISE("\"beta\": 0.3"), "job.noise.beta is 0.3, but job.noise.on");
		check(kinds[i], NOISE("\"clip\": 3"), "job.noise.clip is 3, but job.noise.on");
		check(kinds[i], NOISE("\"on\": \"data\", \"eps\": 0, \"delta\": 1e-5, \"clip\": 1"),
		      "job.noise.eps is 0, expected a number from 1e-06");
		check(kinds[i],
		      NOISE("\"on\": \"data\", \"eps\": -1, \"delta\": 1e-5, \"clip\": 1"),
		      "job.noise.eps is -1, expected a number from 1e-06");
		check(kinds[i], NOISE("\"on\": \"data\", \"eps\": 1, \"delta\": 0, \"clip\": 1"),
		      "job.noise.delta is 0, expected a number from");
		check(kinds[i], NOISE("\"on\": \"data\", \"eps\": 1, \"delta\": 1, \"clip\": 1"),
		      "job.noise.delta is 1, expected a number from");
		check(kinds[i], NOISE("\"on\": \"data\", \"eps\": 1, \"delta\": 0.1, \"clip\": 0"),
		      "job.noise.clip is 0, expected a number from");
		check(kinds[i], NOISE("\"on\": \"data\", \"beta\": -0.5"),
		      "job.noise.beta is -0.5, expected a number from 0");
	}
	fedsc(NOISE("\"on\": \"data\", \"beta\": 1, \"ball\": 3"),
	      "job.noise.ball is 3, but job.noise.on is \"data\"");
	fedsc(NOISE("\"ball\": 3"), "job.noise.ball is 3, but job.noise.on is \"none\"");
}

static void test_noise_of_factors(void **state)
{
	(void)state;
	fedsc(NOISE("\"on\": \"factors\", \"beta\": 0.3"),
	      "job.noise.on is \"factors\", expected \"none\" or \"data\" with variant \"anchor\"");
	check("kmeans", NOISE("\"on\": \"factors\", \"beta\": 0.3"), "with kind \"kmeans\"");
	fedsc(", \"variant\": \"dense\"" NOISE("\"on\": \"factors\", \"beta\": 0.3"), NULL);
	fedsc(", \"variant\": \"paper\"" NOISE("\"on\": \"factors\", \"beta\": 0.3, \"ball\": 2"),
	      NULL);
	fedsc(", \"variant\": \"paper\", \"rounds\": 0" NOISE("\"on\": \"factors\", \"beta\": 0.3"),
	      "job.rounds is 0, expected 1 or more");
	fedsc(FACTORS, NULL);
	fedsc(", \"variant\": \"dense\", \"kernel\": {\"width\": 1}" NOISE(
		  "\"on\": \"factors\", " EPS),
	      "job.dims is \"auto\", expected a number where job.noise.eps");
	fedsc(", \"variant\": \"paper\"" NOISE("\"on\": \"factors\", \"beta_c\": 0.3"), NULL);
	fedsc(
	    ", \"variant\": \"paper\"" NOISE("\"on\": \"factors\", \"beta\": 1, \"beta_c\": -0.5"),
	    "job.noise.beta_c is -0.5, expected 0 or more, or -1");
	fedsc(", \"variant\": \"dense\"" NOISE("\"on\": \"factors\", \"beta\": 1, \"beta_c\": 0.3"),
	      "job.noise.beta_c is 0.3, but only variant \"paper\"");
	fedsc(", \"variant\": \"paper\", \"dims\": 20, \"kernel\": {\"width\": 1.5}" NOISE(
		  "\"on\": \"factors\", \"beta_c\": 0.3, " EPS),
	      "job.noise.eps is 0.5 and job.noise.beta_c is 0.3, expected one");
	check("fedsc", NOISE("\"beta_c\": 0.3"), "job.noise.beta_c is 0.3, but job.noise.on");
	fedsc(", \"variant\": \"dense\", \"dims\": 9" NOISE("\"on\": \"factors\", " EPS),
	      "job.kernel.width is 0, expected a number where job.noise.eps");
	fedsc(", \"variant\": \"dense\", \"dims\": 9, \"kernel\": {\"width\": 1, \"lambda\": "
	      "0}" NOISE("\"on\": \"factors\", " EPS),
	      "job.kernel.lambda is 0, expected above 0");
}

#define SUMS(more) NOISE("\"on\": \"sums\", " EPS more)

static void kmeans(const char *more, const char *message)
{
	check("kmeans", more, message);
}

static void test_noise_in_sums(void **state)
{
	struct job j;

	(void)state;
	kmeans(SUMS(""), NULL);
	kmeans(SUMS(", \"colluders\": 3"), NULL);
	kmeans(SUMS(", \"colluders\": 0"), "job.noise.colluders is 0, expected");
	assert_ok(parse(&j, "{\"kind\": \"kmeans\", \"clusters\": 5" SUMS("") "}", NULL));
	assert_int_equal(fedsc_job(&j)->how.lloyd, 7); /* as many rounds as there may be */
	fedsc(SUMS(""), NULL);
	assert_ok(parse(&j, "{\"kind\": \"fedsc\", \"clusters\": 5" SUMS("") "}", NULL));
	assert_int_equal(fedsc_job(&j)->how.lloyd, 6);
	fedsc(", \"variant\": \"dense\"" SUMS(""), "only \"anchor\" and kind \"kmeans\" have");
	fedsc(SUMS(", \"ball\": 2"), "job.noise.ball is 2, but job.noise.on is \"sums\"");
	fedsc(", \"standardize\": \"joint\"" SUMS(""), "expected \"none\" where job.noise.on");
	fedsc(", \"iterations\": 4" SUMS(""), "job.iterations is 4, expected 5 or more");
	fedsc(NOISE("\"on\": \"data\", \"beta\": 1, \"colluders\": 1"),
	      "job.noise.colluders is 1, but job.noise.on is \"data\"");
	kmeans(NOISE("\"on\": \"sums\", \"beta\": 1"),
	       "job.noise.beta is 1, expected job.noise.eps");
	kmeans(NOISE("\"on\": \"sums\""), "job.noise.eps is not given");
	kmeans(NOISE("\"on\": \"sums\", \"eps\": 1, \"delta\": 1e-5"), "without job.noise.clip");
	kmeans(", \"standardize\": \"joint\"" SUMS(""),
	       "job.standardize is \"joint\", expected \"none\"");
	kmeans(", \"standardize\": \"local\"" SUMS(""),
	       "job.standardize is \"local\", expected \"none\"");
	kmeans(", \"tolerance\": 0.1" SUMS(""), "with noise in sums all rounds are made");
	kmeans(", \"iterations\": 4" SUMS(""), "job.iterations is 4, expected 5 or more");
	kmeans(", \"iterations\": 5" SUMS(""), NULL);
	kmeans(NOISE("\"on\": \"data\", \"beta\": 1, \"colluders\": 1"),
	       "job.noise.colluders is 1, but job.noise.on is \"data\"");
	kmeans(NOISE("\"colluders\": 1"), "job.noise.colluders is 1, but job.noise.on is \"none\"");
	assert_err(parse(&j, "{\"kind\": \"kmeans\", \"clusters\": 65" SUMS("") "}", NULL),
		   ERR_INPUT, "job.clusters is 65, expected 64 at most");
}

/* Somebody's noise must be left. */
static void test_colluders_of_so_many(void **state)
{
	struct fedsc_params p;
	struct job j;

	(void)state;
	assert_ok(parse(&j, "{\"kind\": \"kmeans\", \"clusters\": 5" SUMS(", \"colluders\": 3") "}",
			NULL));
	assert_ok(fedsc_params_of(fedsc_job(&j), 4, 0, 1, &p));
	assert_true(p.colluders == 3 && p.multiplier > 0 && p.clip == 2);
	fedsc_job(&j)->noise_colluders = JOB_AUTO; /* half, rounded down */
	for (unsigned parties = 2; parties <= 9; parties++) {
		assert_ok(fedsc_params_of(fedsc_job(&j), parties, 0, 1, &p));
		assert_int_equal(p.colluders, parties / 2);
	}
	fedsc_job(&j)->noise_colluders = 3;
	assert_err(fedsc_params_of(fedsc_job(&j), 3, 0, 1, &p), ERR_INPUT,
		   "job.noise.colluders is 3, of 3 parties");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),         cmocka_unit_test(test_unread),
		cmocka_unit_test(test_noise_of_rows), cmocka_unit_test(test_noise_of_factors),
		cmocka_unit_test(test_noise_in_sums), cmocka_unit_test(test_colluders_of_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
