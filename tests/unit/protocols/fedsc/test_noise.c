/* Compares the noise of jobs with numbers computed by hand. Checks that the description claims no
 * more than the numbers guarantee. */
#include "tests/unit/job/jobs.h"
#include "common/base/log.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/noise.h"
#include "common/privacy/noise.h"

#include <math.h>

static void numbers(const char *text, struct job *job, struct fedsc_noise *n)
{
	assert_ok(parse(job, text, NULL));
	assert_ok(fedsc_noise_of(fedsc_job(job), n));
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
		fail_msg("%.17g is not %.17g", a, b);
}

static void said(const char *text, const char *const *parts)
{
	struct fedsc_noise n;
	char sentence[FEDSC_NOISE_TEXT];
	struct job job;

	numbers(text, &job, &n);
	fedsc_noise_describe(fedsc_job(&job), &n, sentence);
	assert_true(strlen(sentence) < FEDSC_NOISE_TEXT - 1); /* the text was not truncated */
	for (; *parts; parts++)
		if (!strstr(sentence, *parts))
			fail_msg("\"%s\" is not in: %s", *parts, sentence);
}

/* The sensitivity is twice the clip, 4. sigma is 4 times the sigma that
 * tests/unit/privacy/test_noise.c has for this eps and sensitivity 1. */
TEST(test_rows_by_eps)
{
	struct fedsc_noise n;
	struct job job;

	numbers(
	    "{\"kind\": \"fedsc\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"eps\": 0.5, "
	    "\"delta\": 1e-5, \"clip\": 2}}",
	    &job, &n);
	near(n.sensitivity, 4);
	near(n.sigma, 4 * 7.031826675582461);
	assert_string_equal(n.mechanism, "analytic gaussian");
	near(n.eps, 0.5);
	near(n.delta, 1e-5);
	near(n.clip, 2);
	near(n.beta, 0);
	near(n.sigma_z, 0);
	near(n.scaled_clip, 0);
	numbers("{\"kind\": \"kmeans\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"eps\": 1, "
		"\"delta\": 1e-5, \"clip\": 2}}",
		&job, &n);
	near(n.sigma, 4 * 3.73063163481594);
	assert_string_equal(n.mechanism, "analytic gaussian");
}

TEST(test_by_beta)
{
	struct fedsc_noise n;
	struct job job;

	numbers(
	    "{\"kind\": \"fedsc\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"beta\": 0.3}}",
	    &job, &n);
	near(n.beta, 0.3);
	near(n.sigma + n.eps + n.clip + n.noise_z, 0);
	assert_null(n.mechanism);
	numbers(
	    "{\"kind\": \"fedsc\", \"clusters\": 3, \"variant\": \"paper\", \"noise\": {\"on\": "
	    "\"factors\", \"beta\": 0.1, \"ball\": 6}}",
	    &job, &n);
	near(n.noise_z, 0.1);
	near(n.noise_c, 0.1);
	near(n.ball, 6);
	numbers(
	    "{\"kind\": \"fedsc\", \"clusters\": 3, \"variant\": \"paper\", \"noise\": {\"on\": "
	    "\"factors\", \"beta\": 0.1, \"beta_c\": 0, \"ball\": 6}}",
	    &job, &n);
	near(n.noise_z, 0.1);
	near(n.noise_c, 0);
	near(n.beta + n.sigma_z + n.sigma_c + n.eps, 0);
	numbers(
	    "{\"kind\": \"fedsc\", \"clusters\": 3, \"variant\": \"dense\", \"noise\": {\"on\": "
	    "\"factors\", \"beta\": 0.1}}",
	    &job, &n);
	near(n.noise_z, 0.1);
	near(n.noise_c, 0);
	numbers("{\"kind\": \"fedsc\", \"clusters\": 3}", &job, &n);
	near(n.beta + n.noise_z + n.noise_c + n.sigma + n.sigma_z + n.sigma_c + n.eps, 0);
}

/* Each factor, Z and C, has half of eps and delta. With d = 16 and ball 3 the sensitivity of Z is
 * 24: 2 * 4 * 3. Its sigma for 5 rounds is 24 / 0.4 sqrt(8 * 5 ln(e + 0.4 / 1e-5)). By Lemma J.1
 * the sensitivity of C is 2800: 2 * 4 * 2 * (2 + 2 + 3) / (0.01 * 4). Its sigma is 2800 times
 * `analytic`, the analytic mechanism's sigma for eps 0.4, delta 1e-5 and sensitivity 1. */
#define FACTORS(variant, more)                                                                     \
	"{\"kind\": \"fedsc\", \"clusters\": 3, \"variant\": \"" variant                           \
	"\", \"dims\": 16, \"rounds\": 5, \"kernel\": {\"width\": 2}, \"noise\": {\"on\": "        \
	"\"factors\", \"eps\": 0.8, \"delta\": 2e-5, \"clip\": 2" more "}}"

