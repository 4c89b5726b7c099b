/* Jobs: precedence of given, preset and default; the canonical text; what is refused. */
#include "tests/test.h"

#include "common/job/job.h"

#include <stdio.h>
#include <string.h>

#define MIN "\"kind\": \"kcagc\", \"clusters\": 7, \"filter\": {\"order\": 9}"

static enum err parse(struct job *job, const char *text, char *const *set)
{
	return job_parse(job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job.json",
			 set);
}

static void text_of(const struct job *job, char *out, size_t len)
{
	struct buf b = { 0 };

	job_write(job, &b);
	assert_true(b.n < len);
	memcpy(out, b.p, b.n);
	out[b.n] = 0;
	buf_release(&b);
}

static void test_default_preset(void **state)
{
	/* In this order, in one line, nothing left out. */
	static const char *const parts[] = {
		"{\"kind\":\"kcagc\",\"clusters\":7,\"seed\":1,\"allow_single\":false,\"graphs\":"
		"\"shared\",",
		"\"preset\":\"default\",\"method\":\"tree\",\"local_clusters\":\"2k\",",
		"\"filter\":{\"kind\":\"half\",\"order\":9},\"features\":\"idf\",",
		"\"projection\":{\"basis\":\"scaled\",\"dims\":\"k\",\"unit_rows\":true,\"row_"
		"power\":1},",
		"\"virtual_nodes\":\"mean\",\"local_restarts\":5,",
		"\"restarts\":10,",
		"\"iterations\":10,\"ninth\":true,\"polish\":3,\"exchange\":\"distances\",",
		"\"secure_sum\":{\"group\":\"ffdhe3072\",\"modulus_bits\":64,\"fraction_bits\":16}"
		"}",
	};
	char text[4096], *at = text;
	struct job j;

	(void)state;
	assert_ok(parse(&j, "{" MIN "}", NULL));
	text_of(&j, text, sizeof(text));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		at = strstr(at, parts[i]);
		if (!at)
			fail_msg("part %zu is not there in its place: %s", i, text);
	}
	assert_int_equal(job_local_clusters(&j), 14);
	assert_int_equal(job_dims(&j), 7);
	assert_string_equal(job_kind_name(&j), "kcagc");
}

static void test_paper_preset_and_precedence(void **state)
{
	struct job j;
	struct embed_params e;

	(void)state;
	assert_ok(parse(
	    &j, "{" MIN ", \"preset\": \"paper\", \"polish\": 2, \"local_clusters\": 21}", NULL));
	assert_int_equal(j.polish, 2); /* given over preset */
	assert_false(j.idf);
	assert_true(j.unit_basis);
	assert_false(j.unit_rows);
	assert_int_equal(j.virtual_nodes, VIRTUAL_CENTRE);
	assert_int_equal(job_dims(&j), 21); /* "local": k^ */
	e = job_embed_params(&j, 3);
	assert_true(!e.idf && e.unit_basis && !e.unit_rows && e.filter == FILTER_HALF);
	assert_int_equal(e.order, 9);
	assert_int_equal(e.dims, 21);
	assert_int_equal(e.threads, 3);
	assert_ok(parse(&j, "{" MIN ", \"preset\": \"paper\"}", NULL));
	assert_int_equal(j.polish, 0);
	/* Basic is on all nodes anyway: its default is no polish, whatever the preset. */
	assert_ok(parse(&j, "{" MIN ", \"method\": \"basic\"}", NULL));
	assert_int_equal(j.polish, 0);
	assert_true(j.idf);
	assert_ok(parse(&j, "{" MIN ", \"method\": \"basic\", \"preset\": \"paper\"}", NULL));
	assert_int_equal(j.polish, 0);
	assert_false(j.idf);
}

