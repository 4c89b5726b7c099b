/* Tests the bound on numbers of a job: it is an exact power of two for any unit of the data. */
#include "common/privacy/bound.h"
#include <string.h>
#include "tests/test.h"

#include <math.h>

static int exponents_of(const double *square, size_t parties, int *least)
{
	double sum[BOUND_TERM] = { 0 }, term[BOUND_TERM];
	int e;

	for (size_t l = 0; l < parties; l++) {
		assert_ok(bound_term(square[l], term));
		for (size_t i = 0; i < BOUND_TERM; i++)
			sum[i] += term[i];
	}
	assert_true(bound_join(sum, parties, &e, least));
	return e;
}

static int exponent_of(const double *square, size_t parties)
{
	int least;

	return exponents_of(square, parties, &least);
}

TEST(test_known)
{
	assert_int_equal(exponent_of((double[]){ 1 }, 1), 0);
	assert_int_equal(exponent_of((double[]){ 1.001 }, 1), 1);
	assert_int_equal(exponent_of((double[]){ 0.5 }, 1), -1);
	assert_int_equal(exponent_of((double[]){ 1, 1 }, 2), 1);
	assert_int_equal(exponent_of((double[]){ 1, 1, 1 }, 3), 2);
	assert_int_equal(exponent_of((double[]){ 0, 0, 0 }, 3), 0);
	assert_int_equal(exponent_of((double[]){ 0, 3, 0 }, 3), 2);
	/* 2^40 + 2^-39 rounds to 2^40 */
	assert_int_equal(exponent_of((double[]){ 1e12, 1e-12 }, 2), 40);
}

/* Multiplying the data by 2^k adds 2 k to the exponent of the bound. */
TEST(test_moves_with_the_unit)
{
	static const double square[] = { 3.7, 0.02, 0, 900.25, 1 };
	double scaled[5];
	int e = exponent_of(square, 5);

	for (int k = -70; k <= 80; k++) {
		for (size_t l = 0; l < 5; l++)
			scaled[l] = ldexp(square[l], 2 * k);
		assert_int_equal(exponent_of(scaled, 5), e + 2 * k);
		assert_true(ldexp(1, e) >= 3.7 + 0.02 + 900.25 + 1);
	}
}

TEST(test_every_exponent)
{
	for (int e = BOUND_LEAST; e <= BOUND_MOST; e++) {
		double square[256];
		int back;

		for (size_t l = 0; l < 256; l++)
			square[l] = ldexp(1, e);
		assert_int_equal(exponent_of(square, 1), e);
		assert_int_equal(exponent_of(square, 256), e + 8);
		assert_true(bound_unpack(bound_pack(e + 8), &back));
		assert_int_equal(back, e + 8);
	}
}

TEST(test_refused)
{
	double term[BOUND_TERM], sum[BOUND_TERM] = { 0 };
	const double bad[] = { ldexp(1, BOUND_MOST + 1), ldexp(1, BOUND_LEAST - 1), INFINITY, NAN,
			       -1 };
	int e, least;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_err(bound_term(bad[i], term), ERR_INPUT, "longest row");
	for (size_t i = 0; i < 4; i++) {
		sum[3] = (double[]){ -1, 0.5, NAN, ldexp(3, BOUND_LIMB) }[i];
		assert_false(bound_join(sum, 2, &e, &least));
	}
	assert_false(bound_unpack(BOUND_PACKED_MOST, &e));
	assert_false(bound_unpack(0, &e));
	assert_false(bound_unpack(UINT64_MAX, &e));
}

TEST(test_range)
{
	int least;

	assert_int_equal(exponents_of((double[]){ 0, 0 }, 2, &least), 0);
	assert_int_equal(least, 0);
	for (int e = BOUND_LEAST; e <= BOUND_MOST; e++) {
		double square[] = { 0, ldexp(1, BOUND_MOST), ldexp(1, e), ldexp(1, BOUND_MOST) };

		exponents_of(square, 4, &least);
		assert_int_equal(least, e);
	}
	exponents_of((double[]){ 8, 8, 8, 8 }, 4, &least); /* `least` may exceed log2 8 by 2 */
	assert_int_equal(least, 5);
}

TEST(test_unit_keeps_digits)
{
	for (int e = -100; e <= 100; e++)
		assert_true(bound_unit(e) * ldexp(1, e) == 0x1p20);
}
