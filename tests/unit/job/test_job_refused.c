/* Jobs that are refused, and the sentence in which: keys, values, and what does not go together. */
#include "tests/unit/job/jobs.h"

struct refusal {
	const char *text, *message;
};

static void refuses(const struct refusal *cases, size_t count)
{
	struct job j;

	for (size_t i = 0; i < count; i++) {
		print_message("%s\n", cases[i].text);
		assert_err(parse(&j, cases[i].text, NULL), ERR_INPUT, cases[i].message);
		assert_non_null(strstr(err_detail(), "job.json"));
	}
}

#define REFUSES(cases) refuses(cases, sizeof(cases) / sizeof(*(cases)))

/* Refused: no job at all, or keys that its kind does not have. */
static void test_refused_texts(void **state)
{
	static const struct refusal cases[] = {
		{ "[]", "job.json: job is an array, expected an object" },
		{ "{" MIN "", "ends too early" },
		{ "{" MIN ", \"filter\": {\"order\": 3}}", "the key \"filter\" is there twice" },
		{ "{\"clusters\": 7, \"filter\": {\"order\": 9}}",
		  "job.kind is missing, expected one of \"kcagc\"" },
		/* the kind is wrong, not the model */
		{ "{\"kind\": \"kcagc.predct\", \"clusters\": 7, \"model\": \"0\"}",
		  "job.kind is \"kcagc.predct\", expected one of \"kcagc\", \"kcagc.predict\"" },
		{ "{" MIN ", \"local_clusters\": \"k\", \"clusterz\": 2}",
		  "job.clusterz is unknown" },
		{ "{" MIN ", \"max_cell\": 2}", "job.max_cell is unknown" },
		{ "{" MIN ", \"model\": \"0123456789abcdef0123456789abcdef\"}",
		  "job.model is unknown, expected one of: kind, clusters," },
		{ "{" MIN ", \"landmark\": true}",
		  "job.landmark is true or false, expected an object" },
	};

	(void)state;
	REFUSES(cases);
}

/* Numbers and words that no job may have. */
static void test_refused_values(void **state)
{
	static const struct refusal cases[] = {
		{ "{\"kind\": \"kcagc\", \"clusters\": 1, \"filter\": {\"order\": 9}}",
		  "job.json: job.clusters is 1, expected a whole number from 2 to" },
		{ "{" MIN ", \"preset\": \"papre\"}",
		  "job.preset is \"papre\", expected one of \"default\", \"paper\"" },
		{ "{" MIN ", \"seed\": 9007199254740992}", "job.seed is 9007199254740992" },
		{ "{" MIN ", \"seed\": 1.5}", "job.seed is 1.5" },
		{ "{" MIN ", \"seed\": \"1\"}", "job.seed is \"1\"" },
		{ "{" MIN ", \"projection\": {\"dims\": 0}}", "job.projection.dims is 0" },
		{ "{" JOB ", \"filter\": {\"order\": \"Auto\"}}",
		  "job.filter.order is \"Auto\", expected a whole number from 0 to 10000, or "
		  "\"auto\"" },
		{ "{" MIN ", \"min_cell\": 0}", "job.min_cell is 0, expected a whole" },
		{ "{" MIN ", \"min_cell\": \"2\"}", "job.min_cell is \"2\"" },
		{ "{" MIN ", \"exchange\": \"products\"}",
		  "job.exchange is \"products\", expected one of \"distances\", \"gram\"" },
		{ "{" MIN ", \"plan\": \"auto\"}",
		  "job.plan was removed after 0.2.0: give method and exchange" },
		/* what sums in fixed point cannot tell */
		{ "{\"kind\": \"fedspectral\", \"clusters\": 3, \"tolerance\": 1e-9}",
		  "job.tolerance is 1e-09, expected" },
	};

	(void)state;
	REFUSES(cases);
}

