/* Tests the job in an offer: values that differ from the defaults of its schema, and the errors of
 * a release that does not know a value. */
#include "protocols/kcagc/job.h"
#include "jobs.h"

#include <glob.h>
#include <stdio.h>

#define OFFER "{\"schema\":1,\"kind\":\"kcagc\",\"clusters\":7,\"filter\":{\"order\":9}"

static char key[JOB_KEY_MAX + 1];

static enum err offered(struct job *job, const char *text)
{
	return job_offer_parse(job, (struct bytes){ (const uint8_t *)text, strlen(text) }, key);
}

/* Writes the offer of a job, and checks that reading it gives this job. */
static void there_and_back(const struct job *job, struct buf *text)
{
	struct buf again = { 0 };
	struct job read;
	char why[256];

	job_offer_write(job, text);
	assert_ok(job_offer_parse(&read, (struct bytes){ text->p, text->n }, key));
	assert_string_equal(key, "");
	if (job_difference(job, &read, why, sizeof(why)))
		fail_msg("%s", why);
	job_offer_write(&read, &again);
	assert_int_equal(text->n, again.n);
	assert_memory_equal(text->p, again.p, again.n);
	buf_release(&again);
	buf_add(text, "", 1);
}

TEST(test_what_differs)
{
	static const struct {
		const char *job, *offer;
	} of[] = {
		{ "{" MIN TREE "}", OFFER ",\"secure_sum\":{\"modulus_bits\":32}}" },
		{ "{" MIN TREE ", \"min_cell\": 1, \"secure_sum\": {\"modulus_bits\": 64}}",
		  OFFER "}" },
		{ "{" MIN TREE ", \"secure_sum\": {\"group\": \"x25519\", \"modulus_bits\": 64}}",
		  OFFER ",\"secure_sum\":{\"group\":\"x25519\"}}" },
		/* Presets appear as the values that they set, so a release with another default
		 * runs the same method. */
		{ "{" JOB "}", "\"clusters\":7,\"method\":\"landmark\",\"filter\":{\"order\":"
			       "\"auto\"},\"degrees\":\"auto\",\"polish\":1," },
		{ "{" JOB ", \"method\": \"gcc\"}",
		  "{\"schema\":1,\"kind\":\"kcagc\",\"clusters\":7,\"method\":\"gcc\",\"filter\":{"
		  "\"order\":\"auto\"},\"degrees\":\"auto\",\"polish\":0}" },
		/* Optional values appear if they are given. */
		{ "{\"kind\": \"kmeans\", \"clusters\": 2, \"noise\": {\"on\": \"sums\", \"eps\": "
		  "1, "
		  "\"delta\": 1e-5, \"clip\": 1}}",
		  "\"noise\":{\"on\":\"sums\",\"eps\":1,\"delta\":1e-05,\"clip\":1" },
		{ "{\"kind\": \"fedgcn\", \"clusters\": 2}",
		  "{\"schema\":1,\"kind\":\"fedgcn\",\"clusters\":2}" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct buf text = { 0 };
		struct job j;

		assert_ok(parse(&j, of[i].job, NULL));
		there_and_back(&j, &text);
		if (!strstr((const char *)text.p, of[i].offer))
			fail_msg("row %zu: %s", i, (const char *)text.p);
		buf_release(&text);
	}
}

TEST(test_all_examples)
{
	glob_t found;

	assert_int_equal(glob("configs/jobs/*.json", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 16);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *model[] = { "model=0123456789abcdef0123456789abcdef", NULL };
		struct buf text = { 0 };
		struct job j;

		assert_ok(job_read(&j, found.gl_pathv[i],
				   strstr(found.gl_pathv[i], "predict") ? model : NULL));
		there_and_back(&j, &text);
		buf_release(&text);
	}
	globfree(&found);
}

/* An offer's "preset" changes nothing, since the submitter has already replaced it by values. */
TEST(test_presets_do_not_count)
{
	struct job j;

	assert_ok(offered(&j, OFFER ",\"preset\":\"paper\"}"));
	assert_int_equal(kcagc_job(&j)->method, METHOD_TREE); /* omitted, as by release 0.2.0 */
	assert_true(kcagc_job(&j)->idf);
	assert_int_equal(kcagc_job(&j)->polish, 3);
	assert_int_equal(j.modulus_bits, 64);
}

/* The error names the unknown kind, schema, parameter or value. */
TEST(test_unknown)
{
	static const struct {
		const char *offer, *key, *says;
	} of[] = {
		{ OFFER ",\"future\":1}", "future", "job.future is unknown" },
		{ OFFER ",\"secure_sum\":{\"future\":null}}", "secure_sum.future",
		  "job.secure_sum.future" },
		{ OFFER ",\"secure_sum\":3}", "secure_sum", "expected an object" },
		{ OFFER ",\"method\":\"future\"}", "method", "job.method is \"future\"" },
		{ OFFER ",\"polish\":-1}", "polish", "job.polish is -1" },
		{ "{\"schema\":1,\"kind\":\"kcagc\",\"clusters\":7}", "filter.order",
		  "is missing" },
		{ "{\"schema\":1,\"kind\":\"future\",\"clusters\":7}", "kind", "job.kind is" },
		{ "{\"schema\":2,\"kind\":\"kmeans\",\"clusters\":7}", "schema",
		  "offer: job.schema is not 1, as here with kind \"kmeans\"" },
		{ "{\"schema\":2,\"kind\":\"kmeans\",\"clusters\":7,\"future\":1}", "schema",
		  "job.schema" },
		{ "{\"kind\":\"kmeans\",\"clusters\":7}", "schema", "job.schema" },
		{ "{\"schema\":\"1\",\"kind\":\"kmeans\",\"clusters\":7}", "schema", "job.schema" },
		/* names that are not valid are not repeated */
		{ OFFER ",\"fut\\u0001re\":1}", "", "is unknown" },
		{ OFFER ",\"\":1}", "", "is unknown" },
		{ OFFER ",\"a23456789b23456789c23456789d23456789e23456789f23456789g23456789h\":1}",
		  "a23456789b23456789c23456789d23456789e23456789f23456789g23456789h",
		  "is unknown" },
		{ OFFER ",\"a23456789b23456789c23456789d23456789e23456789f23456789g23456789h2\":1}",
		  "", "is unknown" },
		/* known keys that conflict; not JSON; not an object */
		{ OFFER ",\"min_cell\":2}", "", "offer: job.min_cell" },
		{ "{\"schema\":1", "", "offer" },
		{ "[]", "kind", "offer" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct job j;

		if (offered(&j, of[i].offer) != ERR_INPUT || !strstr(err_detail(), of[i].says) ||
		    strcmp(key, of[i].key) != 0)
			fail_msg("row %zu: \"%s\", %s", i, key, err_detail());
		assert_null(j.kind);
	}
}

TEST(test_files_have_none)
{
	struct job j;

	assert_err(parse(&j, OFFER "}", NULL), ERR_INPUT, "job.schema is unknown");
}

/* An offer may omit a parameter that its variant does not read. It may not give such a parameter a
 * value. Neither may a job, not even the default. */
TEST(test_omitted_and_unread)
{
	struct job j;

	assert_ok(offered(&j, "{\"schema\":1,\"kind\":\"fedspectral\",\"clusters\":3}"));
	assert_err(offered(&j, "{\"schema\":1,\"kind\":\"fedspectral\",\"clusters\":3,"
			       "\"iterations\":4}"),
		   ERR_INPUT, "job.iterations is read by variant \"fedspectral+\" only");
	assert_err(parse(&j, "{\"kind\":\"fedspectral\",\"clusters\":3,\"iterations\":10}", NULL),
		   ERR_INPUT, "job.iterations is read by variant \"fedspectral+\" only");
}
