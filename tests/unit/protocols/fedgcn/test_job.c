/* Tests jobs of kind fedgcn: their parameters, disclosures and permissions. */
#include "tests/unit/job/jobs.h"

#include "protocols/fedgcn/job.h"

#include <stdio.h>

#define FEDGCN "\"kind\": \"fedgcn\", \"clusters\": 2"

TEST(test_defaults)
{
	struct fedgcn_params p;
	struct job j;

	assert_ok(parse(&j, "{" FEDGCN ", \"seed\": 9}", NULL));
	assert_ok(fedgcn_params_of(fedgcn_job(&j), 1, &p));
	assert_int_equal(p.k, 2);
	assert_int_equal(p.seed, 9);
	assert_int_equal(p.rounds, 10);
	assert_int_equal(p.epochs, 10);
	assert_int_equal(p.batch, 128);
	assert_true(p.rate == 1e-3 && p.lambda == 10 && p.mu == 0.01);
	assert_true(p.min_cluster == 5);
	assert_int_equal(p.features, GRAPHS_STRUCTURE);
	assert_int_equal(p.prototypes, FEDGCN_MATCHED);
	assert_int_equal(p.sharing, FEDGCN_AVG);
	assert_int_equal(p.final, FEDGCN_MIXTURE);
	assert_true(job_is_flat(&j));
	assert_ok(parse(&j, "{" FEDGCN ", \"features\": \"coordinates\"}", NULL));
	assert_ok(fedgcn_params_of(fedgcn_job(&j), 1, &p));
	assert_int_equal(p.features, GRAPHS_COORDINATES);
	assert_string_equal(job_permission(&j), "fedgcn");
}

TEST(test_words)
{
	static const struct {
		const char *more, *permission;
		enum fedgcn_prototypes prototypes;
		enum fedgcn_sharing sharing;
	} cases[] = {
		{ ", \"prototypes\": \"kde\"", "fedgcn.kde", FEDGCN_KDE, FEDGCN_AVG },
		{ ", \"prototypes\": \"stacked\"", "fedgcn.kde", FEDGCN_STACKED, FEDGCN_AVG },
		{ ", \"prototypes\": \"printed\"", "fedgcn.kde", FEDGCN_PRINTED, FEDGCN_AVG },
		{ ", \"aggregation\": \"fedprox\", \"mu\": 1", "fedgcn", FEDGCN_MATCHED,
		  FEDGCN_PROX },
		{ ", \"aggregation\": \"fedper\"", "fedgcn", FEDGCN_MATCHED, FEDGCN_PER },
		/* Version 0.2.0 recorded the parameter em, so it is still accepted. */
		{ ", \"em\": 10", "fedgcn", FEDGCN_MATCHED, FEDGCN_AVG },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fedgcn_params p;
		char text[256];
		struct job j;

		snprintf(text, sizeof(text), "{" FEDGCN "%s}", cases[i].more);
		assert_ok(parse(&j, text, NULL));
		assert_ok(fedgcn_params_of(fedgcn_job(&j), 1, &p));
		assert_int_equal(p.prototypes, cases[i].prototypes);
		assert_int_equal(p.sharing, cases[i].sharing);
		assert_string_equal(job_permission(&j), cases[i].permission);
		assert_true(fedgcn_in_plaintext(&p) == !!strchr(cases[i].permission, '.'));
	}
}

TEST(test_leaks)
{
	static const struct {
		const char *more, *text;
		size_t parties;
		bool said;
	} cases[] = {
		{ "",
		  "after each round, coordinator and parties see the mean of the parties' weights",
		  3, true },
		{ "", "mean of the parties' prototypes of each cluster", 3, true },
		{ "", "unmasked", 3, false },
		{ "", "each of the two parties learns", 2, true },
		{ "", "each of the two parties learns", 3, false },
		{ "", "all parties except one", 3, true },
		{ ", \"prototypes\": \"kde\"", "every prototype of each party unmasked", 3, true },
		{ ", \"prototypes\": \"kde\"", "the prototypes of each local epoch", 3, false },
		{ ", \"prototypes\": \"stacked\"", "the prototypes of each local epoch", 3, true },
		{ ", \"prototypes\": \"printed\"", "every prototype of each party", 3, true },
		{ ", \"min_cluster\": 1", "that graph's embedding", 3, true },
		{ "", "that graph's embedding", 3, false },
		{ ", \"aggregation\": \"fedper\"", "the last layers stay", 3, true },
		{ "", "mean loss", 3, true },
		{ "", "sums alone do not give it", 3, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *disclosures[32];
		size_t n, said = 0;
		char text[256];
		struct job j;

		snprintf(text, sizeof(text), "{" FEDGCN "%s}", cases[i].more);
		assert_ok(parse(&j, text, NULL));
		n = job_disclosures(&j, cases[i].parties, disclosures, 32);
		for (size_t s = 0; s < n; s++)
			said += strstr(disclosures[s], cases[i].text) != NULL;
		if ((said > 0) != cases[i].said)
			fail_msg("case %zu: \"%s\"", i, cases[i].text);
	}
}
