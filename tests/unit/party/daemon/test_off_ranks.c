/* Checks which jobs can run with data on ranks. For all others, checks the reason why they cannot:
 * the kind, or a parameter of a kcagc, kmeans or fedsc job. */
#include "common/job/kinds.h"
#include "party/daemon/kinds.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define KCAGC(more) "{\"kind\":\"kcagc\",\"clusters\":3" more "}"
#define ORDER       ",\"filter\":{\"order\":4}"
#define TREE        ORDER ",\"method\":\"tree\""
#define MODEL       ",\"model\":\"0123456789abcdef0123456789abcdef\""
#define OTHER(kind) "{\"kind\":\"" kind "\",\"clusters\":3}"

/* Returns the reason, or NULL if the job can run. */
static const char *why_not(const char *text)
{
	struct work work = { 0 };

	assert_ok(job_parse(&work.job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job",
			    NULL));
	work.side = party_kind_of(work.job.kind);
	return party_off_ranks(&work);
}

static void declines(const char *text, const char *why)
{
	const char *said = why_not(text);

	if (!said || strcmp(said, why) != 0)
		fail_msg("%s: \"%s\", expected \"%s\"", text, said ? said : "runs", why);
}

TEST(test_runs)
{
	static const char *const text[] = {
		KCAGC(""),
		KCAGC(TREE),
		KCAGC(ORDER ",\"method\":\"flat\""),
		KCAGC(ORDER ",\"method\":\"basic\""),
		KCAGC(TREE ",\"exchange\":\"gram\""),
		KCAGC(TREE ",\"graphs\":\"own\""),
		KCAGC(TREE ",\"joint_norm\":true"),
		KCAGC(ORDER ",\"method\":\"landmark\""),
		KCAGC(",\"filter\":{\"order\":\"auto\"},\"method\":\"landmark\""),
		KCAGC(",\"filter\":{\"order\":\"auto\"},\"method\":\"gcc\""),
		KCAGC(",\"filter\":{\"order\":\"auto\"},\"method\":\"tree\""),
		KCAGC(ORDER ",\"method\":\"gcc\",\"degrees\":\"alone\""),
		KCAGC(ORDER ",\"method\":\"landmark\",\"degrees\":\"beside\""),
		"{\"kind\":\"kcagc.predict\",\"clusters\":3" MODEL "}",
		OTHER("kmeans"),
		OTHER("fedsc"),
		"{\"kind\":\"fedsc\",\"clusters\":{\"from\":2,\"to\":4},\"on_loss\":\"attempt\"}",
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		if (why_not(text[i]))
			fail_msg("%s: %s", text[i], why_not(text[i]));
}

TEST(test_what_a_job_asks_for)
{
	static const char align[] = "it matches rows (align)";

	declines(KCAGC(TREE ",\"align\":\"intersect\""), align);
	declines("{\"kind\":\"kcagc.predict\",\"clusters\":3" MODEL ",\"align\":\"intersect\"}",
		 align);
	declines(KCAGC(",\"filter\":{\"order\":4,\"kind\":\"spectral\"},\"method\":\"tree\""),
		 "its filter is not the half one (filter.kind)");
	declines(KCAGC(TREE ",\"standardize\":\"local\""), "it standardizes columns (standardize)");
	declines(KCAGC(ORDER ",\"method\":\"landmark\",\"standardize\":\"local\""),
		 "it standardizes columns (standardize)");
}

#define FEDSC(more)  "{\"kind\":\"fedsc\",\"clusters\":3" more "}"
#define KMEANS(more) "{\"kind\":\"kmeans\",\"clusters\":3" more "}"

TEST(test_what_rows_are_asked_for)
{
	declines(KMEANS(",\"standardize\":\"joint\""), "it standardizes columns (standardize)");
	declines(KMEANS(",\"profile\":true"), "it asks for a profile of clusters (profile)");
	declines(KMEANS(",\"noise\":{\"on\":\"sums\",\"eps\":1,\"delta\":1e-6,\"clip\":1}"),
		 "it adds noise (noise.on)");
	declines(FEDSC(",\"standardize\":\"local\""), "it standardizes columns (standardize)");
	declines(FEDSC(",\"profile\":true"), "it asks for a profile of clusters (profile)");
	declines(FEDSC(",\"noise\":{\"on\":\"data\",\"beta\":0.1}"), "it adds noise (noise.on)");
	declines(FEDSC(",\"noise\":{\"on\":\"sums\",\"eps\":1,\"delta\":1e-6,\"clip\":1}"),
		 "it adds noise (noise.on)");
	declines(FEDSC(",\"variant\":\"dense\""), "its variant is not \"anchor\" (variant)");
	declines(FEDSC(",\"variant\":\"paper\""), "its variant is not \"anchor\" (variant)");
}

TEST(test_other_kinds)
{
	static const char *const text[] = {
		OTHER("fedspectral"),     OTHER("fedgcn"),        OTHER("kmeans.columns"),
		"{\"kind\":\"fedwalk\"}", "{\"kind\":\"align\"}",
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		declines(text[i], "no job of that kind does");
}
