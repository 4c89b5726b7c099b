/* Compares the privacy loss of several releases with tests/vectors/account.py, which computes with
 * 60 digits. Also tests the limits of parameters. */
#include "tests/test.h"
#include "common/privacy/account.h"
#include "common/privacy/noise.h"

#include <math.h>
#include <string.h>

static const struct total {
	struct {
		double eps, delta;
		unsigned times;
	} job[3];
	double delta, mu, eps;
} table[] = {
#include "tests/vectors/account.inc"
};

static void near(double got, double expected, double by)
{
	if (!(fabs(got - expected) <= by * expected))
		fail_msg("%.17g, expected %.17g to %g of it", got, expected, by);
}

TEST(test_totals)
{
	for (size_t t = 0; t < sizeof(table) / sizeof(*table); t++) {
		double square = 0, mu;

		for (size_t j = 0; j < 3 && table[t].job[j].times; j++) {
			assert_ok(account_mu(table[t].job[j].eps, table[t].job[j].delta, &mu));
			square += table[t].job[j].times * mu * mu;
		}
		near(sqrt(square), table[t].mu, 1e-9);
		near(account_eps(sqrt(square), table[t].delta), table[t].eps, 1e-8);
	}
}

/* One release costs the eps that it states, up to rounding. */
TEST(test_there_and_back)
{
	for (double eps = 0.01; eps < 100; eps *= 1.7)
		for (double delta = 1e-12; delta < 1e-2; delta *= 30) {
			double mu;

			assert_ok(account_mu(eps, delta, &mu));
			near(account_eps(mu, delta), eps, 1e-7);
			assert_true(noise_analytic_delta(account_eps(mu, delta), 1, mu) <= delta);
		}
}

TEST(test_edges)
{
	double mu;

	assert_true(account_eps(0, 1e-5) == 0);
	assert_true(account_eps(1e-7, 1e-5) == 0); /* eps 0 suffices for this delta */
	assert_true(isfinite(account_eps(ACCOUNT_MU_MAX, 1e-5)));
	assert_true(isinf(account_eps(2 * ACCOUNT_MU_MAX, 1e-5)));
	assert_true(isinf(account_eps(INFINITY, 1e-5)));
	assert_true(isinf(account_eps(NAN, 1e-5)));
	assert_err(account_mu(0, 1e-5, &mu), ERR_INPUT, "eps is 0");
	assert_err(account_mu(1, 1, &mu), ERR_INPUT, "delta is 1");
}
