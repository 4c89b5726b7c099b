/* filter_steps.h -- the power T^M of a filter's step in fewer than M products with T.
 *
 * For large M, T^M is nearly a polynomial of far lower degree. Let T = (I + A) / 2, and write an
 * eigenvalue of A, which lies in [-1, 1], as cos t. Then cos^2M (t/2) = 4^-M (C(2M, M) + 2 sum_k
 * C(2M, M + k) cos kt): a sum of Chebyshev polynomials of A, with weights that fall like exp(-k^2 /
 * M). Weights below 1e-12 are dropped. The remaining polynomial p is evaluated as a product of
 * factors, one for each root, in Leja's order. That order keeps intermediate products and rounding
 * errors small. The product needs no more vectors than the power does. A power of 60 takes 37
 * products.
 *
 * ||p(T) - T^M|| is below 1e-10, which filter_steps_init() verifies; p(1) = 1. */
#ifndef COMMON_GRAPH_FILTER_STEPS_H
#define COMMON_GRAPH_FILTER_STEPS_H

#include <stddef.h>

/* y <- scale (T - shift) y + back (y before the previous step); back is 0 in the first step. */
struct filter_step {
	double scale, shift, back;
};

struct filter_steps {
	size_t count;
	struct filter_step *step;
};

extern const struct filter_step FILTER_STEP;

/* Takes `power` plain steps if the series has nearly as many terms (power below 26), or if the
 * product of the factors is too far from t^power for a t in [0, 1]. O(count^2), 0.6 ms for a power
 * of 60. */
void filter_steps_init(struct filter_steps *s, unsigned power);
void filter_steps_release(struct filter_steps *s);

/* Returns the number of steps, for estimates of cost. Assumes that the roots are found, which is
 * true for all powers up to 5000. */
size_t filter_steps_count(unsigned power);

/* p(t): the factor of the steps for an eigenvector of T with eigenvalue t. */
double filter_steps_at(const struct filter_steps *s, double t);

#endif
