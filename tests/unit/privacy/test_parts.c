#include "tests/test.h"
#include "common/base/rng.h"
#include "common/privacy/parts.h"

#include <math.h>
#include <string.h>

enum { FRACTION = 24 }; /* fraction bits of the fixed point */

/* Each part is a multiple of 2^-24, far below the bound, so fixed point represents it exactly. */
static void assert_fits(const double *part, double x)
{
	for (int p = 0; p < PARTS; p++) {
		double scaled = ldexp(part[p], FRACTION);

		assert_true(scaled == nearbyint(scaled));
		assert_true(part[p] == 0 || (part[p] < 0) == (x < 0));
		assert_true(fabs(part[p]) < 0x1p30);
	}
}

static void comes_back(double x)
{
	double part[PARTS], back;

	parts_split(&x, 1, part);
	assert_fits(part, x);
	assert_ok(parts_join(part, 1, 1, &back));
	if (back != x)
		fail_msg("%a came back as %a", x, back);
}

TEST(any_size)
{
	struct rng rng;

	rng_seed(&rng, 1, 1);
	for (int e = -PARTS_FRACTION + 53; e <= PARTS_EXPONENT; e++)
		for (int t = 0; t < 100; t++) {
			double x = ldexp(ldexp((double)(rng_u64(&rng) >> 11), -53), e);

			comes_back(x);
			comes_back(-x);
		}
	for (int e = -PARTS_FRACTION; e < PARTS_EXPONENT; e++) {
		comes_back(ldexp(1, e));
		comes_back(-ldexp(1, e));
	}
	comes_back(0);
}

TEST(known_parts)
{
	double x = -(5 * ldexp(1, 32) + 3.5), large = -7 * ldexp(1, 60), part[PARTS];
	double small = ldexp(3, -30), tiny = ldexp(1, -PARTS_FRACTION - 1);

	parts_split(&x, 1, part);
	assert_true(part[1] == -5 * ldexp(1, 32 - 54) && part[2] == -3.5);
	parts_split(&large, 1, part);
	assert_true(part[0] == 0 && part[1] == -7 * 64.0 && part[2] == 0);
	parts_split(&small, 1, part);
	assert_true(part[1] == 0 && part[2] == 0 && part[3] == ldexp(3, 24) && part[4] == 0);
	parts_split(&tiny, 1, part); /* `tiny` is below the last bit of the last part */
	for (size_t p = 0; p < PARTS; p++)
		assert_true(part[p] == 0);
}

/* Sums of parts, joined, are exactly the sum of the numbers, even if they exceed the range of one
 * part. */
TEST(sums)
{
	enum { N = 256, VALUES = 3 };
	double sum[PARTS * VALUES] = { 0 }, back[VALUES], expected[VALUES] = { 0 };

	for (int i = 1; i <= N; i++) {
		double x[VALUES] = { ldexp(i, 60) + ldexp(i, 40), -ldexp(1, 29) - ldexp(i, -20),
				     ldexp(i, -60) };
		double part[PARTS * VALUES];

		parts_split(x, VALUES, part);
		for (size_t p = 0; p < PARTS * VALUES; p++)
			sum[p] += part[p];
		for (size_t v = 0; v < VALUES; v++)
			expected[v] += x[v];
	}
	assert_ok(parts_join(sum, VALUES, N, back));
	for (size_t v = 0; v < VALUES; v++)
		assert_true(back[v] == expected[v]);
}

/* Refuses a sum of parts beyond the bound for three parties. */
TEST(outside)
{
	for (size_t p = 0; p < PARTS; p++)
		for (int sign = -1; sign <= 1; sign += 2) {
			double part[2 * PARTS] = { 0 }, x[2] = { 7, 7 }, *at = &part[PARTS + p];

			*at = sign * (3 * 0x1p30 - 1);
			assert_ok(parts_join(part, 2, 3, x));
			x[1] = 7;
			*at = sign * 3 * 0x1p30;
			assert_err(parts_join(part, 2, 3, x), ERR_PEER, "of sum 1 is");
			*at = NAN;
			assert_err(parts_join(part, 2, 3, x), ERR_PEER, "of sum 1 is");
			assert_true(x[1] == 7);
		}
}
