/* Submits a job: reads its parties, and names the line of an error. */
#include "server/service/submit.h"
#include "tests/test.h"

#include <string.h>

static char *names[] = { "bank-a", "bank-b", "bank-c" };
static struct coordinator_config config = { .common = { .name = "hub" }, .parties = { names, 3 } };
static struct store_job j;

static enum err submit(const char *text)
{
	j = (struct store_job){ 0 };
	return submit_read(&j, &config, (struct bytes){ (const uint8_t *)text, strlen(text) },
			   "job.json");
}

TEST(test_for_all)
{
	assert_ok(submit("{ \"kind\": \"kmeans\", \"clusters\": 3 }"));
	assert_int_equal(j.parties, 3);
	assert_string_equal(j.party[0], "bank-a");
	assert_string_equal(j.party[2], "bank-c");
	assert_non_null(strstr(j.text, "\"clusters\":3"));
	assert_null(strstr(j.text, "parties\""));
	store_job_release(&j);
}

/* Lists the job's parties in the order of their names. The job's text for the parties omits
 * them. */
TEST(test_for_some)
{
	assert_ok(submit(
	    "{ \"kind\": \"kmeans\", \"parties\": [\"bank-c\", \"bank-a\"], \"clusters\": 3 }"));
	assert_int_equal(j.parties, 2);
	assert_string_equal(j.party[0], "bank-a");
	assert_string_equal(j.party[1], "bank-c");
	assert_null(strstr(j.text, "bank-"));
	store_job_release(&j);
	assert_ok(
	    submit("{ \"kind\": \"kmeans\", \"allow_single\": true, \"parties\": [\"bank-b\"], "
		   "\"clusters\": 3 }"));
	assert_int_equal(j.parties, 1);
	store_job_release(&j);
}

TEST(test_wrong_parties)
{
	assert_err(
	    submit("{ \"kind\": \"kmeans\", \"clusters\": 3,\n\"parties\": [\"bank-x\"] }"),
	    ERR_INPUT,
	    "job.json: job.parties has \"bank-x\", expected names of the parties of hub (line 2)");
	assert_err(
	    submit(
		"{ \"kind\": \"kmeans\", \"clusters\": 3, \"parties\": [\"bank-a\", \"bank-a\"] }"),
	    ERR_INPUT, "job.parties has \"bank-a\" twice (line 1)");
	assert_err(submit("{ \"kind\": \"kmeans\", \"clusters\": 3, \"parties\": [\"bank-a\"] }"),
		   ERR_INPUT, "job.parties has 1, expected at least 2");
	assert_err(submit("{ \"kind\": \"kmeans\", \"clusters\": 3, \"parties\": [] }"), ERR_INPUT,
		   "job.parties is empty");
	assert_err(submit("{ \"kind\": \"kmeans\", \"clusters\": 3, \"parties\": [3] }"), ERR_INPUT,
		   "job.parties has \"\"");
	assert_err(submit("{ \"kind\": \"kmeans\", \"clusters\": 3, \"parties\": {} }"), ERR_INPUT,
		   "job.parties is an object, expected names");
}

TEST(test_lines)
{
	assert_err(submit("{ \"kind\": \"kcagc\",\n\n\"clusters\": 1 }"), ERR_INPUT,
		   "job.json: job.clusters is 1, expected");
	assert_non_null(strstr(err_detail(), "(line 3)"));
	assert_err(
	    submit("{ \"kind\": \"kcagc\",\n\"filter\": {\n\"order\": -1 }, \"clusters\": 3 }"),
	    ERR_INPUT, "(line 3)");
	assert_err(submit("{ \"kind\": \"kmeans\",\n\"clusters\": 3, \"filters\":\n1 }"), ERR_INPUT,
		   "(line 2)");
	assert_err(submit("{ \"kind\":\n \"kmeans\",\n\"clusters\" 3 }"), ERR_INPUT, "line 3");
	assert_err(submit("{ \"kind\": \"kmeans\" }"), ERR_INPUT, "job.clusters is missing");
	assert_null(strstr(err_detail(), "(line")); /* a missing key is on no line */
	assert_err(submit("[]"), ERR_INPUT, "expected an object");
	assert_err(submit(""), ERR_INPUT, "job.json");
}

static unsigned line_of(const char *text, const char *path)
{
	return submit_line((struct bytes){ (const uint8_t *)text, strlen(text) }, path);
}

TEST(test_line_of_a_key)
{
	static const char text[] =
	    "{\n \"a\": { \"b\":\n [1, { \"c\": 2 }],\n\"c\" : \"x\\\"\\n:\" },\n"
	    "\"c\": [\"d\"],\n\"d\": {\n\"b\": 0 } }";

	assert_int_equal(line_of(text, "a"), 2);
	assert_int_equal(line_of(text, "a.b"), 2);
	assert_int_equal(line_of(text, "a.c"), 4);
	assert_int_equal(line_of(text, "c"), 5);
	assert_int_equal(line_of(text, "d"), 6);
	assert_int_equal(line_of(text, "d.b"), 7);
	assert_int_equal(line_of(text, "a.d"), 0);
	assert_int_equal(line_of(text, "c.d"), 0);
	assert_int_equal(line_of(text, "b"), 0);
	assert_int_equal(line_of("{", "a"), 0);
	assert_int_equal(line_of("\"", "a"), 0);
	assert_int_equal(line_of("", "a"), 0);
}
