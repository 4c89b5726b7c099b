/* account.h -- what several releases with Gaussian noise show together.
 *
 * A release whose noise has deviation sigma in all directions, of what one row (edge, graph) can move by D, is
 * mu-Gaussian private, mu = D / sigma: who sees it tells two data sets apart no better than one sample of N(0, 1)
 * from one of N(mu, 1). Several, each asked for by what the others showed, are sqrt(sum mu_j^2)-private, exactly
 * (Dong, Roth, Su, "Gaussian differential privacy", JRSS B 2022, Corollary 3.3), and a mu is all pairs (eps, delta)
 * of noise_analytic_delta(eps, 1 / mu, 1) (Balle, Wang 2018, Theorem 8). So nothing is lost by adding up.
 */
#ifndef COMMON_PRIVACY_ACCOUNT_H
#define COMMON_PRIVACY_ACCOUNT_H

#include "common/base/err.h"

/* The least eps with which mu (0 or more) is (eps, delta)-private, to relative 1e-12 and on the safe side; 0 if
 * eps = 0 holds at this delta, INFINITY if mu is no finite number or above ACCOUNT_MU_MAX. delta in (0, 1). */
#define ACCOUNT_MU_MAX 1e4
double account_eps(double mu, double delta);

/* The largest mu that is (eps, delta)-private. ERR_INPUT: as noise_analytic(). */
enum err account_mu(double eps, double delta, double *mu) MUST_CHECK;

#endif
