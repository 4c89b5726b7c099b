/* Tests the choice of k from a range: the measurements and the rule. */
#include "tests/unit/linalg/sample.h"

#include "common/cluster/selection.h"

#include <math.h>
#include <stdlib.h>

/* Six rows on a line form three pairs, each with a centre between its rows. */
static double line[] = { 0, 2, 10, 12, 30, 34 }, middles[] = { 1, 11, 32 };
static const double twos[] = { 2, 2, 2 };
static const double within = 1 + 1 + 1 + 1 + 4 + 4;

TEST(test_ratio)
{
	struct mat centres = { 3, 1, middles }, one = { 1, 1, middles };
	double mean = 44.0 / 3, between = 0;

	for (size_t i = 0; i < 3; i++)
		between += 2 * (middles[i] - mean) * (middles[i] - mean);
	assert_near(selection_ratio(&centres, twos, within), between / 2 / (within / 3), 1e-9);
	assert_near(selection_ratio(&centres, twos, 0), 0, 0);
	assert_near(selection_ratio(&one, twos, within), 0, 0);
	/* There are as many rows as clusters. */
	assert_near(selection_ratio(&centres, (double[]){ 1, 1, 1 }, within), 0, 0);
}

TEST(test_measure)
{
	struct mat Z = { 6, 1, line }, centres = { 3, 1, middles };
	struct selection_point p = selection_measure(&Z, &centres);
	/* The silhouette is computed by hand from each row's distances to two centres. */
	double silhouette = (6 - 1.0 / 11 - 1.0 / 9 - 1.0 / 9 - 1.0 / 11 - 2.0 / 19 - 2.0 / 23) / 6;

	assert_near(p.inertia, within, 1e-12);
	assert_near(p.silhouette, silhouette, 1e-12);
	assert_near(p.ratio, selection_ratio(&centres, twos, within), 1e-12);
}

/* Makes curves of silhouette and stability that begin at k = 2. With `stability` NULL there is no
 * curve of stability. */
static struct selection curves(size_t count, const double *silhouette, const double *stability)
{
	struct selection s = { .from = 2 };

	for (size_t i = 0; i < count; i++) {
		selection_add(&s, (struct selection_point){ .silhouette = silhouette[i] });
		if (stability)
			selection_stability(&s, stability[i]);
	}
	return s;
}

TEST(test_silhouette_alone)
{
	struct selection s = curves(5, (double[]){ 0.2, 0.5, 0.4, 0.5, 0.1 }, NULL);

	assert_int_equal(selection_k(&s), 3); /* if values are equal, the smaller k is chosen */
	assert_near(selection_margin(&s), 0, 0);
	s.silhouette[3] = 0.1;
	assert_near(selection_margin(&s), 0.1, 1e-12);
}

/* Silhouette and stability together determine k. */
TEST(test_rule)
{
	static const struct {
		double silhouette[4], stability[4];
		unsigned k;
		double margin;
	} plan[] = {
		/* Three clouds are in a line. k = 2 has a higher silhouette, but then the halves of
		 * the data split the middle cloud differently. */
		{ { 0.515, 0.473, 0.452, 0.459 }, { 0.38, 1, 0.53, 0.45 }, 3, 0.473 },
		/* If all k are stable, the highest silhouette decides. */
		{ { 0.49, 0.46, 0.50, 0.45 }, { 0.97, 0.94, 0.82, 0.93 }, 4, 0.01 },
		/* Three quarters of the highest stability suffice; slightly less does not. */
		{ { 0.3, 0.4, 0.5, 0.2 }, { 1, 1, 0.75, 0.1 }, 4, 0.1 },
		{ { 0.3, 0.4, 0.5, 0.2 }, { 1, 1, 0.749, 0.1 }, 3, 0.1 },
		/* The limit is relative: if no k is very stable, low values suffice. */
		{ { 0.2, 0.3, 0.4, 0.1 }, { 0.1, 0.12, 0.11, 0.1 }, 4, 0.1 },
		/* If no k is better than chance, or there is no curve, the highest silhouette
		 * decides. */
		{ { 0.2, 0.3, 0.4, 0.1 }, { -0.1, -0.2, -0.3, -0.1 }, 4, 0.1 },
		{ { 0.2, 0.3, 0.4, 0.1 }, { 0, 0, 0, 0 }, 4, 0.1 },
		/* If two stable k have the same silhouette, the smaller k is chosen. */
		{ { 0.4, 0.4, 0.4, 0.1 }, { 0.1, 0.9, 0.9, 0.9 }, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(plan) / sizeof(*plan); i++) {
		struct selection s = curves(4, plan[i].silhouette, plan[i].stability);

		if (selection_k(&s) != plan[i].k)
			fail_msg("curves %zu: k = %u, expected %u", i, selection_k(&s), plan[i].k);
		assert_near(selection_margin(&s), plan[i].margin, 1e-12);
	}
}

TEST(test_text)
{
	struct selection s = curves(6, (double[]){ 0.515, 0.473, 0.452, 0.459, 0.1, 0.2 },
				    (double[]){ 0.38, 1, 0.53, 0.76, 0.3, 0.4 });
	struct buf text = { 0 };

	selection_text(&s, &text);
	buf_add(&text, "", 1);
	assert_string_equal((char *)text.p,
			    "3 clusters of 2 to 7: silhouette 0.473, stability 1.00; "
			    "2: 0.515, 0.38 (unstable); 5: 0.459, 0.76; 4: 0.452, 0.53 (unstable); "
			    "7: 0.200, 0.40 (unstable)");
	buf_release(&text);
	s = curves(2, (double[]){ 0.25, 0.125 }, NULL);
	selection_text(&s, &text);
	buf_add(&text, "", 1);
	assert_string_equal((char *)text.p, "2 clusters of 2 to 3: silhouette 0.250; 3: 0.125");
	buf_release(&text);
}

TEST(test_gaps)
{
	static const double value[] = { 8, 6, 2, 1 };
	struct selection s = { .from = 2, .count = 3 };

	selection_gaps(&s, value, 4);
	assert_true(s.has_gap);
	assert_near(s.gap[0], 0.5, 0);
	assert_near(s.gap[1], 0.125, 0);
	assert_near(s.gap[2], 0, 0); /* the value after the last is unknown */
	s.has_gap = false;
	selection_gaps(&s, (double[]){ 0, 0 }, 2);
	assert_false(s.has_gap);
}
