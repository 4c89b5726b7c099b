#include "common/privacy/account.h"
#include "common/privacy/noise.h"

#include <math.h>

double account_eps(double mu, double delta)
{
	double low = 0, high = 1;

	if (!(mu <= ACCOUNT_MU_MAX))
		return INFINITY;
	if (!(mu > 0) || noise_analytic_delta(0, 1, mu) <= delta)
		return 0;
	/* delta falls as eps rises. */
	while (noise_analytic_delta(high, 1, mu) > delta) {
		low = high;
		high *= 2;
	}
	while (high - low > 1e-12 * high) {
		double middle = low + (high - low) / 2;

		if (noise_analytic_delta(middle, 1, mu) > delta)
			low = middle;
		else
			high = middle;
	}
	return high;
}

enum err account_mu(double eps, double delta, double *mu)
{
	double sigma;

	TRY(noise_analytic(eps, delta, 1, &sigma));
	*mu = 1 / sigma;
	return ERR_OK;
}
