#include "tests/unit/linalg/sample.h"
#include "common/privacy/noise.h"

static enum err from_rng(void *ctx, void *p, size_t n)
{
	uint8_t *to = p;

	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(rng_u64(ctx) >> 32);
	return ERR_OK;
}

static enum err no_entropy(void *ctx, void *p, size_t n)
{
	(void)ctx;
	(void)p;
	(void)n;
	return err_set(ERR_INTERNAL, "no entropy");
}

/* Another program solved Balle and Wang's equation for the known sigmas, by Brent's method with
 * SciPy's normal distribution. */
TEST(analytic)
{
	static const double known[][4] = {
		{ 1, 1e-5, 1, 3.73063163481594 },    { 0.5, 1e-5, 1, 7.031826675582461 },
		{ 2, 1e-6, 2, 4.46095254237284 },    { 10, 1e-5, 1, 0.49988861970900844 },
		{ 0.1, 1e-3, 4, 69.61758481212462 }, { 50, 1e-9, 1, 0.17478362493933167 },
		{ 1, 0.5, 1, 0.5070650314763314 },
	};
	double sigma;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_ok(noise_analytic(known[i][0], known[i][1], known[i][2], &sigma));
		assert_near(sigma, known[i][3], 1e-10 * known[i][3]);
		assert_true(noise_analytic_delta(known[i][0], sigma, known[i][2]) <= known[i][1]);
		assert_true(noise_analytic_delta(known[i][0], sigma * (1 - 1e-9), known[i][2]) >
			    known[i][1]);
	}
	/* The classic mechanism is proven for eps below 1. There the analytic one adds less
	 * noise. */
	assert_ok(noise_analytic(0.9, 1e-6, 1, &sigma));
	assert_true(sigma < sqrt(2 * log(1.25 / 1e-6)) / 0.9);
	assert_err(noise_analytic(0, 1e-5, 1, &sigma), ERR_INPUT, "eps is 0");
	assert_err(noise_analytic(INFINITY, 1e-5, 1, &sigma), ERR_INPUT, "eps is inf");
	assert_err(noise_analytic(-1, 1e-5, 1, &sigma), ERR_INPUT, "eps is -1");
	assert_err(noise_analytic(NAN, 1e-5, 1, &sigma), ERR_INPUT, "eps is nan");
	assert_err(noise_analytic(0.5, 0, 1, &sigma), ERR_INPUT, "delta is 0");
	assert_err(noise_analytic(0.5, 1, 1, &sigma), ERR_INPUT, "delta is 1");
	assert_err(noise_analytic(0.5, 1e-5, 0, &sigma), ERR_INPUT, "sensitivity is 0");
}

static const struct noise_factors factors = { .eps_z = 2,
					      .delta_z = 1e-3,
					      .eps_c = 0.5,
					      .delta_c = 1e-5,
					      .tau_x = 3,
					      .tau_z = 5,
					      .tau_c = 5,
					      .reach = 1,
					      .r = 2,
					      .lambda = 0.5,
					      .step = 0.1,
					      .d = 4,
					      .compositions = 6 };

/* Computes D_Z (sensitivity_z) and D_C (sensitivity_c) of noise.h by hand. d = 4 and r = 2, so sqrt
 * d / r^2 = 1/2. D_Z = 2 * 0.1 * 2 * 3 * 5 / 4 (1 + (3 + 5)(3 + 1) / 4) = 13.5, D_C = 2 * 2 * 3 * 4
 * / (0.5 * 4) = 24. */
TEST(theorem_3_9)
{
	struct noise_factors p = factors;
	struct noise_factors_sigma s;

	assert_ok(noise_factors(&p, &s));
	assert_near(s.sensitivity_z, 13.5, 1e-12);
	assert_near(s.sigma_z, 13.5 / 2 * sqrt(48 * log(exp(1) + 2000)), 1e-9);
	assert_near(s.sensitivity_c, 24, 1e-12);
	assert_near(s.sigma_c, 24 * 7.031826675582461, 1e-8);
	p.lambda = 0;
	assert_err(noise_factors(&p, &s), ERR_INPUT, "lambda is 0");
	p.lambda = 0.5;
	p.tau_z = INFINITY;
	assert_err(noise_factors(&p, &s), ERR_INPUT, "tau_z is inf");
	p.tau_z = 5;
	/* For eps of 1 and more, C gets the analytic mechanism's noise: the known sigma of
	 * analytic() times the sensitivity. */
	p.eps_c = 1;
	assert_ok(noise_factors(&p, &s));
	assert_near(s.sigma_c, 24 * 3.73063163481594, 1e-8);
	/* C cannot change by more than 1 / sqrt(lambda) = 1/2. The code assumes this value even
	 * where the formula gives less: 2 * 2 * 0.1 * 1.1 / (4 * 4) = 0.0275. */
	p.lambda = 4;
	p.tau_x = 0.1;
	assert_ok(noise_factors(&p, &s));
	assert_near(s.sensitivity_c, 0.5, 1e-12);
	p.eps_c = 0;
	assert_err(noise_factors(&p, &s), ERR_INPUT, "eps is 0");
}