/* Each may be, but not beside another. */
static void test_refused_combinations(void **state)
{
	static const struct refusal cases[] = {
		{ "{" MIN ", \"local_clusters\": 6}",
		  "job.json: job.local_clusters is 6, expected at least job.clusters, 7" },
		{ "{\"kind\": \"kcagc\", \"clusters\": 65536, \"local_clusters\": \"2k\", "
		  "\"filter\": {\"order\": 9}}",
		  "job.local_clusters is 131072" },
		{ "{" MIN ", \"starts\": 9}",
		  "job.restarts is 20, expected at most job.starts, 9" },
		{ "{\"kind\": \"kcagc\", \"clusters\": 7}", "job.filter.order is missing" },
		{ "{" JOB ", \"method\": \"flat\"}", "job.filter.order is missing" },
		{ "{" MIN ", \"min_cell\": 2, \"joint_norm\": true}",
		  "job.min_cell is 2, expected 1 with joint_norm, which sums a norm for each "
		  "node" },
		{ "{" MIN ", \"min_cell\": 2, \"polish\": 3}",
		  "job.min_cell is 2, expected 1 with polish: it sums over single nodes" },
		{ "{" MIN ", \"align_bound\": 1000}",
		  "job.align_bound is 1000, expected 0 where job.align is \"same\"" },
		{ "{" MIN ", \"min_common\": 50}",
		  "job.min_common is 50, expected 100 where job.align is \"same\"" },
		{ "{" MIN ", \"edges_to_others\": \"refuse\"}",
		  "job.edges_to_others is \"refuse\", expected \"drop\" where job.align is "
		  "\"same\"" },
		{ "{" MIN ", \"align\": \"intersect\", \"edges_to_others\": \"keep\"}",
		  "job.edges_to_others is \"keep\", expected" },
		{ "{\"kind\": \"kmeans.columns\", \"clusters\": 7, \"align\": \"intersect\", "
		  "\"edges_to_others\": \"refuse\"}",
		  "job.edges_to_others is unknown" },
		{ "{" MIN ", \"align\": \"hashed\"}",
		  "job.align \"hashed\" was removed after 0.2.0: use \"intersect\"" },
		{ "{\"kind\": \"kcagc\", \"clusters\": 101, \"filter\": {\"order\": 2}, \"align\": "
		  "\"intersect\"}",
		  "job.min_common is 100, expected at least job.clusters, 101: a cluster has a "
		  "row" },
		{ "{\"kind\": \"fedspectral\", \"clusters\": \"auto\", \"variant\": "
		  "\"fedspectral+\"}",
		  "job.clusters is \"auto\", expected a number with this job.variant" },
	};

	(void)state;
	REFUSES(cases);
}

static void test_secure_sum(void **state)
{
	static const struct refusal cases[] = {
		{ "{" MIN ", \"secure_sum\": {\"modulus_bits\": 48}}",
		  "modulus_bits is 48, expected 32 or 64" },
		{ "{" MIN ", \"secure_sum\": {\"modulus_bits\": 32, \"fraction_bits\": 17}}",
		  "job.secure_sum.fraction_bits is 17, expected at most 16 with 32 modulus bits" },
		{ "{" MIN ", \"secure_sum\": {\"fraction_bits\": 49}}", "fraction_bits is 49" },
	};

	(void)state;
	REFUSES(cases);
}

/* A job that predicts has few keys. */
static void test_models(void **state)
{
	static const struct refusal cases[] = {
		{ "{\"kind\": \"kcagc.predict\", \"clusters\": 7}",
		  "job.model is missing, expected 32 hexadecimal digits" },
		{ "{" MODEL ", \"polish\": 1}", "job.polish is unknown" },
		{ "{" MODEL ", \"min_cell\": 1}", "job.min_cell is unknown" },
		{ "{" MODEL ", \"method\": \"basic\"}", "job.method is unknown" },
		{ "{\"kind\": \"kcagc.predict\", \"clusters\": 7, \"model\": "
		  "\"00000000000000000000000000000000\"}",
		  "job.model is \"00000000000000000000000000000000\", expected" },
		{ "{" MODEL ", \"secure_sum\": {\"modulus_bits\": 32, \"fraction_bits\": 17}}",
		  "job.secure_sum.fraction_bits is 17, expected at most 16" },
	};

	(void)state;
	REFUSES(cases);
}

/* Polish, exchanges and least cells are of some methods alone. */
static void test_what_a_method_has_not(void **state)
{
	static const struct refusal cases[] = {
		{ "{" MIN ", \"method\": \"basic\", \"polish\": 1}",
		  "job.polish is 1, expected 0 with method \"basic\"" },
		{ "{" JOB ", \"method\": \"gcc\", \"polish\": 1}",
		  "job.polish is 1, expected 0 with method \"gcc\", which is on all nodes anyway" },
		{ "{" MIN ", \"method\": \"basic\", \"exchange\": \"gram\"}",
		  "job.exchange is \"gram\", expected \"distances\" with method \"basic\": gram is "
		  "of the virtual nodes of tree and flat" },
		{ "{" JOB ", \"method\": \"landmark\", \"exchange\": \"gram\"}",
		  "expected \"distances\" with method \"landmark\"" },
		{ "{" JOB ", \"method\": \"gcc\", \"exchange\": \"gram\"}",
		  "expected \"distances\" with method \"gcc\"" },
		{ "{" MIN ", \"min_cell\": 2, \"method\": \"basic\"}",
		  "job.min_cell is 2, expected 1 with method \"basic\": it sums over single "
		  "nodes" },
		{ "{" JOB ", \"min_cell\": 2, \"method\": \"gcc\"}",
		  "expected 1 with method \"gcc\": it sums over single nodes" },
		{ "{" JOB ", \"min_cell\": 2, \"method\": \"landmark\", \"polish\": 1}",
		  "expected 1 with polish" },
		{ "{" JOB ", \"method\": \"gcc\", \"filter\": {\"order\": 0}}",
		  "job.filter.order is 0, expected 1 to 15 or \"auto\" with method \"gcc\"" },
		{ "{" JOB ", \"method\": \"landmark\", \"filter\": {\"order\": 16}}",
		  "job.filter.order is 16, expected 1 to 15 or \"auto\" with method \"landmark\"" },
	};

	(void)state;
	REFUSES(cases);
}

