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

static const int bits[PARTS] = { 30, 30, 30, 24 }; /* a party's part is below 2^bits */

enum err parts_join(const double *part, size_t n, size_t parties, double *x)
{
	for (size_t i = 0; i < PARTS * n; i++) {
		size_t p = i % PARTS;
		double whole = ldexp(part[i], -fraction[p]);
		double most = ldexp((double)parties, bits[p]);

		if (!(fabs(part[i]) < most) || whole != nearbyint(whole))
			return err_set(
			    ERR_PEER,
			    "a party gave a wrong term: part %zu of sum %zu is %.17g, expected "
			    "a multiple of %g below %g",
			    p, i / PARTS, part[i], ldexp(1, fraction[p]), most);
	}
	for (size_t i = 0; i < n; i++) {
		x[i] = 0;
		for (int p = 0; p < PARTS; p++)
			x[i] += ldexp(part[i * PARTS + (size_t)p], exponent[p]);
	}
	return ERR_OK;
}
