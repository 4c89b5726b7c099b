/* discrete.h -- exact samples of the discrete Gaussian, and noise of which each party adds its share.
 *
 * Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (NeurIPS 2020), Algorithms 1 to
 * 3: integers alone, so that no rounding of a logarithm tells what a sample was made of. How long a sample
 * takes depends on its value, and on nothing else: who can time it learns of the noise, not of the data.
 */
#ifndef COMMON_PRIVACY_DISCRETE_H
#define COMMON_PRIVACY_DISCRETE_H

#include "common/base/err.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

/* Up to here all products fit into 128 bits. */
enum { DISCRETE_SIGMA_MAX = 1 << 24 };

/* P(x) ~ exp(-x^2 / (2 sigma^2)), sigma from 1 to DISCRETE_SIGMA_MAX. About 2 us. */
int64_t discrete_gauss(struct draw *d, uint32_t sigma);

/* Noise on a sum: each party adds discrete Gaussian noise of `steps` steps. Together those who do not collude add
 * what was asked for. */
struct discrete_share {
	double step;    /* a power of two: terms of the sum must be multiples of it */
	uint32_t steps; /* standard deviation of a party's share */
};

/* sigma: what the noise of all but `colluders` of `parties` comes to, colluders < parties. step becomes the largest
 * power of two that leaves 2^16 steps or more to a share, or `least` (a power of two), below which the sum's
 * fixed point has no digits. At so many steps the sum of shares is the continuous Gaussian, rounded, to
 * better than 2^-60 (Kairouz, Liu, Steinke 2021, Theorem 9; Poisson summation). ERR_INPUT: a share has fewer than
 * 64 steps of `least`, or sigma is not a number above 0. */
enum err discrete_share_of(double sigma, size_t parties, size_t colluders, double least,
			   struct discrete_share *share) MUST_CHECK;

/* x[i] += step times a sample, independent. */
enum err discrete_add(const struct noise_source *source, const struct discrete_share *share,
		      double *x, size_t n) MUST_CHECK;

#endif
