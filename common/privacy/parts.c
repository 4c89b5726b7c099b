#include "common/privacy/parts.h"

#include <math.h>

static const int exponent[PARTS] = { 60, 30, 0, -48 };
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

void parts_join(const double *part, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++) {
		x[i] = 0;
		for (int p = 0; p < PARTS; p++)
			x[i] += ldexp(part[i * PARTS + (size_t)p], exponent[p]);
	}
}
