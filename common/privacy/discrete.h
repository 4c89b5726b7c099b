/* discrete.h -- exact samples of the discrete Gaussian, and noise to which each party adds a share.
 *
 * Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (NeurIPS 2020),
 * Algorithms 1 to 3. They use integers only, so the rounding of a logarithm reveals nothing about a
 * sample. The time of a sample depends only on its value, so timing can reveal the noise but not
 * the data.
 */
#ifndef COMMON_PRIVACY_DISCRETE_H
#define COMMON_PRIVACY_DISCRETE_H

#include "common/base/err.h"
#include "common/privacy/noise.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Up to this sigma all products fit into 128 bits. */
enum { DISCRETE_SIGMA_MAX = 1 << 24 };

/* Draws x with P(x) ~ exp(-x^2 / (2 sigma^2)), sigma from 1 to DISCRETE_SIGMA_MAX. About 2 us. */
int64_t discrete_gauss(struct draw *d, uint32_t sigma);

/* Noise in a sum: each party adds discrete Gaussian noise of standard deviation `steps`, in
 * units of `step`. The shares of the parties that do not collude add to the required noise. */
struct discrete_share {
	double step;    /* a power of two; terms of the sum must be multiples of it */
	uint32_t steps; /* standard deviation of one share, in steps */
};

/* sigma: standard deviation of the noise of all parties except `colluders`; colluders < parties.
 * step is the largest power of two at which a share's standard deviation is at least 2^16 steps. It
 * is never below `least` (a power of two), the resolution of the sum's fixed point. With so many
 * steps the sum of shares equals the rounded continuous Gaussian to better than 2^-60 (Kairouz,
 * Liu, Steinke 2021, Theorem 9; Poisson summation). ERR_INPUT if a share has fewer than 64 steps of
 * `least`, or sigma is not a number above 0. */
enum err discrete_share_of(double sigma, size_t parties, size_t colluders, double least,
			   struct discrete_share *share) MUST_CHECK;

/* Returns the multiple of the step that is nearest to x. */
static inline double discrete_in_steps(const struct discrete_share *share, double x)
{
	return nearbyint(x / share->step) * share->step;
}

/* x[i] += step times an independent sample. */
enum err discrete_add(const struct noise_source *source, const struct discrete_share *share,
		      double *x, size_t n) MUST_CHECK;

#endif
