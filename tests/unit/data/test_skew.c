#include "tests/unit/linalg/sample.h"
#include "common/data/skew.h"

enum { N = 101, CLASSES = 5, PARTIES = 8 };

static uint32_t truth[N], part[N];

static int classes(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N; i++)
		truth[i] = i * 7 % CLASSES;
	return 0;
}

/* Checks the sizes of parties, and returns the number of classes per party, added over all
 * parties. */
static size_t pairs(size_t parties, double skew, uint64_t seed)
{
	size_t size[N] = { 0 }, count = 0;
	bool there[N][CLASSES] = { { false } };

	memset(part, 0xff, sizeof(part));
	skew_parts(truth, N, parties, skew, seed, part);
	for (size_t i = 0; i < N; i++) {
		assert_true(part[i] < parties);
		size[part[i]]++;
		count += !there[part[i]][truth[i]];
		there[part[i]][truth[i]] = true;
	}
	for (size_t l = 0; l < parties; l++)
		assert_true(size[l] == N / parties || size[l] == N / parties + 1);
	return count;
}

/* Sizes differ by at most 1 for any skew. Parties have fewer classes with more skew: most classes
 * at skew 0, few at skew 1. */
TEST(fewer_classes)
{
	size_t before = SIZE_MAX;

	assert_true(pairs(PARTIES, 0, 1) > PARTIES * CLASSES * 3 / 4);
	assert_true(pairs(PARTIES, 1, 1) <= PARTIES + CLASSES - 1);
	for (double skew = 0; skew <= 1; skew += 0.25) {
		size_t now = pairs(PARTIES, skew, 2);

		assert_true(now <= before);
		before = now;
	}
	for (size_t parties = 1; parties <= N; parties += 9)
		for (double skew = 0; skew <= 1; skew += 0.125)
			pairs(parties, skew, 3);
}

/* At skew 0.5, half of a party's twelve or thirteen rows come from all classes, so the party has
 * three classes or more. */
TEST(half_of_each)
{
	pairs(PARTIES, 0.5, 4);
	for (uint32_t l = 0; l < PARTIES; l++) {
		bool there[CLASSES] = { false };
		size_t classes_here = 0;

		for (size_t i = 0; i < N; i++)
			if (part[i] == l && !there[truth[i]]) {
				there[truth[i]] = true;
				classes_here++;
			}
		assert_true(classes_here >= 3);
	}
}

TEST(by_seed)
{
	uint32_t other[N];

	skew_parts(truth, N, 4, 0.5, 1, part);
	skew_parts(truth, N, 4, 0.5, 1, other);
	assert_memory_equal(part, other, sizeof(part));
	skew_parts(truth, N, 4, 0.5, 2, other);
	assert_memory_not_equal(part, other, sizeof(part));
	skew_parts(NULL, N, 4, 0, 1, part); /* without classes, splits at random */
	skew_parts(truth, N, 4, 0, 1, other);
	assert_memory_equal(part, other, sizeof(part));
}

TESTS_BETWEEN(classes, NULL)
