/* Which k of a range: what is measured, and the rule. */
#include "tests/unit/linalg/sample.h"

#include "common/cluster/selection.h"

#include <math.h>
#include <stdlib.h>

/* Six rows on a line, two by two, and three centres between them. */
static double line[] = { 0, 2, 10, 12, 30, 34 }, middles[] = { 1, 11, 32 };
static const double twos[] = { 2, 2, 2 };
static const double within = 1 + 1 + 1 + 1 + 4 + 4;

static void test_ratio(void **state)
{
	struct mat centres = { 3, 1, middles }, one = { 1, 1, middles };
	double mean = 44.0 / 3, between = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		between += 2 * (middles[i] - mean) * (middles[i] - mean);
	assert_near(selection_ratio(&centres, twos, within), between / 2 / (within / 3), 1e-9);
	assert_near(selection_ratio(&centres, twos, 0), 0, 0);
	assert_near(selection_ratio(&one, twos, within), 0, 0);
	assert_near(selection_ratio(&centres, (double[]){ 1, 1, 1 }, within), 0, 0); /* n is k */
}

static void test_measure(void **state)
{
	struct mat Z = { 6, 1, line }, centres = { 3, 1, middles };
	struct selection_point p = selection_measure(&Z, &centres);
	/* The nearest two centres of each row, by hand. */
	double silhouette = (6 - 1.0 / 11 - 1.0 / 9 - 1.0 / 9 - 1.0 / 11 - 2.0 / 19 - 2.0 / 23) / 6;

	(void)state;
	assert_near(p.inertia, within, 1e-12);
	assert_near(p.silhouette, silhouette, 1e-12);
	assert_near(p.ratio, selection_ratio(&centres, twos, within), 1e-12);
}

static void test_rule(void **state)
{
	static const double silhouette[] = { 0.2, 0.5, 0.4, 0.5, 0.1 };
	struct selection s = { .from = 2 };
	bool best[5];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		best[i] = selection_add(&s, (struct selection_point){ .silhouette = silhouette[i],
								      .inertia = 9 - (double)i });
	/* Of two alike the smaller k, whose clustering is kept when the other one comes. */
	assert_true(best[0] && best[1] && !best[2] && !best[3] && !best[4]);
	assert_int_equal(selection_k(&s), 3);
	assert_near(selection_margin(&s), 0, 0);
	s.silhouette[3] = 0.1;
	assert_near(selection_margin(&s), 0.1, 1e-12);
}

static void test_gaps(void **state)
{
	static const double value[] = { 8, 6, 2, 1 };
	struct selection s = { .from = 2, .count = 3 };

	(void)state;
	selection_gaps(&s, value, 4);
	assert_true(s.has_gap);
	assert_near(s.gap[0], 0.5, 0);
	assert_near(s.gap[1], 0.125, 0);
	assert_near(s.gap[2], 0, 0); /* what comes after it is not known */
	s.has_gap = false;
	selection_gaps(&s, (double[]){ 0, 0 }, 2);
	assert_false(s.has_gap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_measure),
		cmocka_unit_test(test_rule),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
