/* Exactly one sentence of each job's disclosures states its claim of differential privacy: the
 * mechanism, the unit, eps and delta, or that there is no claim. */
#include "tests/test.h"
#include "common/job/job.h"
#include "tests/unit/party/consent/variants.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 64 };

static const char BEGIN[] = "differential privacy: ", NONE[] = "differential privacy: none;";

/* Further jobs with noise, which are not in bases[]. */
static const char *const more[] = {
	K7("fedsc", ",\"noise\":{\"on\":\"data\",\"beta\":1}"),
	K7("fedsc", ",\"noise\":{\"on\":\"sums\",\"colluders\":1," EPS "}"),
	K7("fedsc", ",\"variant\":\"dense\",\"noise\":{\"on\":\"factors\",\"beta\":1}"),
	K7("fedsc", ",\"profile\":true"),
	K7("kmeans", ",\"noise\":{\"on\":\"data\",\"beta\":1}"),
	K7("kmeans", ",\"noise\":{\"on\":\"sums\"," EPS "}"),
	K7("kmeans", ",\"noise\":{\"on\":\"sums\",\"colluders\":1," EPS "}"),
	K7("fedspectral", ",\"noise\":{\"on\":\"sums\",\"eps\":2,\"delta\":1e-5,\"colluders\":1}"),
	WALKS(",\"mode\":\"randomized-response\",\"eps\":2"),
};

static bool has_one_of(const char *text, const char *const *of)
{
	while (*of && !strstr(text, *of))
		of++;
	return *of;
}

/* Does the sentence of a claim name a mechanism, a unit and numbers? unit: the unit of the ledger's
 * claim, or NULL. */
static bool is_whole(const char *text, const char *unit)
{
	static const char *const mechanism[] = { "by the discrete Gaussian mechanism",
						 "by the analytic Gaussian mechanism",
						 "by the discrete Laplace mechanism",
						 "by randomised response", NULL },
				 *const of[] = { "for each row", "for each tie", "for each edge",
						 "for each graph", NULL },
				 *const numbers[] = { "(job.noise.eps, job.noise.delta)-private",
						      "(job.eps, 0)-private",
						      "(2 job.eps, 0)-private", NULL };
	char wanted[32];

	snprintf(wanted, sizeof(wanted), "for each %s", unit ? unit : "");
	return has_one_of(text, mechanism) && has_one_of(text, of) && has_one_of(text, numbers) &&
	       strstr(text, wanted);
}

static void check(const char *text)
{
	for (size_t parties = 1; parties <= 4; parties++) {
		const char *disclosures[ROOM];
		struct kind_claim claim;
		size_t n, said = 0;
		struct job job;

		assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) },
				    "job.json", NULL));
		claim = job_claim(&job);
		n = job_disclosures(&job, parties, disclosures, ROOM);
		for (size_t i = 0; i < n; i++) {
			bool here = !strncmp(disclosures[i], BEGIN, strlen(BEGIN));
			bool none = !strncmp(disclosures[i], NONE, strlen(NONE));

			said += here;
			if (here &&
			    (claim.eps > 0 ? none
					   : !none && !strstr(disclosures[i], "for each tie")))
				fail_msg("%s claims eps %g and says \"%s\"", text, claim.eps,
					 disclosures[i]);
			if (here && !none && !is_whole(disclosures[i], claim.unit))
				fail_msg("%s says \"%s\", without mechanism, unit, eps or delta",
					 text, disclosures[i]);
			if (!here && (strstr(disclosures[i], "private") ||
				      (strstr(disclosures[i], "privacy") &&
				       !strstr(disclosures[i], "claims no differential privacy"))))
				fail_msg("%s says of privacy \"%s\", which is not the sentence for "
					 "it",
					 text, disclosures[i]);
		}
		if (said != 1)
			fail_msg("%s, %zu parties: %zu sentences begin with \"%s\"", text, parties,
				 said, BEGIN);
	}
}

TEST(test_claims)
{
	for (size_t i = 0; i < BASES; i++)
		check(bases[i].text);
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		check(more[i]);
}
