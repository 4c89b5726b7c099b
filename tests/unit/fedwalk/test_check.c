/* Jobs of kind fedwalk: bounds, what is not read, who must allow it, and what is said of them. */
#include "tests/unit/job/jobs.h"

#include "common/fedwalk/facts.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/fedwalk/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(const char *more, const char *message)
{
	char text[1024];
	struct job j;

	snprintf(text, sizeof(text), "{\"kind\": \"fedwalk\"%s}", more);
	if (message)
		assert_err(parse(&j, text, NULL), ERR_INPUT, message);
	else
		assert_ok(parse(&j, text, NULL));
}

#define RESPONSE ", \"mode\": \"randomized-response\""

static void test_bounds(void **state)
{
	(void)state;
	check("", NULL);
	check(", \"length\": 2", "job.length is 2, expected a whole number from 3 to 1000");
	check(", \"p\": 1.01", "job.p is 1.01, expected a number from 0 to 1");
	check(", \"p\": -0.1", "job.p is -0.1, expected a number from 0 to 1");
	check(", \"p\": 1", NULL);
	check(", \"eps\": 0", "job.eps is 0, expected a number from 0.001");
	check(", \"eps\": -2", "job.eps is -2, expected a number from 0.001");
	check(", \"bins\": 0", "job.bins is 0, expected");
	check(", \"bins\": 33", "job.bins is 33, expected");
	check(", \"walks\": 0", "job.walks is 0, expected");
	check(", \"dims\": 64", "job.dims is 64, expected a whole number from 128 to 128");
	check(", \"window\": 40", "job.window is 40, expected less than job.length, 40");
	check(", \"window\": 5, \"length\": 6", NULL);
	check(", \"clusters\": 7", "job.clusters is unknown");
	check(", \"secure_sum\": {\"modulus_bits\": 32}", "modulus_bits is 32, expected 64");
	check(RESPONSE ", \"eps\": 0.01", "job.eps is 0.01, expected 0.1 to 40 with mode");
	check(RESPONSE ", \"eps\": 41", "job.eps is 41, expected 0.1 to 40 with mode");
	check(", \"dissimilarity\": \"dtw\", \"tree\": \"landmarks\"", "job.tree is \"landmarks\"");
}

static void test_unread(void **state)
{
	(void)state;
	check(RESPONSE, NULL);
	check(RESPONSE ", \"p\": 0.3", "mode \"randomized-response\" does not read it");
	check(RESPONSE ", \"bins\": 3", "mode \"randomized-response\" does not read it");
	check(RESPONSE ", \"tree\": \"exact\"", "mode \"randomized-response\" does not read it");
	check(RESPONSE ", \"dissimilarity\": \"dtw\"",
	      "mode \"randomized-response\" does not read it");
	check(", \"dtw_rows\": 32", "dissimilarity \"l1\" does not read it");
	check(", \"dissimilarity\": \"dtw\", \"dtw_rows\": 32", NULL);
}

static const char *permission(const char *text)
{
	struct job j;

	assert_ok(parse(&j, text, NULL));
	return job_permission(&j);
}

static bool leaks(const char *text, const char *words)
{
	const char *said[32];
	struct job j;
	size_t n;

	assert_ok(parse(&j, text, NULL));
	n = job_leaks(&j, 3, said, 32);
	assert_true(n < 32);
	for (size_t i = 0; i < n; i++)
		if (strstr(said[i], words))
			return true;
	return false;
}

static void test_what_is_said(void **state)
{
	static const char walks[] = "{\"kind\": \"fedwalk\"}",
			  dtw[] = "{\"kind\": \"fedwalk\", \"dissimilarity\": \"dtw\"}",
			  response[] = "{\"kind\": \"fedwalk\"" RESPONSE "}";
	struct job j;

	(void)state;
	assert_string_equal(permission(walks), "fedwalk");
	assert_string_equal(permission(dtw), "fedwalk.dtw");
	assert_string_equal(permission(response), "fedwalk");
	assert_true(leaks(walks, "the encoder keeps nearly every vertex as it is"));
	assert_false(leaks(walks, "gives every tie away"));
	assert_true(leaks(dtw, "gives every tie away, whatever eps is"));
	assert_true(leaks(response, "8 is a weak promise"));
	assert_false(leaks(response, "encoder"));
	assert_ok(parse(&j, response, NULL));
	assert_true(fedwalk_job(&j)->eps == 8);
	assert_ok(parse(&j, walks, NULL));
	assert_true(fedwalk_job(&j)->eps == 2 && j.clusters == 0 &&
		    fedwalk_job(&j)->keep_embeddings);
}

static double fact(const struct facts *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->item[i].name, name))
			return r->item[i].values ? r->item[i].value[0] : NAN;
	fail_msg("no fact %s", name);
	return 0;
}

static void test_record(void **state)
{
	double told[FEDWALK_TOLD] = {
		[FEDWALK_GUESSED] = 50, [FEDWALK_RIGHT] = 40,      [FEDWALK_TIES] = 80,
		[FEDWALK_WALKED] = 100, [FEDWALK_MESSAGES] = 3264, [FEDWALK_ONE_SIDED] = 6
	};
	struct facts *r = alloc(1, sizeof(*r));
	struct job j;

	(void)state;
	log_init("test", LOG_ERROR);
	assert_ok(parse(&j, "{\"kind\": \"fedwalk\"}", NULL));
	fedwalk_record(fedwalk_job(&j), 1000, told, r);
	assert_true(fact(r, "attack_precision") == 0.8);
	assert_true(fact(r, "attack_recall") == 0.5);
	assert_true(fact(r, "messages_per_walk") == 32.64);
	assert_true(fabs(fact(r, "messages_expected") - 32.6389) < 1e-4);
	assert_true(fact(r, "one_sided_ties") == 3);
	assert_true(fact(r, "bins") == 6);        /* floor(ln 1000) */
	assert_true(isnan(fact(r, "account_1"))); /* a text */
	facts_release(r);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bounds),
					    cmocka_unit_test(test_unread),
					    cmocka_unit_test(test_what_is_said),
					    cmocka_unit_test(test_record) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
