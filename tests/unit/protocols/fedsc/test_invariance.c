/* Compares clusters of FedSC and federated k-means before and after changes of the data. */
#include "tests/unit/both/invariance.h"
#include "tests/unit/protocols/fedsc/points.h"

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

static const char unit[] = "without `standardize` all columns have one unit",
		  extreme[] = "rows are measured in deviations, which are the extreme row's";

#define ROWS_OF(part)                                                                              \
	{                                                                                          \
		SAME, LIKE, part, LIKE, LIKE, LIKE, LIKE, LIKE, LIKE, NOT(extreme)                 \
	}

static const struct method methods[] = {
	{ "variant=anchor", ROWS_OF(NOT(unit)) },
	{ "variant=anchor standardize=joint", ROWS_OF(LIKE) },
	{ "variant=anchor standardize=local", ROWS_OF(LIKE) },
	{ "variant=dense", ROWS_OF(NOT(unit)) },
	{ "variant=dense standardize=joint", ROWS_OF(LIKE) },
	{ "variant=paper", ROWS_OF(NOT(unit)) },
	{ "variant=paper standardize=joint", ROWS_OF(LIKE) },
	{ "kind=kmeans", ROWS_OF(NOT(unit)) },
	{ "kind=kmeans standardize=joint", ROWS_OF(LIKE) },
	{ "kind=kmeans standardize=local", ROWS_OF(LIKE) },
};

static uint32_t *run(const struct sheet *s, const char *settings, uint64_t seed)
{
	uint32_t *label = NULL;
	struct federation f;
	struct job job;
	char with[256];

	snprintf(with, sizeof(with), "%s seed=%u secure_sum.group=x25519", settings,
		 (unsigned)seed);
	job = points_job(with);
	points_open(&f, &s->p.X, s->part, SHEET_PARTIES, &job);
	federation_join(&f);
	federation_run(&f);
	if (invariance_ran(&f))
		label = points_labels(&f, s->part, s->p.n);
	federation_release(&f);
	return label;
}

static const struct invariance table = {
	.method = methods,
	.methods = sizeof(methods) / sizeof(*methods),
	.run = run,
	.slack = 0.01,
	.protocol = "fedsc",
	.name = { "all features times 2^k", "all features times 10^k", "some columns times 1000",
		  "a constant added to all features", "rows in another order",
		  "columns in another order", "empty columns", "constant columns",
		  "each column twice", "one row 10^4 times the mean row" },
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
