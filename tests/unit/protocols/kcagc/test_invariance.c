/* Compares clusters of kCAGC, landmark projection, GCC and k-means on columns before and after
 * changes of the data. */
#include "tests/unit/both/invariance.h"

#include "common/cluster/kmeans.h"
#include "protocols/kcagc/columns.h"

#define SAME                                                                                       \
	{                                                                                          \
		EXACT, NULL                                                                        \
	}
#define LIKE                                                                                       \
	{                                                                                          \
		NEAR, NULL                                                                         \
	}
#define NOT(x)                                                                                     \
	{                                                                                          \
		NONE, x                                                                            \
	}

static const char origin[] =
    "lengths and angles of rows are from the origin, which a constant moves",
		  feature[] =
		      "a constant column is a feature: it adds to the length of each row, and the "
		      "filter makes degrees of it",
		  unit[] = "distances are over all parties' columns, in their units",
		  joint[] = "rows have length 1 over all parties' columns, in their units",
		  spread[] = "the filter adds a row to its neighbours before rows are scaled",
		  deviation[] = "a column's deviation is the extreme row's",
		  counted[] = "GCC's rule for the order counts columns",
		  alone[] = "an extreme row is a cluster, as on pooled columns";

#define KCAGC(part)                                                                                \
	{                                                                                          \
		SAME, LIKE, part, NOT(origin), LIKE, SAME, SAME, NOT(feature), LIKE, NOT(spread)   \
	}
#define PRODUCTS                                                                                   \
	{                                                                                          \
		SAME, LIKE, LIKE, NOT(origin), LIKE, SAME, SAME, NOT(feature), NOT(counted), LIKE  \
	}
#define COLUMNS(part)                                                                              \
	{                                                                                          \
		SAME, LIKE, part, LIKE, LIKE, SAME, SAME, SAME, LIKE, NOT(alone)                   \
	}

static const struct method methods[] = {
	{ "method=basic", KCAGC(LIKE) },
	{ "method=basic projection.unit_rows=false", KCAGC(NOT(unit)) },
	{ "method=basic joint_norm=true", KCAGC(NOT(joint)) },
	{ "method=flat", KCAGC(LIKE) },
	{ "method=flat projection.unit_rows=false", KCAGC(NOT(unit)) },
	{ "method=tree filter.order=auto", KCAGC(LIKE) },
	{ "method=tree filter.order=auto projection.unit_rows=false", KCAGC(NOT(unit)) },
	{ "method=tree joint_norm=true", KCAGC(NOT(joint)) },
	{ "method=tree projection.basis=unit virtual_nodes=centre", KCAGC(LIKE) },
	{ "method=tree secure_sum.modulus_bits=32", KCAGC(LIKE) },
	{ "method=tree preset=paper", KCAGC(LIKE) },
	{ "method=tree exchange=gram", KCAGC(LIKE) },
	{ "method=tree exchange=gram projection.unit_rows=false", KCAGC(NOT(unit)) },
	{ "method=tree standardize=local",
	  { SAME, LIKE, LIKE, LIKE, LIKE, SAME, SAME, SAME, LIKE, NOT(deviation) } },
	{ "method=landmark", PRODUCTS },
	{ "method=landmark secure_sum.modulus_bits=64", PRODUCTS },
	{ "method=gcc", PRODUCTS },
	{ "kind=kmeans.columns", COLUMNS(LIKE) },
	{ "kind=kmeans.columns standardize=none", COLUMNS(NOT(unit)) },
	{ "kind=kmeans.columns method=basic", COLUMNS(LIKE) },
	{ "kind=kmeans.columns method=basic standardize=none", COLUMNS(NOT(unit)) },
	{ "kind=kmeans.columns exchange=gram standardize=none", COLUMNS(NOT(unit)) },
};

