#include "common/privacy/parts.h"

#include <math.h>
#include <stdbool.h>

static const int exponent[PARTS] = { 60, 30, 0, -48 };
static const int size[PARTS] = { 30, 30, 30, 24 };
static const int fraction[PARTS] = { 0, 0, -24, -24 }; /* of the part: its last bit */

void parts_split(const double *x, size_t n, double *part)
{
	for (size_t i = 0; i < n; i++) {
		double rest = x[i];

		for (int p = 0; p < PARTS; p++) {
			double whole = trunc(ldexp(rest, -exponent[p] - fraction[p]));

			part[i * PARTS + (size_t)p] = ldexp(whole, fraction[p]);
			rest -=
			    ldexp(whole, exponent[p] + fraction[p]); /* exact: its leading bits */
		}
	}
}

/* Part p of a sum: each term's is below 2^size[p]. */
static bool in_range(double part, int p, size_t terms)
{
	double last = ldexp(part, -fraction[p]);

	return fabs(part) <= (double)terms * ldexp(1, size[p]) && last == nearbyint(last);
}

enum err parts_join(const char *phase, const double *part, size_t n, size_t terms, double *x)
{
	for (size_t i = 0; i < n; i++) {
		x[i] = 0;
		for (int p = 0; p < PARTS; p++, part++) {
			if (!in_range(*part, p, terms))
				return err_set(
				    ERR_PEER,
				    "a party gave a wrong term: part %d of number %zu of "
				    "a sum is %.17g, expected a multiple of %g up to %g "
				    "(during %s)",
				    p, i, *part, ldexp(1, fraction[p]),
				    (double)terms * ldexp(1, size[p]), phase);
			x[i] += ldexp(*part, exponent[p]);
		}
	}
	return ERR_OK;
}