static void test_effective_text_is_a_fixed_point(void **state)
{
	static const char *const jobs[] = {
		"{" MIN "}",
		"{" MIN ", \"preset\": \"paper\", \"method\": \"flat\"}",
		"{" MIN ", \"method\": \"basic\", \"seed\": 9007199254740991}",
		"{" MIN ", \"secure_sum\": {\"modulus_bits\": 32, \"group\": \"ffdhe2048\"}, "
		"\"projection\": {\"row_power\": 0.3}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		char a[4096], b[4096], why[256];
		struct job j, again;

		assert_ok(parse(&j, jobs[i], NULL));
		text_of(&j, a, sizeof(a));
		assert_ok(parse(&again, a, NULL));
		text_of(&again, b, sizeof(b));
		assert_string_equal(a, b);
		assert_false(job_difference(&j, &again, why, sizeof(why)));
	}
}

static void test_difference(void **state)
{
	struct job a, b;
	char why[256];

	(void)state;
	assert_ok(parse(&a, "{" MIN "}", NULL));
	b = a;
	b.clusters = 8;
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.clusters: 7 here, 8 offered");
	b = a;
	b.group_bits = 4096;
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.secure_sum.group: \"ffdhe3072\" here, \"ffdhe4096\" offered");
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		/* 0 */ { "{\"kind\": \"kcagc\", \"clusters\": 1, \"filter\": {\"order\": 9}}",
			  "job.json: job.clusters is 1, expected a whole number from 2 to" },
		/* 1 */
		{ "{" MIN ", \"local_clusters\": 6}",
		  "job.json: job.local_clusters is 6, expected at least job.clusters, 7" },
		/* 2 */
		{ "{" MIN ", \"local_clusters\": \"k\", \"clusterz\": 2}",
		  "job.clusterz is unknown" },
		/* 3 */
		{ "{" MIN ", \"method\": \"basic\", \"polish\": 1}",
		  "job.polish is 1, expected 0 with method \"basic\"" },
		/* 4 */
		{ "{" MIN ", \"secure_sum\": {\"modulus_bits\": 48}}",
		  "modulus_bits is 48, expected 32 or 64" },
		/* 5 */
		{ "{" MIN ", \"secure_sum\": {\"modulus_bits\": 32, \"fraction_bits\": 17}}",
		  "job.secure_sum.fraction_bits is 17, expected at most 16 with 32 modulus bits" },
		/* 6 */
		{ "{" MIN ", \"secure_sum\": {\"fraction_bits\": 49}}", "fraction_bits is 49" },
		/* 7 */ { "{\"kind\": \"kcagc\", \"clusters\": 7}", "job.filter.order is missing" },
		/* 8 */
		{ "{\"clusters\": 7, \"filter\": {\"order\": 9}}",
		  "job.kind is missing, expected one of \"kcagc\"" },
		/* 9 */
		{ "{" MIN ", \"filter\": {\"order\": 3}}", "the key \"filter\" is there twice" },
		/* 10 */
		{ "{" MIN ", \"preset\": \"papre\"}",
		  "job.preset is \"papre\", expected one of \"default\", \"paper\"" },
		/* 11 */
		{ "{" MIN ", \"seed\": 9007199254740992}", "job.seed is 9007199254740992" },
		/* 12 */ { "{" MIN ", \"seed\": 1.5}", "job.seed is 1.5" },
		/* 13 */ { "{" MIN ", \"seed\": \"1\"}", "job.seed is \"1\"" },
		/* 14 */
		{ "{\"kind\": \"kcagc\", \"clusters\": 65536, \"local_clusters\": \"2k\", "
		  "\"filter\": {\"order\": 9}}",
		  "job.local_clusters is 131072" },
		/* 15 */ { "{" MIN ", \"projection\": {\"dims\": 0}}", "job.projection.dims is 0" },
		/* 16 */ { "[]", "job.json: job is an array, expected an object" },
		/* 17 */ { "{" MIN ", \"max_cell\": 2}", "job.max_cell is unknown" },
		/* 18 */ { "{" MIN "", "ends too early" },
	};
	struct job j;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		print_message("case %zu\n", i);
		assert_err(parse(&j, cases[i].text, NULL), ERR_INPUT, cases[i].message);
		assert_non_null(strstr(err_detail(), "job.json"));
	}
}