static struct job invariance_job(const char *settings, uint64_t seed)
{
	static const char kcagc
	    [] = "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"secure_sum\":{\"group\":"
		 "\"x25519\"}}",
       columns[] =
	    "{\"kind\":\"kmeans.columns\",\"clusters\":3,\"secure_sum\":{\"group\":\"x25519\"}}",
       kind[] = "kind=kmeans.columns";
	bool is_columns = !strncmp(settings, kind, strlen(kind));
	bool filters = !is_columns && !strstr(settings, "filter.order") &&
		       !strstr(settings, "landmark") && !strstr(settings, "gcc");
	char with[256];

	snprintf(with, sizeof(with), "%s seed=%u%s", settings + (is_columns ? strlen(kind) : 0),
		 (unsigned)seed, filters ? " filter.order=2" : "");
	return is_columns ? job_of(columns, strlen(columns), with)
			  : job_of(kcagc, strlen(kcagc), with);
}

static uint32_t *run(const struct sheet *s, const char *settings, uint64_t seed)
{
	struct job job = invariance_job(settings, seed);
	uint32_t *label = NULL;
	struct federation f;

	federation_open(&f, &s->p, SHEET_PARTIES, &job);
	for (size_t l = 0; l < SHEET_PARTIES; l++)
		if (!(job.kind->needs & NEEDS_EDGES))
			f.party[l].g = NULL;
	federation_join(&f);
	federation_run(&f);
	if (invariance_ran(&f)) {
		ALLOC(label, s->p.n);
		memcpy(label, f.server.label, s->p.n * sizeof(*label));
	}
	federation_release(&f);
	return label;
}

static const struct invariance table = {
	.method = methods,
	.methods = sizeof(methods) / sizeof(*methods),
	.run = run,
	.slack = 0.01,
	.protocol = "kcagc",
	.name = { "all features times 2^k", "all features times 10^k",
		  "one party's columns times 1000", "a constant added to all features",
		  "rows in another order", "a party's columns in another order", "empty columns",
		  "constant columns", "each column twice", "one row 10^4 times the mean row" },
};

TEST(test_promises)
{
	struct sheet s;

	sheet_make(&s, &(struct plan){ .n = 120, .m = 12, .seed = 3, .noise = 0.4 }, NULL);
	invariance_holds(&table, &s);
	sheet_release(&s);
}

TEST(test_page)
{
	invariance_page(&table);
}

/* ---- a row of totals ---- */

enum { ROWS = 120, COLUMNS_OF_TABLE = 6 };

/* Makes two groups, and a last row of 10^4 times their mean. */
static void totals_make(struct sheet *s)
{
	struct rng rng;

	sheet_make(s, &(struct plan){ .n = ROWS, .m = COLUMNS_OF_TABLE, .seed = 5 }, NULL);
	rng_seed(&rng, 5, 1);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < COLUMNS_OF_TABLE; j++)
			MAT(&s->p.X, i, j) = 3 + (double)(i % 2) + 0.2 * rng_normal(&rng);
	change_extreme(s);
}

/* Returns whether the last row is one cluster and the other rows form the two groups. The squares
 * of the groups' rows are 10^-8 of the last row's, so fixed point must have that many digits. */
static bool finds_groups(const struct sheet *s, const char *settings)
{
	uint32_t *label = run(s, settings, 1);
	bool right = label && label[0] != label[1] && label[ROWS - 1] != label[0] &&
		     label[ROWS - 1] != label[1];

	for (size_t i = 0; i < ROWS - 1 && right; i++)
		right = label[i] == label[i % 2];
	free(label);
	return right;
}

TEST(test_row_of_totals)
{
	static const char *const settings[] = { "kind=kmeans.columns",
						"kind=kmeans.columns method=basic",
						"kind=kmeans.columns exchange=gram" };
	struct sheet s;

	totals_make(&s);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		char coarse[128];

		if (!finds_groups(&s, settings[i]))
			fail_msg("%s: not the two groups and the row of totals", settings[i]);
		snprintf(coarse, sizeof(coarse), "%s secure_sum.fraction_bits=16", settings[i]);
		if (finds_groups(&s, coarse))
			fail_msg("%s: the table is found too", coarse);
	}
	sheet_release(&s);
}
