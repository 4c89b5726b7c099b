#include "tests/test.h"
#include "common/base/rng.h"
#include "crypto/fixed.h"

#include <math.h>
#include <string.h>

static const struct fixed settings[] = {
	{ 64, 16, 2 }, { 64, 16, 9 },  { 64, 0, 1 }, { 64, 40, 256 }, { 64, 63, 1 }, { 64, 52, 3 },
	{ 32, 8, 2 },  { 32, 16, 16 }, { 32, 0, 3 }, { 32, 0, 1 },    { 32, 20, 5 },
};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

/* Returns the integer that a word represents. */
static int64_t word(const struct fixed *f, const void *words, size_t i)
{
	return f->modulus_bits == 64 ? ((const int64_t *)words)[i] : ((const int32_t *)words)[i];
}

TEST(rounds_to_nearest)
{
	enum { N = 5000 }; /* more than one block, and not a multiple of a block */
	static double x[N], back[N];
	static uint64_t words[N];
	struct rng r;

	rng_seed(&r, 1, 0);
	for (int s = 0; s < SETTINGS; s++) {
		const struct fixed *f = &settings[s];
		double bound = fixed_bound(f), step = ldexp(1.0, -(int)f->fraction_bits);

		for (size_t i = 0; i < N; i++)
			x[i] = (2 * rng_unit(&r) - 1) * (i % 2 ? bound : fmin(bound, 1000 * step));
		/* Every fifth value is halfway between two multiples of `step`, or at the bound.
		 * fixed_encode() must round halves to the even integer. */
		for (size_t i = 0; i < N; i += 5) {
			double half = floor(ldexp(rng_unit(&r), (int)(i / 5 % 53))) + 0.5;

			x[i] = (i % 2 ? -1 : 1) * fmin(bound, half * step);
		}
		assert_ok(fixed_encode(f, x, N, words, NULL));
		for (size_t i = 0; i < N; i++)
			assert_true(word(f, words, i) ==
				    llrint(ldexp(x[i], (int)f->fraction_bits)));
		fixed_decode(f, words, N, back);
		for (size_t i = 0; i < N; i++)
			assert_true(fabs(back[i] - x[i]) <= step / 2 + fabs(x[i]) * 0x1p-53);
	}
}

TEST(bound_holds_from_both_sides)
{
	for (int s = 0; s < SETTINGS; s++) {
		const struct fixed *f = &settings[s];
		double bound = fixed_bound(f);
		double half = ldexp(1.0, (int)f->modulus_bits - 1 - (int)f->fraction_bits);

		/* parties * bound * 2^fraction_bits is below 2^(modulus_bits - 1), and close to
		 * this limit. */
		assert_true((double)f->parties * bound < half || f->parties > 1);
		assert_true((double)f->parties * (bound * (1 + 0x1p-51)) * (1 + 0x1p-30) +
				(double)f->parties * ldexp(1.0, -(int)f->fraction_bits) >=
			    half);
		for (int sign = -1; sign <= 1; sign += 2) {
			double inside = sign * bound, outside = nextafter(inside, sign * INFINITY),
			       bad = 0;
			double sum, x[3] = { 0, outside, 0 };
			uint64_t one = 0, acc = 0;

			assert_ok(fixed_encode(f, &inside, 1, &one, NULL));
			for (size_t i = 0; i < f->parties; i++)
				fixed_add(f, &acc, &one, 1);
			fixed_decode(f, &acc, 1, &sum);
			assert_true(sum == (double)f->parties * inside);
			assert_err(fixed_encode(f, x, 3, (uint64_t[3]){ 0 }, &bad), ERR_JOB,
				   "secure_sum.fraction_bits");
			assert_true(bad == outside);
		}
	}
}

TEST(negative_values_sum)
{
	enum { N = 1001, L = 7 };
	static double x[N], sum[N], want[N];
	static uint64_t words[N], acc[N];
	struct rng r;

	rng_seed(&r, 2, 0);
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct fixed f = { bits, 12, L };

		memset(acc, 0, sizeof(acc));
		memset(want, 0, sizeof(want));
		for (int l = 0; l < L; l++) {
			for (size_t i = 0; i < N; i++) {
				/* x is a multiple of the step 2^-12, so the sum is exact */
				x[i] = ldexp((double)rng_below(&r, 1 << 24) - (i % 3 ? 1 << 24 : 0),
					     -12);
				want[i] += x[i];
			}
			assert_ok(fixed_encode(&f, x, N, words, NULL));
			fixed_add(&f, acc, words, N);
		}
		fixed_decode(&f, acc, N, sum);
		assert_memory_equal(sum, want, sizeof(sum));
	}
}

TEST(refuses_what_is_no_number)
{
	static const double wrong[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300 };
	static double x[3000];
	static uint64_t words[3000];

	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++)
			for (size_t at = 0; at < 3000; at += 2999) {
				struct fixed f = { bits, 16, 3 };
				double bad = 0;

				x[at] = wrong[w];
				assert_err(fixed_encode(&f, x, 3000, words, &bad), ERR_JOB,
					   "bound");
				assert_memory_equal(&bad, &wrong[w], sizeof(bad));
				assert_err(fixed_encode(&f, x, 3000, words, NULL), ERR_JOB,
					   "bound");
				x[at] = 0;
			}
	/* Other parties receive the error, so it must not contain the value. */
	x[0] = 123456789012345678.0;
	assert_err(fixed_encode(&(struct fixed){ 64, 16, 3 }, x, 1, words, NULL), ERR_JOB, "16");
	assert_null(strstr(err_detail(), "1234"));
	assert_null(strstr(err_detail(), "1.23"));
	x[0] = 0;
}

TEST(words_may_be_unaligned)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct fixed f = { bits, 4, 2 };
		double x[37], back[37];
		uint8_t frame[37 * 8 + 3], acc[37 * 8 + 1] = { 0 };

		for (int i = 0; i < 37; i++)
			x[i] = i - 18.25;
		assert_ok(fixed_encode(&f, x, 37, frame + 3, NULL));
		fixed_add(&f, acc + 1, frame + 3, 37);
		fixed_add(&f, acc + 1, frame + 3, 37);
		fixed_decode(&f, acc + 1, 37, back);
		for (int i = 0; i < 37; i++)
			assert_true(back[i] == 2 * x[i]);
	}
}

/* fixed_scale() returns the largest power of two whose product with `most` is within the bound. */
TEST(scales_fill_the_word)
{
	static const double most[] = { 1, 0.3, 2708, 1e6, 0.9999999, 1.5 };

	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (size_t L = 1; L <= 256; L *= 2)
			for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
				struct fixed f = { bits, 16, L };
				double scale = fixed_scale(&f, most[i]);
				int exponent;

				assert_true(frexp(scale, &exponent) == 0.5);
				assert_true(scale * most[i] <= fixed_bound(&f));
				assert_true(2 * scale * most[i] > fixed_bound(&f));
			}
}
