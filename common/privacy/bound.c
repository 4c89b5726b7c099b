#include "common/privacy/bound.h"

#include <math.h>
#include <string.h>

enum { BIAS = 200, EXPONENTS = 10 }; /* EXPONENTS: there are up to 2^EXPONENTS parties */

_Static_assert(BOUND_MOST + EXPONENTS + BIAS <= BOUND_PACKED_MOST && BIAS + BOUND_LEAST > 0,
	       "all exponents fit");

/* Returns the exponent of the least power of two >= x > 0. */
static int exponent_above(double x)
{
	int e;
	double fraction = frexp(x, &e); /* in [1/2, 1) */

	return fraction == 0.5 ? e - 1 : e;
}

static double limb_unit(size_t limb)
{
	return ldexp(1, BOUND_LEAST + BOUND_LIMB * (int)limb);
}

enum err bound_term(double square, double term[static BOUND_TERM])
{
	int e;

	memset(term, 0, BOUND_TERM * sizeof(*term));
	if (square == 0)
		return ERR_OK;
	e = isfinite(square) && square > 0 ? exponent_above(square) : BOUND_MOST + 1;
	if (e < BOUND_LEAST || e > BOUND_MOST)
		return err_set(
		    ERR_INPUT,
		    "the longest row is shorter than %.0g or longer than %.0g: multiply the "
		    "features of all parties by one number that brings rows nearer to 1",
		    sqrt(ldexp(1, BOUND_LEAST)), sqrt(ldexp(1, BOUND_MOST)));
	e -= BOUND_LEAST;
	term[e / BOUND_LIMB] = ldexp(1, e % BOUND_LIMB);
	return ERR_OK;
}

bool bound_join(const double sum[static BOUND_TERM], size_t parties, int *e, int *least)
{
	double total = 0;

	*least = 0;

	for (size_t i = BOUND_TERM; i-- > 0;) {
		if (!(sum[i] >= 0 && sum[i] <= ldexp((double)parties, BOUND_LIMB) &&
		      sum[i] == floor(sum[i])))
			return false;
		total += sum[i] * limb_unit(i);
		if (sum[i] > 0)
			*least = BOUND_LEAST + BOUND_LIMB * (int)i +
				 __builtin_ctzll((unsigned long long)sum[i]);
	}
	/* Rounding changes the sum by at most 2^-53 of it, and fixed point has enough spare bits
	 * for that. */
	*e = total > 0 ? exponent_above(total) : 0;
	return true;
}

uint64_t bound_pack(int e)
{
	return (uint64_t)(e + BIAS);
}

bool bound_unpack(uint64_t value, int *e)
{
	*e = (int)value - BIAS;
	return value <= BOUND_PACKED_MOST && *e >= BOUND_LEAST && *e <= BOUND_MOST + EXPONENTS;
}

double bound_unit(int e)
{
	return ldexp(1, 20 - e);
}