TEST(test_factors_by_eps)
{
	double analytic = 8.629573588246668, composed = 8 * 5 * log(exp(1) + 40000);
	struct fedsc_noise n;
	struct job job;

	numbers(FACTORS("paper", ", \"ball\": 3"), &job, &n);
	near(n.sensitivity_z, 24);
	near(n.sigma_z, 24 / 0.4 * sqrt(composed));
	near(n.sensitivity_c, 2800);
	near(n.sigma_c, 2800 * analytic);
	near(n.scaled_clip, 2);
	near(n.ball, 3);
	near(n.eps, 0); /* there is no claim for the whole job */
	/* Variant dense uploads no C, so Z gets all of eps. */
	numbers(FACTORS("dense", ", \"ball\": 3"), &job, &n);
	near(n.sigma_z, 24 / 0.8 * sqrt(composed));
	near(n.sigma_c, 0);
	near(n.eps, 0);
	/* Without `ball` the sensitivity uses the rows' clip, and nothing is shortened. */
	numbers(FACTORS("paper", ""), &job, &n);
	near(n.sensitivity_z, 16);
	near(n.ball, 0);
	near(n.eps, 0);
}

TEST(test_said)
{
	said("{\"kind\": \"fedsc\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"eps\": 2, "
	     "\"delta\": 1e-6, \"clip\": 1}}",
	     (const char *[]){ "(eps 2, delta 1e-06)-differential privacy of each row",
			       "analytic gaussian", "length 1", "at most 2", "sigma 4.4609525",
			       NULL });
	said(
	    "{\"kind\": \"kmeans\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"beta\": 0.5}}",
	    (const char *[]){ "no differential privacy", "0.5 standard", NULL });
	said("{\"kind\": \"fedsc\", \"clusters\": 3}",
	     (const char *[]){ "no differential privacy", "no noise", NULL });
	said("{\"kind\": \"fedsc\", \"clusters\": 3, \"variant\": \"paper\", \"noise\": {\"on\": "
	     "\"factors\", \"beta\": 0.5}}",
	     (const char *[]){ "no differential privacy", "C_p of sigma 0.5", NULL });
	said(FACTORS("paper", ", \"ball\": 3"),
	     (const char *[]){
		 "no differential privacy of the job", "exact sums", "sigma_Z 1235.",
		 "sigma_C 24162.8", "no column of C is longer than 5",
		 "uploads of Z and C are (eps 0.8, delta 2e-05)-private by Theorem 3.9", NULL });
	said(FACTORS("dense", ", \"ball\": 3"),
	     (const char *[]){ "no differential privacy of the job", "sums made of C",
			       "uploads of Z are (eps 0.8", NULL });
	said(FACTORS("paper", ""), (const char *[]){ "no differential privacy of the job",
						     "Theorem 3.9 claims nothing", NULL });
}

static double fact(const struct facts *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->item[i].name, name) && r->item[i].values == 1)
			return r->item[i].value[0];
	return NAN;
}

/* fedsc_noise_record() records the claim and only the numbers that this kind of noise has. Without
 * noise it records nothing. */
TEST(test_recorded)
{
	struct fedsc_noise n;
	struct facts r = { 0 };
	struct job job;

	log_init("test", LOG_ERROR);
	numbers("{\"kind\": \"kmeans\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"eps\": 1, "
		"\"delta\": 1e-5, \"clip\": 2}}",
		&job, &n);
	fedsc_noise_record(fedsc_job(&job), &n, &r);
	assert_string_equal(r.item[0].name, "privacy");
	assert_non_null(strstr(r.item[0].text, "(eps 1, delta 1e-05)-differential privacy"));
	near(fact(&r, "privacy_eps"), 1);
	near(fact(&r, "privacy_delta"), 1e-5);
	near(fact(&r, "noise_sensitivity"), 4);
	near(fact(&r, "noise_sigma"), 4 * 3.73063163481594);
	assert_true(isnan(fact(&r, "noise_sigma_z")));
	facts_release(&r);
	numbers(FACTORS("paper", ", \"ball\": 3"), &job, &n);
	fedsc_noise_record(fedsc_job(&job), &n, &r);
	assert_true(isnan(fact(&r, "privacy_eps")) && isnan(fact(&r, "noise_sigma")));
	near(fact(&r, "noise_sigma_z"), n.sigma_z);
	near(fact(&r, "noise_sigma_c"), n.sigma_c);
	facts_release(&r);
	numbers("{\"kind\": \"kmeans\", \"clusters\": 3}", &job, &n);
	fedsc_noise_record(fedsc_job(&job), &n, &r);
	assert_int_equal(r.count, 0);
	facts_release(&r);
}
