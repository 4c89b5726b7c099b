/* Tests the discrete Gaussian: its distribution, the share of each party in a sum, and a random
 * source that fails. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"
#include "common/privacy/discrete.h"
#include "lab/pooled/seeded.h"

#include <math.h>

/* Returns Pearson's chi^2 of samples versus exp(-x^2 / 2 sigma^2) over the integers; each tail is
 * one bin. */
static double chi_square(uint32_t sigma, size_t samples, int reach, uint64_t seed)
{
	double total = 0, chi = 0, tail = 0, *p = alloc(2 * (size_t)reach + 1, sizeof(*p));
	size_t *count = alloc(2 * (size_t)reach + 3, sizeof(*count)), bins = 2 * (size_t)reach + 1;
	struct noise_source source;
	struct rng rng;
	struct draw d;

	rng_seed(&rng, seed, 0);
	source = seeded_source(&rng);
	draw_init(&d, &source);
	for (size_t i = 0; i < samples; i++) {
		int64_t x = discrete_gauss(&d, sigma);

		count[x < -reach ? bins : x > reach ? bins + 1 : (size_t)(x + reach)]++;
	}
	assert_ok(draw_end(&d));
	for (int x = -60 * (int)sigma; x <= 60 * (int)sigma; x++) {
		double weight = exp(-(double)x * x / (2.0 * sigma * sigma));

		total += weight;
		if (abs(x) <= reach)
			p[x + reach] = weight;
		else
			tail += weight / 2;
	}
	for (size_t i = 0; i < bins; i++) {
		double expected = (double)samples * p[i] / total;

		chi += (count[i] - expected) * (count[i] - expected) / expected;
	}
	for (size_t i = bins; i < bins + 2; i++) {
		double expected = (double)samples * tail / total;

		chi += (count[i] - expected) * (count[i] - expected) / expected;
	}
	free(p);
	free(count);
	return chi;
}

/* chi^2 with b degrees of freedom has mean b and deviation sqrt(2 b). It exceeds its mean by five
 * deviations with a probability below 0.0005 for b >= 8. */
TEST(test_distribution)
{
	static const struct {
		uint32_t sigma;
		int reach;
	} of[] = { { 1, 3 }, { 2, 6 }, { 3, 9 }, { 10, 25 } };

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		double b = 2 * of[i].reach + 2,
		       chi = chi_square(of[i].sigma, 200000, of[i].reach, i);

		if (!(chi < b + 5 * sqrt(2 * b)))
			fail_msg("sigma %u: chi^2 is %g, of %g bins", of[i].sigma, chi, b + 1);
	}
}

/* Checks large sigma by moments: mean 0, variance sigma^2, fourth moment 3 sigma^4. */
TEST(test_moments)
{
	static const uint32_t of[] = { 1000, 1 << 17, DISCRETE_SIGMA_MAX };
	enum { SAMPLES = 100000 };

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		double first = 0, second = 0, fourth = 0;
		struct noise_source source;
		struct rng rng;
		struct draw d;

		rng_seed(&rng, 40 + i, 0);
		source = seeded_source(&rng);
		draw_init(&d, &source);
		for (int s = 0; s < SAMPLES; s++) {
			double x = (double)discrete_gauss(&d, of[i]) / of[i];

			first += x / SAMPLES;
			second += x * x / SAMPLES;
			fourth += x * x * x * x / SAMPLES;
		}
		assert_ok(draw_end(&d));
		assert_near(first, 0, 5 / sqrt(SAMPLES));
		assert_near(second, 1, 5 * sqrt(2.0 / SAMPLES));
		assert_near(fourth, 3, 5 * sqrt(96.0 / SAMPLES));
	}
}

/* If c of L parties collude, the sum of the other parties' noise has the requested deviation. It
 * consists of whole steps. */
TEST(test_shares)
{
	enum { SAMPLES = 40000 };
	struct discrete_share share;
	struct noise_source source;
	double square = 0;
	struct rng rng;

	assert_ok(discrete_share_of(20, 8, 4, 0x1p-24, &share));
	assert_near(share.step * share.steps, 10, 1e-3);
	assert_true(share.steps >= 1 << 16 && share.steps < 1 << 18);
	rng_seed(&rng, 3, 0);
	source = seeded_source(&rng);
	for (int s = 0; s < SAMPLES; s++) {
		double sum[2] = { 0 };

		for (int l = 0; l < 4; l++)
			assert_ok(discrete_add(&source, &share, sum, 2));
		assert_true(sum[0] / share.step == nearbyint(sum[0] / share.step));
		assert_true(sum[0] != sum[1]);
		square += (sum[0] * sum[0] + sum[1] * sum[1]) / (2 * SAMPLES);
	}
	assert_near(square, 400, 400 * 5 * sqrt(2.0 / (2 * SAMPLES)));
	/* A step of the noise is at least the last digit of the fixed point. sigma is refused if it
	 * is too small for such steps. */
	assert_ok(discrete_share_of(0x1p-10, 2, 1, 0x1p-24, &share));
	assert_true(share.step == 0x1p-24 && share.steps == 1 << 14);
	assert_err(discrete_share_of(0x1p-20, 2, 1, 0x1p-24, &share), ERR_INPUT, "a smaller eps");
	assert_err(discrete_share_of(0, 2, 1, 0x1p-24, &share), ERR_INPUT, "above 0");
	assert_err(discrete_share_of(NAN, 2, 1, 0x1p-24, &share), ERR_INPUT, "above 0");
}

static enum err broken(void *ctx, void *p, size_t n)
{
	(void)ctx;
	memset(p, 0, n);
	return err_set(ERR_JOB, "no more bytes");
}

/* If the source fails, discrete_add() returns the source's error. */
TEST(test_source_that_fails)
{
	const struct noise_source source = { .bytes = broken };
	struct discrete_share share = { 1, 1000 };
	double x[3] = { 0 };

	assert_err(discrete_add(&source, &share, x, 3), ERR_JOB, "no more bytes");
}
