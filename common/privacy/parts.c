#include "common/privacy/parts.h"

#include <math.h>

enum { BEFORE = 30, BEHIND = 24 }; /* bits of a part before and after the point */

_Static_assert(PARTS_EXPONENT + PARTS_FRACTION == PARTS * (BEFORE + BEHIND), "no bit is missing");

/* Part p has the weight 2^exponent(p). */
static int exponent(size_t p)
{
	return PARTS_EXPONENT - BEFORE - (int)p * (BEFORE + BEHIND);
}

void parts_split(const double *x, size_t n, double *part)
{
	for (size_t i = 0; i < n; i++) {
		double rest = x[i];

		for (size_t p = 0; p < PARTS; p++) {
			double whole = trunc(ldexp(rest, BEHIND - exponent(p)));

			part[i * PARTS + p] = ldexp(whole, -BEHIND);
			/* This subtraction is exact, since it removes the leading bits of rest. */
			rest -= ldexp(whole, exponent(p) - BEHIND);
		}
	}
}

enum err parts_join(const double *part, size_t n, size_t parties, double *x)
{
	double most = ldexp((double)parties, BEFORE);

	for (size_t i = 0; i < PARTS * n; i++)
		if (!(fabs(part[i]) < most))
			return err_set(ERR_PEER,
				       "a party's term is wrong: part %zu of sum %zu is %.17g, "
				       "expected less than %g",
				       i % PARTS, i / PARTS, part[i], most);
	for (size_t i = 0; i < n; i++) {
		x[i] = 0;
		for (size_t p = 0; p < PARTS; p++)
			x[i] += ldexp(part[i * PARTS + p], exponent(p));
	}
	return ERR_OK;
}
