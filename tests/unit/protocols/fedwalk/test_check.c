/* Tests jobs of kind fedwalk: the permission they need, and their disclosures. */
#include "tests/unit/job/jobs.h"

#include "protocols/fedwalk/facts.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "protocols/fedwalk/job.h"

#include <math.h>
#include <stdlib.h>

#define RESPONSE ", \"mode\": \"randomized-response\""

static const char *permission(const char *text)
{
	struct job j;

	assert_ok(parse(&j, text, NULL));
	return job_permission(&j);
}

static bool disclosures(const char *text, const char *words)
{
	const char *said[32];
	struct job j;
	size_t n;

	assert_ok(parse(&j, text, NULL));
	n = job_disclosures(&j, 3, said, 32);
	assert_true(n < 32);
	for (size_t i = 0; i < n; i++)
		if (strstr(said[i], words))
			return true;
	return false;
}

TEST(test_what_is_said)
{
	static const char walks[] = "{\"kind\": \"fedwalk\"}",
			  dtw[] = "{\"kind\": \"fedwalk\", \"dissimilarity\": \"dtw\"}",
			  response[] = "{\"kind\": \"fedwalk\"" RESPONSE "}";
	struct job j;

	assert_string_equal(permission(walks), "fedwalk");
	assert_string_equal(permission(dtw), "fedwalk.dtw");
	assert_string_equal(permission(response), "fedwalk");
	assert_true(disclosures(walks, "The encoder leaves nearly every vertex unchanged"));
	assert_false(disclosures(walks, "discloses every edge"));
	assert_true(disclosures(dtw, "discloses every edge, for any eps"));
	assert_true(disclosures(response, "8 is weak"));
	assert_false(disclosures(response, "encoder"));
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

TEST(test_record)
{
	double told[FEDWALK_COUNTS] = {
		[FEDWALK_GUESSED] = 50, [FEDWALK_RIGHT] = 40,      [FEDWALK_TIES] = 80,
		[FEDWALK_WALKED] = 100, [FEDWALK_MESSAGES] = 3264, [FEDWALK_ONE_SIDED] = 6
	};
	struct facts *r = alloc(1, sizeof(*r));
	struct job j;

	log_init("test", LOG_ERROR);
	assert_ok(parse(&j, "{\"kind\": \"fedwalk\"}", NULL));
	fedwalk_record(fedwalk_job(&j), 1000, told, r);
	assert_true(fact(r, "attack_precision") == 0.8);
	assert_true(fact(r, "attack_recall") == 0.5);
	assert_true(fact(r, "messages_per_walk") == 32.64);
	assert_true(fabs(fact(r, "messages_expected") - 32.6389) < 1e-4);
	assert_true(fact(r, "one_sided_ties") == 3);
	assert_true(fact(r, "bins") == 6);        /* floor(ln 1000) */
	assert_true(isnan(fact(r, "account_1"))); /* the value is a text */
	facts_release(r);
	free(r);
}
