/* Tests the parameters of FedSC and k-means that a job gives. */
#include "tests/unit/job/jobs.h"
#include "protocols/fedsc/coordinator.h"
#include "protocols/fedsc/job.h"
#include "common/job/job.h"

#include <string.h>

static struct fedsc_params params_of(const char *text)
{
	struct fedsc_params p;
	struct job job;

	assert_ok(parse(&job, text, NULL));
	assert_ok(fedsc_params_of(fedsc_job(&job), 5, 3, &p));
	assert_true(p.k == 6 && p.seed == 9 && p.threads == 3);
	return p;
}

#define OF(kind, more) "{\"kind\": \"" kind "\", \"clusters\": 6, \"seed\": 9" more "}"

/* A job without `noise` has none. k-means is a variant of its own. */
TEST(defaults)
{
	static const struct {
		const char *text;
		enum fedsc_variant variant;
	} cases[] = {
		{ OF("fedsc", ""), FEDSC_BY_ANCHORS },
		{ OF("fedsc", ", \"variant\": \"dense\""), FEDSC_BY_DENSE },
		{ OF("fedsc", ", \"variant\": \"paper\""), FEDSC_BY_PAPER },
		{ OF("fedsc", ", \"variant\": \"pairwise\""), FEDSC_BY_PAIRWISE },
		{ OF("kmeans", ""), FEDSC_BY_KMEANS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fedsc_params p = params_of(cases[i].text);

		assert_int_equal(p.variant, cases[i].variant);
		assert_true(p.k == 6 && p.seed == 9 && p.threads == 3);
		assert_int_equal(p.lloyd, cases[i].variant == FEDSC_BY_KMEANS ? 100 : 10);
		assert_true(p.dims == 0 && p.least == 3);
		if (cases[i].variant != FEDSC_BY_KMEANS)
			assert_true(p.dims_most == 250 && p.width_factor == 1);
		assert_true(p.beta == 0 && p.noise_z == 0 && p.noise_c == 0 && p.sigma_z == 0 &&
			    p.sigma_c == 0 && p.clip == 0 && p.ball == 0);
	}
}

TEST(each_is_read)
{
	struct fedsc_params p;

	p = params_of(OF("fedsc", ", \"dims\": 40, \"min_cluster\": 8, "
				  "\"restarts\": 3, \"iterations\": 17"));
	assert_true(p.variant == FEDSC_BY_ANCHORS && p.dims == 40 && p.near == 4 && p.least == 8 &&
		    p.restarts == 3 && p.lloyd == 17);
	p = params_of(OF("fedsc", ", \"variant\": \"dense\", \"rounds\": 11, \"inner\": 2, "
				  "\"tolerance\": 0.125, "
				  "\"kernel\": {\"factor\": 1.5, \"lambda\": 0.25}"));
	assert_true(p.variant == FEDSC_BY_DENSE && p.dims == 0 && p.share == 0.99 &&
		    p.dims_most == 250 && p.rounds == 11 && p.inner == 2 && p.tolerance == 0.125 &&
		    p.width_factor == 1.5 && p.lambda == 0.25);
	p = params_of(OF("fedsc", ", \"variant\": \"paper\", "
				  "\"kernel\": {\"width\": 2.5}"));
	assert_true(p.variant == FEDSC_BY_PAPER && p.width == 2.5);
	p = params_of(OF("kmeans", ", \"min_cluster\": 4, \"restarts\": 2, \"iterations\": 33, "
				   "\"tolerance\": 0.5"));
	assert_true(p.variant == FEDSC_BY_KMEANS && p.least == 4 && p.restarts == 2 &&
		    p.lloyd == 33 && p.tolerance == 0.5 && p.dims == 0);
}

TEST(noise_is_read)
{
	struct fedsc_params p;

	p = params_of(OF("kmeans", ", \"noise\": {\"on\": \"data\", \"beta\": 0.5}"));
	assert_true(p.beta == 0.5 && p.noise_z == 0 && p.noise_c == 0);
	p = params_of(OF("fedsc", ", \"variant\": \"paper\", \"noise\": {\"on\": \"factors\", "
				  "\"beta\": 0.5}"));
	assert_true(p.beta == 0 && p.noise_z == 0.5 && p.noise_c == 0.5);
	p = params_of(OF("fedsc", ", \"variant\": \"paper\", \"dims\": 20, "
				  "\"kernel\": {\"width\": 1.5}, \"noise\": {\"on\": \"factors\", "
				  "\"eps\": 0.5, \"delta\": 1e-5, \"clip\": 2, \"ball\": 3}"));
	assert_true(p.sigma_z > 0 && p.sigma_c > 0 && p.clip == 2 && p.ball == 3 && p.noise_z == 0);
}

TEST(whether_r_is_summed)
{
	static const struct {
		const char *text;
		bool summed;
	} cases[] = {
		{ OF("fedsc", ""), false },
		{ OF("fedsc", ", \"variant\": \"dense\""), true },
		{ OF("fedsc", ", \"variant\": \"paper\""), true },
		{ OF("fedsc", ", \"variant\": \"dense\", \"kernel\": {\"width\": 2}"), false },
		{ OF("kmeans", ""), false },
	};

	for (size_t i = 0; i < 5; i++) {
		struct job job;

		assert_ok(parse(&job, cases[i].text, NULL));
		assert_int_equal(fedsc_width_is_summed(fedsc_job(&job)), cases[i].summed);
	}
}
