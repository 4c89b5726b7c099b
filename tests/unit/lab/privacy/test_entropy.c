/* Compares estimates with entropies and mutual information known in closed form. Tolerances are
 * about three standard errors of the estimates at these sizes. */
#include "tests/unit/linalg/sample.h"
#include "lab/privacy/entropy.h"

/* Returns the entropy of a normal variable with variance s^2 in each of d dimensions: d/2 log2(2 pi
 * e s^2). */
static double normal_bits(size_t d, double s)
{
	return (double)d / 2 * log2(2 * M_PI * M_E * s * s);
}

TEST(gaussian)
{
	static const double scale[] = { 1, 0.001, 400 };

	for (size_t d = 1; d <= 3; d++) {
		for (unsigned k = 1; k <= 5; k += 2) {
			struct mat Y;
			double bits;

			sample_normal(&Y, 3000, d, 10 * d + k);
			for (size_t i = 0; i < 3000 * d; i++)
				Y.a[i] *= scale[d - 1];
			assert_ok(entropy_of(&Y, k, 1, &bits));
			assert_near(bits, normal_bits(d, scale[d - 1]), 0.12);
			mat_release(&Y);
		}
	}
}

/* Correlation r of two dimensions adds 1/2 log2(1 - r^2), which is negative. */
TEST(correlated_gaussian)
{
	struct mat Y;
	double bits;

	sample_normal(&Y, 3000, 2, 7);
	for (size_t i = 0; i < 3000; i++)
		MAT(&Y, i, 1) = 0.9 * MAT(&Y, i, 0) + sqrt(1 - 0.81) * MAT(&Y, i, 1);
	assert_ok(entropy_of(&Y, 3, 1, &bits));
	assert_near(bits, normal_bits(2, 1) + 0.5 * log2(1 - 0.81), 0.12);
	mat_release(&Y);
}

/* Uniform on [0, w) has log2 w bits. The estimator is exact for it except at the ends. */
TEST(uniform)
{
	struct mat Y;
	struct rng rng;
	double bits;

	rng_seed(&rng, 5, 0);
	mat_init(&Y, 4000, 1);
	for (size_t i = 0; i < 4000; i++)
		Y.a[i] = 2048 * rng_unit(&rng);
	assert_ok(entropy_of(&Y, 3, 1, &bits));
	assert_near(bits, 11, 0.06);
	mat_release(&Y);
}

TEST(units_and_threads)
{
	struct mat Y;
	double bits, longer, again;

	sample_normal(&Y, 500, 2, 3);
	assert_ok(entropy_of(&Y, 3, 1, &bits));
	assert_ok(entropy_of(&Y, 3, 4, &again));
	assert_true(bits == again);
	for (size_t i = 0; i < 1000; i++)
		Y.a[i] *= 8; /* exact; adds three bits in each dimension */
	assert_ok(entropy_of(&Y, 3, 1, &longer));
	assert_near(longer - bits, 6, 1e-9);
	mat_release(&Y);
}

TEST(equal_samples)
{
	struct mat Y;
	double bits;

	sample_normal(&Y, 100, 2, 4);
	for (size_t i = 1; i < 4; i++)
		memcpy(ROW(&Y, i), ROW(&Y, 0), 2 * sizeof(double));
	assert_err(entropy_of(&Y, 3, 1, &bits), ERR_INPUT, "more than 3 of 100 samples are equal");
	assert_ok(entropy_of(&Y, 4, 1, &bits));
	mat_release(&Y);
}

/* Two normal variables with correlation r have mutual information -1/2 log2(1 - r^2); d copies have
 * d times that. */
