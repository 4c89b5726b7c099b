#include "common/privacy/discrete.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef unsigned __int128 u128;

/* Draws a uniform number below `bound` > 0, by rejection: draws as many random bits as bound
 * has. */
static u128 below(struct draw *d, u128 bound)
{
	u128 top = bound - 1, x;
	unsigned bits = 0;

	while (bits < 128 && top >> bits)
		bits++;
	do {
		x = draw_u64(d);
		if (bits > 64)
			x |= (u128)draw_u64(d) << 64;
		if (bits < 128)
			x &= ((u128)1 << bits) - 1;
	} while (x >= bound && !d->err);
	return x;
}

/* True with probability exp(-a/b), 0 <= a <= b. Algorithm 1: draws terms of the series until one
 * fails. After an error the source returns zeros, with which no term would fail, so d->err ends the
 * loop. */
static bool exp_below_1(struct draw *d, u128 a, u128 b)
{
	unsigned k = 1;

	while (!d->err && below(d, b * k) < a)
		k++;
	return k % 2 == 1;
}

/* Like exp_below_1(), for any a >= 0: tests exp(-1) for each whole b in a, and then the
 * remainder. */
static bool exp_below(struct draw *d, u128 a, u128 b)
{
	for (; a > b; a -= b)
		if (!exp_below_1(d, 1, 1))
			return false;
	return exp_below_1(d, a, b);
}

/* Algorithm 2: draws x with P(x) ~ exp(-|x| / t). */
static int64_t laplace(struct draw *d, uint32_t t)
{
	for (;;) {
		uint64_t u = (uint64_t)below(d, t), size;
		bool negative;

		if (!exp_below_1(d, u, t) && !d->err)
			continue;
		for (size = u; !d->err && exp_below_1(d, 1, 1);)
			size += t;
		negative = draw_u64(d) >> 63;
		if (negative && size == 0 && !d->err)
			continue; /* otherwise 0 would occur twice as often */
		return negative ? -(int64_t)size : (int64_t)size;
	}
}

/* Algorithm 3: draws a Laplace sample of scale t = sigma + 1, and keeps it with probability
 * exp(-(|y| - sigma^2/t)^2 / (2 sigma^2)). */
int64_t discrete_gauss(struct draw *d, uint32_t sigma)
{
	uint64_t t = (uint64_t)sigma + 1, square = (uint64_t)sigma * sigma;

	assert(sigma >= 1 && sigma <= DISCRETE_SIGMA_MAX);
	for (;;) {
		int64_t y = laplace(d, (uint32_t)t);
		u128 size = (u128)(y < 0 ? -y : y) * t;
		u128 off = size > square ? size - square : square - size;

		if (d->err)
			return 0;
		/* So far out, no sample is ever kept, and the square would overflow. */
		if (off >> 60 == 0 && exp_below(d, off * off, (u128)2 * square * t * t))
			return y;
	}
}

enum err discrete_share_of(double sigma, size_t parties, size_t colluders, double least,
			   struct discrete_share *share)
{
	double own = sigma / sqrt((double)(parties - colluders));

	assert(colluders < parties && least > 0);
	if (!(sigma > 0) || !isfinite(own))
		return err_set(ERR_INPUT, "noise of standard deviation %g, expected above 0",
			       sigma);
	share->step = fmax(exp2(floor(log2(own)) - 16), least);
	if (own / share->step < 64)
		return err_set(ERR_INPUT,
			       "noise of standard deviation %g at each party is lost in the sum's "
			       "steps of %g: a smaller eps is needed",
			       own, share->step);
	share->steps = (uint32_t)ceil(own / share->step);
	return ERR_OK;
}

enum err discrete_add(const struct noise_source *source, const struct discrete_share *share,
		      double *x, size_t n)
{
	const struct bytes answer[] = { { (const uint8_t *)&share->step, sizeof(share->step) },
					{ (const uint8_t *)&share->steps, sizeof(share->steps) },
					{ (const uint8_t *)x, n * sizeof(*x) } };
	struct draw d;

	TRY(noise_begin(source, answer, 3));
	draw_init(&d, source);
	for (size_t i = 0; i < n && !d.err; i++)
		x[i] += share->step * (double)discrete_gauss(&d, share->steps);
	return draw_end(&d);
}
