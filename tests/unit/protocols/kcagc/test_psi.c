#include "tests/unit/linalg/sample.h"
#include "protocols/kcagc/order_search.h"

/* Makes spreads, which are squares of c: c falls by `fall` each step until `bend`, and by a fifth
 * of that afterwards. */
static void series(double *spread2, size_t count, size_t bend, double fall)
{
	double c = 40;

	for (size_t t = 0; t < count; t++) {
		spread2[t] = c * c;
		c -= t < bend ? fall : fall / 5;
	}
}

/* With as many columns as rows, psi_gcc() chooses the first order of at least 1 after which c falls
 * by less than 1, but at most the cap. */
TEST(gcc_rule)
{
	double spread2[17];

	for (size_t bend = 0; bend < 15; bend++) {
		series(spread2, 17, bend, 1.5);
		assert_int_equal(psi_gcc(spread2, 100, 100, 100, 15), bend < 1 ? 1 : bend);
	}
	series(spread2, 17, 17, 1.5); /* the series has no bend */
	assert_int_equal(psi_gcc(spread2, 100, 100, 100, 15), 15);
	assert_int_equal(psi_gcc(spread2, 100, 100, 100, 4), 4);
}

/* psi_gcc() compares the fall of c with columns / rows. It divides c by the root of the rows' mean
 * squared length (second argument / rows), so the scale of X changes nothing. */
TEST(gcc_rule_scales)
{
	double spread2[17], longer[17];

	series(spread2, 17, 6, 1.5);
	assert_int_equal(psi_gcc(spread2, 100, 100, 160, 15), 1);
	assert_int_equal(psi_gcc(spread2, 100, 100, 29, 15), 15);
	for (size_t t = 0; t < 17; t++)
		longer[t] = 49 * spread2[t];
	assert_int_equal(psi_gcc(longer, 4900, 100, 100, 15), 6);
	assert_int_equal(psi_gcc(spread2, 25, 100, 100, 15), 6); /* c falls by 3, then by 0.6 */
	assert_int_equal(psi_gcc(spread2, 16, 100, 130, 15), 6);
	assert_int_equal(psi_gcc(spread2, 4, 100, 100, 15), 15); /* c falls by 7.5, then by 1.5 */
}

/* psi_share() returns the highest order, up to the given one, at which the share along the degrees
 * is at most .93, or 1 if there is none. */
TEST(share_rule)
{
	double sums[6] = { 0.93, 4, 2, 1, 0.9999, 0.93 };

	assert_int_equal(psi_share(sums, 5), 3);
	assert_int_equal(psi_share(sums, 3), 3);
	assert_int_equal(psi_share(sums, 2), 2);
	assert_int_equal(psi_share(sums, 1), 1);
	sums[0] = 0;
	assert_int_equal(psi_share(sums, 5), 5);
	sums[0] = 100; /* the part along the degrees exceeds the limit at each order */
	assert_int_equal(psi_share(sums, 5), 1);
}

TEST(agc_rule)
{
	static const double falls[] = { 5, 4, 4, 3 }, rises[] = { 5, 4, 3, 3.5, 1 },
			    at_once[] = { 1, 2 };

	assert_int_equal(psi_agc(falls, 4), 0);
	assert_int_equal(psi_agc(rises, 5), 3);
	assert_int_equal(psi_agc(at_once, 2), 1);
	assert_int_equal(psi_agc(at_once, 1), 0);
}

/* psi_doubt() asks for a run of order 1, too, only if psi_share() lowered the order to 2 or more,
 * and the share along the degrees still exceeds .5. */
TEST(doubt_rule)
{
	assert_true(psi_doubt(2, 10, 0.66));   /* values of flickr */
	assert_false(psi_doubt(15, 15, 0.75)); /* values of coauthor-phy */
	assert_false(psi_doubt(5, 10, 0.5));
	assert_false(psi_doubt(1, 10, 0.9));
}

/* psi_fit() returns AGC's order, unless its modularity is below .85 of the highest modularity (if
 * that is not above 0: more than .02 below it). Then it returns the lowest order whose modularity
 * is at most .02 below the highest. Orders above AGC's order do not count. */
TEST(fit_rule)
{
	static const double flickr[] = { 0.025, 0.063, 0.0907, 0.0911, 0.083, 0.012, 0.9 },
			    rises[] = { 0.1, 0.2, 0.3, 0.4, 0.5 },
			    rests[] = { 0.5, 0.6, 0.55, 0.52 }, falls[] = { 0.5, 0.62, 0.61, 0.46 },
			    level[] = { 0.3, 0.3, 0.3, 0.1 }, below[] = { -0.1, -0.05, -0.3 },
			    none[4] = { 0 };

	assert_int_equal(psi_fit(flickr, 6), 3);
	assert_int_equal(psi_fit(flickr, 5), 5);
	assert_int_equal(psi_fit(flickr, 1), 1);
	assert_int_equal(psi_fit(flickr, 7), 7);
	assert_int_equal(psi_fit(rises, 5), 5);
	assert_int_equal(psi_fit(rests, 4), 4);
	assert_int_equal(psi_fit(falls, 4), 2);
	assert_int_equal(psi_fit(level, 4), 1);
	assert_int_equal(psi_fit(below, 3), 2);
	assert_int_equal(psi_fit(none, 4), 4); /* a graph without edges */
}

/* Compares psi_intra() with its definition by pairs, and with the sum of its values for parts of
 * the columns. */
TEST(intra_by_definition)
{
	enum { N = 30, M = 7, K = 4 };
	double expected = 0, split = 0;
	uint32_t label[N];
	struct mat X, left, right;

	sample_normal(&X, N, M, 5);
	for (uint32_t i = 0; i < N; i++)
		label[i] = i % 7 % 3; /* 0, 1 and 2; cluster 3 is empty */
	for (uint32_t c = 0; c < K; c++) {
		double sum = 0, pairs = 0;

		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < N; j++) {
				if (label[i] != c || label[j] != c)
					continue;
				pairs++;
				for (size_t a = 0; a < M; a++)
					sum += pow(MAT(&X, i, a) - MAT(&X, j, a), 2);
			}
		expected += pairs > 0 ? sum / pairs / K : 0;
	}
	assert_near(psi_intra(NULL, &X, label, K), expected, 1e-12);
	mat_init(&left, N, 3);
	mat_init(&right, N, M - 3);
	for (size_t i = 0; i < N; i++)
		for (size_t a = 0; a < M; a++)
			*(a < 3 ? &MAT(&left, i, a) : &MAT(&right, i, a - 3)) = MAT(&X, i, a);
	split = psi_intra(NULL, &left, label, K) + psi_intra(NULL, &right, label, K);
	assert_near(split, expected, 1e-12);
	mat_release(&right);
	mat_release(&left);
	mat_release(&X);
}