/* Rows of Z are in a ball of radius 0.25, so D_Z is at most 2 sqrt(4) 0.25 = 1, also for an
 * infinite step. For a small step, D_Z is the smaller value that follows from the step. */
TEST(theorem_3_9_in_a_ball)
{
	struct noise_factors p = factors;
	struct noise_factors_sigma s;

	p.step = INFINITY;
	assert_err(noise_factors(&p, &s), ERR_INPUT, "step is inf");
	p.ball = 0.25;
	assert_ok(noise_factors(&p, &s));
	assert_near(s.sensitivity_z, 1, 1e-12);
	assert_near(s.sigma_z, 0.5 * sqrt(48 * log(exp(1) + 2000)), 1e-9);
	assert_near(s.sensitivity_c, 24, 1e-12);
	p.step = 0.1 / 27; /* 13.5 / 27 is less than 1 */
	assert_ok(noise_factors(&p, &s));
	assert_near(s.sensitivity_z, 0.5, 1e-12);
	p.step = 0;
	assert_err(noise_factors(&p, &s), ERR_INPUT, "step is 0");
}

/* Moments of 10^6 samples are within five of their standard deviations. The shares of samples
 * within one and two sigma are those of the normal distribution. */
TEST(variance)
{
	enum { SAMPLES = 1000000 };
	const double sigma = 2.5;
	double *x = alloc(SAMPLES, sizeof(*x)), mean = 0, square = 0, fourth = 0, one = 0, two = 0;
	double beside = 0;
	struct rng rng;
	struct noise_source source = { .ctx = &rng, .bytes = from_rng };

	rng_seed(&rng, 1, 2);
	assert_ok(noise_add(&source, sigma, x, SAMPLES));
	for (size_t i = 0; i < SAMPLES; i++) {
		double z = x[i] / sigma;

		mean += z / SAMPLES;
		square += z * z / SAMPLES;
		fourth += z * z * z * z / SAMPLES;
		one += fabs(z) < 1;
		two += fabs(z) < 2;
		beside += i ? z * x[i - 1] / sigma / SAMPLES : 0;
	}
	assert_near(mean, 0, 5e-3);
	assert_near(square, 1, 5 * sqrt(2) * 1e-3);
	assert_near(fourth, 3, 5 * sqrt(96) * 1e-3);
	assert_near(one / SAMPLES, 0.682689492137, 5 * 0.466 * 1e-3);
	assert_near(two / SAMPLES, 0.954499736104, 5 * 0.209 * 1e-3);
	assert_near(beside, 0, 5e-3);
	free(x);
}

TEST(added)
{
	double x[3] = { 1, 2, 3 }, y[3] = { 0 };
	struct rng rng;
	struct noise_source source = { .ctx = &rng, .bytes = from_rng },
			    broken = { .bytes = no_entropy };

	assert_ok(noise_add(&broken, 0, x, 3)); /* sigma 0 draws nothing */
	assert_near(x[2], 3, 0);
	assert_err(noise_add(&broken, 1, x, 3), ERR_INTERNAL, "no entropy");
	assert_near(x[2], 3, 0);
	rng_seed(&rng, 3, 3);
	assert_ok(noise_add(&source, 0.5, x, 3));
	rng_seed(&rng, 3, 3);
	assert_ok(noise_add(&source, 1, y, 3));
	for (int i = 0; i < 3; i++)
		assert_near(x[i], i + 1 + 0.5 * y[i], 1e-15);
	assert_err(noise_add(&source, -1, x, 3), ERR_INPUT, "-1");
	assert_err(noise_add(&source, NAN, x, 3), ERR_INPUT, "nan");
}

TEST(clipping)
{
	double a[] = { 3, 4, 0.3, 0.4, 0, 0, 3e200, -4e200 };
	static const double expected[] = { 0.6, 0.8, 0.3, 0.4, 0, 0, 0.6, -0.8 };
	struct mat X = { 4, 2, a };
	struct rng rng;
	struct noise_source source = { .ctx = &rng, .bytes = from_rng };
	size_t clipped;

	rng_seed(&rng, 4, 4);
	assert_ok(noise_perturb_rows(&source, 1, 0, &X, &clipped));
	assert_int_equal(clipped, 2);
	for (int i = 0; i < 8; i++)
		assert_near(a[i], expected[i], 1e-15);
	assert_ok(noise_perturb_rows(&source, 1, 1, &X, &clipped));
	assert_true(a[4] != 0 && a[5] != 0);
	assert_err(noise_perturb_rows(&source, 0, 1, &X, &clipped), ERR_INPUT, "length 0");
	assert_err(noise_perturb_rows(&source, NAN, 1, &X, &clipped), ERR_INPUT, "length nan");
}