static void test_what_a_method_does_not_read(void **state)
{
	static const struct refusal cases[] = {
		{ "{" JOB ", \"method\": \"landmark\", \"preset\": \"paper\"}",
		  "job.preset: \"paper\" given, \"default\" taken; method \"landmark\" does not "
		  "read it" },
		{ "{" JOB ", \"method\": \"landmark\", \"restarts\": 9}",
		  "job.restarts: 9 given, 20 taken; method \"landmark\" does not read it" },
		{ "{" JOB ", \"method\": \"gcc\", \"local_clusters\": \"8k\"}",
		  "job.local_clusters: \"8k\" given, \"2k\" taken; method \"gcc\" does not read "
		  "it" },
		{ "{" JOB ", \"method\": \"gcc\", \"landmark\": {\"power\": false}}",
		  "job.landmark.power: false given, true taken; method \"gcc\" does not read it" },
	};

	(void)state;
	REFUSES(cases);
}

#define WITHOUT ", \"on_loss\": \"attempt\""

/* What means nothing without one of its parties says so at once. */
static void test_parties_that_stay_away(void **state)
{
	static const struct refusal cases[] = {
		{ "{" MIN WITHOUT "}", "job.on_loss is \"attempt\", expected \"end\" here: method "
				       "\"tree\" sums over pairs" },
		{ "{" MIN WITHOUT ", \"method\": \"flat\", \"align\": \"intersect\"}",
		  "here: rows that all have are others without a party" },
		{ "{" MODEL WITHOUT "}", "here: a model is of all parties' columns" },
		{ "{\"kind\": \"fedspectral\", \"clusters\": 2, \"variant\": \"exact\"" WITHOUT "}",
		  "here: variant \"exact\" is of the joint graph" },
		{ "{\"kind\": \"fedwalk\"" WITHOUT "}", "here: walks go on at every party" },
		{ "{\"kind\": \"align\"" WITHOUT "}", "here: rows that all have are all parties'" },
		{ "{\"kind\": \"kmeans.columns\", \"clusters\": 2" WITHOUT "}",
		  "here: method \"tree\" sums over pairs" },
		{ "{\"kind\": \"kmeans.columns.predict\", \"clusters\": 2, \"model\": "
		  "\"00112233445566778899aabbccddeeff\"" WITHOUT "}",
		  "here: a model is of all parties' columns" },
		{ "{" MIN ", \"on_loss\": \"sum\"}",
		  "job.on_loss \"sum\" was removed after 0.1.0: use \"attempt\"" },
		{ "{" MIN ", \"on_loss\": \"never\"}",
		  "job.on_loss is \"never\", expected one of \"end\", \"attempt\"" },
	};
	static const char *const taken[] = {
		"{" MIN WITHOUT ", \"method\": \"flat\"}",
		"{" MIN WITHOUT ", \"method\": \"basic\"}",
		"{" JOB WITHOUT ", \"method\": \"landmark\"}",
		"{" JOB WITHOUT ", \"method\": \"gcc\"}",
		"{\"kind\": \"kmeans.columns\", \"clusters\": 2, \"method\": \"flat\"" WITHOUT "}",
		"{\"kind\": \"kmeans\", \"clusters\": 2" WITHOUT "}",
		"{\"kind\": \"fedsc\", \"clusters\": 2" WITHOUT "}",
		"{\"kind\": \"fedsc\", \"clusters\": 2, \"variant\": \"dense\"" WITHOUT "}",
		"{\"kind\": \"fedsc\", \"clusters\": 2, \"variant\": \"paper\"" WITHOUT "}",
		"{\"kind\": \"fedgcn\", \"clusters\": 2" WITHOUT "}",
		"{\"kind\": \"fedspectral\", \"clusters\": 2, \"variant\": \"fedspectral+\"" WITHOUT
		"}",
		"{\"kind\": \"fedspectral\", \"clusters\": 2, \"variant\": \"fedspectral\"" WITHOUT
		"}",
	};
	struct job j;

	(void)state;
	REFUSES(cases);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		assert_ok(parse(&j, taken[i], NULL));
		assert_int_equal(j.on_loss, LOSS_ATTEMPT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_texts),
		cmocka_unit_test(test_refused_values),
		cmocka_unit_test(test_refused_combinations),
		cmocka_unit_test(test_parties_that_stay_away),
		cmocka_unit_test(test_secure_sum),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_what_a_method_has_not),
		cmocka_unit_test(test_what_a_method_does_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