TEST(mutual)
{
	static const double r[] = { 0, 0.3, 0.9 };

	for (size_t d = 1; d <= 2; d++) {
		for (size_t at = 0; at < 3; at++) {
			struct mat X, Y;
			double bits;

			sample_normal(&X, 2000, d, 20 + at);
			sample_normal(&Y, 2000, d, 30 + at);
			for (size_t i = 0; i < 2000 * d; i++)
				Y.a[i] = r[at] * X.a[i] + sqrt(1 - r[at] * r[at]) * Y.a[i];
			bits = entropy_mutual(&X, &Y, 3, 1);
			assert_near(bits, -0.5 * (double)d * log2(1 - r[at] * r[at]), 0.1);
			assert_true(bits == entropy_mutual(&X, &Y, 3, 3));
			/* Units have no effect, since neighbours stay the same. */
			for (size_t i = 0; i < 2000 * d; i++)
				Y.a[i] *= 4, X.a[i] *= 4;
			assert_true(bits == entropy_mutual(&X, &Y, 3, 1));
			mat_release(&X);
			mat_release(&Y);
		}
	}
}

/* Computes the entropy of q N(0, 1) + (1 - q) N(shift, 1) by Simpson's rule. */
static double mixture_bits(double q, double shift)
{
	enum { STEPS = 4000 };
	double low = -9, high = 9 + shift, step = (high - low) / STEPS, sum = 0;

	for (int s = 0; s <= STEPS; s++) {
		double y = low + s * step;
		double f = (q * exp(-y * y / 2) + (1 - q) * exp(-(y - shift) * (y - shift) / 2)) /
			   sqrt(2 * M_PI);

		sum += -f * log2(f) * (s == 0 || s == STEPS ? 1 : s % 2 ? 4 : 2);
	}
	return sum * step / 3;
}

struct pair {
	double y;
	uint8_t x;
};

static int by_y(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	return p->y < q->y ? -1 : p->y > q->y;
}

/* A class X shifts a normal variable Y by `shift`. The mutual information is the entropy of Y less
 * that of Y given X. */
TEST(mutual_of_a_class)
{
	enum { N = 4000 };
	static const double prior[] = { 0.5, 0.97, 0.5, 0.9 }, shift[] = { 0, 0, 2, 6 };
	struct pair *p = alloc(N, sizeof(*p));
	uint8_t *x = alloc(N, 1);
	double *y = alloc(N, sizeof(*y));
	struct rng rng;

	for (size_t at = 0; at < 4; at++) {
		rng_seed(&rng, at, 9);
		for (size_t i = 0; i < N; i++) {
			p[i].x = rng_unit(&rng) >= prior[at];
			p[i].y = rng_normal(&rng) + (p[i].x ? shift[at] : 0);
		}
		qsort(p, N, sizeof(*p), by_y);
		for (size_t i = 0; i < N; i++) {
			x[i] = p[i].x;
			y[i] = p[i].y;
		}
		assert_near(entropy_mutual_class(x, y, N, 3),
			    mixture_bits(prior[at], shift[at]) - normal_bits(1, 1), 0.04);
	}
	free(p);
	free(x);
	free(y);
}

/* n = 6 samples and k = 1 neighbour; psi is the digamma function. The classes 0 0 0 1 1 1 are
 * separate, so m (explained below) is 1 for every sample: I = psi(6) - psi(3) + psi(1) - psi(1) =
 * 1/3 + 1/4 + 1/5 nats. */
TEST(a_class_by_hand)
{
	static const uint8_t apart[] = { 0, 0, 0, 1, 1, 1 }, mixed[] = { 0, 1, 0, 1, 0, 1 };
	static const double y[] = { 1, 2, 4, 101, 102, 104 };
	/* m of a sample: number of other samples no farther away than the nearest one of its own
	 * class. In the mixed classes the nearest of 1's class is 4, and 2 is closer: m = 2. The
	 * samples 4, 101 and 104 also have m = 2. The nearest of 102's class is 4, and 101 and 104
	 * are closer: m = 3. The nearest of 2's class is 101, and 1 and 4 are closer: m = 3. */
	double mean = (2 * (1 - 0.57721566490153286) * 2 + 2 * (1.5 - 0.57721566490153286)) / 6;

	assert_near(entropy_mutual_class(apart, y, 6, 1), (1.0 / 3 + 1.0 / 4 + 1.0 / 5) / M_LN2,
		    1e-12);
	assert_near(entropy_mutual_class(mixed, y, 6, 1),
		    (1.0 / 3 + 1.0 / 4 + 1.0 / 5 - 0.57721566490153286 - mean) / M_LN2, 1e-12);
}
