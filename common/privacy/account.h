/* account.h -- composition of several releases with Gaussian noise.
 *
 * One row (edge, graph) moves a release by at most D. With noise of standard deviation sigma in all
 * directions the release is mu-Gaussian private, mu = D / sigma. An observer then distinguishes two
 * data sets no better than one sample of N(0, 1) from one of N(mu, 1). Several releases, each
 * chosen after seeing the others, are exactly sqrt(sum mu_j^2)-private (Dong, Roth, Su, "Gaussian
 * differential privacy", JRSS B 2022, Corollary 3.3). A mu is equivalent to all pairs (eps, delta)
 * of noise_analytic_delta(eps, 1 / mu, 1) (Balle, Wang 2018, Theorem 8), so composition by mu gives
 * an exact (eps, delta).
 */
#ifndef COMMON_PRIVACY_ACCOUNT_H
#define COMMON_PRIVACY_ACCOUNT_H

#include "common/base/err.h"

/* Returns the least eps for which mu >= 0 is (eps, delta)-private, rounded up, with a relative
 * error of at most 1e-12. Returns 0 if eps = 0 is sufficient at this delta. Returns INFINITY if mu
 * is not a finite number or above ACCOUNT_MU_MAX. delta in (0, 1). */
#define ACCOUNT_MU_MAX 1e4
double account_eps(double mu, double delta);

/* Computes the largest mu that is (eps, delta)-private. ERR_INPUT as noise_analytic(). */
enum err account_mu(double eps, double delta, double *mu) MUST_CHECK;

#endif