static void test_set(void **state)
{
	char *set[] = { "clusters=3", "filter.order=60", "method=flat", NULL },
	     *bad[] = { "clusters=x", NULL };
	struct job j;

	(void)state;
	assert_ok(parse(&j, "{" MIN "}", set));
	assert_int_equal(j.clusters, 3);
	assert_int_equal(j.filter_order, 60);
	assert_int_equal(j.method, METHOD_FLAT);
	assert_err(parse(&j, "{" MIN "}", bad), ERR_INPUT,
		   "job.json with --set: job.clusters is \"x\"");
}

static void test_size_bound(void **state)
{
	static uint8_t big[JOB_TEXT_MAX + 1];
	struct job j;

	(void)state;
	memset(big, ' ', sizeof(big));
	assert_err(job_parse(&j, (struct bytes){ big, sizeof(big) }, "offer", NULL), ERR_INPUT,
		   "offer: a job of 65537 bytes");
}

/* The leaks that matter most are said exactly where they apply. */
static void test_leaks(void **state)
{
	static const struct {
		const char *job, *text;
		size_t parties;
		bool said;
	} cases[] = {
		{ "{" MIN "}", "final cluster", 4, true },
		{ "{" MIN "}", "local clusters of each party", 4, true },
		{ "{" MIN ", \"method\": \"basic\"}", "local clusters of each party", 4, false },
		{ "{" MIN ", \"method\": \"basic\"}", "joint geometry", 4, true },
		{ "{" MIN "}", "joint geometry", 4, true }, /* polish */
		{ "{" MIN ", \"polish\": 0}", "joint geometry", 4, false },
		{ "{" MIN ", \"preset\": \"paper\"}", "alpha(a, r)", 4, true },
		{ "{" MIN "}", "alpha(a, r)", 4, false },
		{ "{" MIN "}", "in a sum of two parties", 4, true },
		{ "{" MIN ", \"method\": \"flat\"}", "in a sum of two parties", 4, false },
		{ "{" MIN ", \"method\": \"flat\"}", "in a sum of two parties", 2, true },
		{ "{" MIN ", \"method\": \"flat\"}", "all parties but one", 4, true },
		{ "{" MIN "}", "nothing is masked", 1, true },
		{ "{" MIN "}", "nothing is masked", 2, false },
		{ "{" MIN "}", "differential privacy", 2, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *leaks[32];
		bool said = false;
		struct job j;
		size_t n;

		assert_ok(parse(&j, cases[i].job, NULL));
		n = job_leaks(&j, cases[i].parties, leaks, 32);
		for (size_t s = 0; s < n; s++)
			said |= strstr(leaks[s], cases[i].text) != NULL;
		if (said != cases[i].said)
			fail_msg("case %zu: \"%s\"", i, cases[i].text);
		assert_int_equal(job_leaks(&j, cases[i].parties, leaks, 2), 2);
	}
}

static void test_example_jobs(void **state)
{
	static const struct {
		const char *name;
		unsigned k, psi;
	} jobs[] = {
		{ "cora", 7, 9 }, { "citeseer", 6, 15 }, { "pubmed", 3, 60 }, { "wiki", 17, 2 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		char path[64];
		struct job j;

		snprintf(path, sizeof(path), "configs/jobs/kcagc-%s.json", jobs[i].name);
		assert_ok(job_read(&j, path, NULL));
		assert_int_equal(j.clusters, jobs[i].k);
		assert_int_equal(j.filter_order, jobs[i].psi);
		assert_int_equal(job_local_clusters(&j), 2 * jobs[i].k);
	}
	{
		struct job j;

		assert_err(job_read(&j, "/nonexistent/job.json", NULL), ERR_INPUT,
			   "/nonexistent/job.json: No such file");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_preset),
		cmocka_unit_test(test_paper_preset_and_precedence),
		cmocka_unit_test(test_effective_text_is_a_fixed_point),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_size_bound),
		cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_example_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
