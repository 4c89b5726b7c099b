/* parts.h -- a number of any size as PARTS numbers that fixed point holds.
 *
 * x = 2^60 a + 2^30 b + c + 2^-48 e, all of x's sign: a and b whole, b and c below 2^30, c a
 * multiple of 2^-24, e below 2^24. Up to the last 2^-72 it is exact, and so are sums of the parts in
 * fixed point with 24 bits behind the point. Whoever sees the four sums sees their carries too, a
 * little more than their sum.
 */
#ifndef COMMON_PRIVACY_PARTS_H
#define COMMON_PRIVACY_PARTS_H

#include "common/base/err.h"

#include <stddef.h>

enum { PARTS = 4, PARTS_EXPONENT = 90 }; /* below 2^PARTS_EXPONENT all parts are below 2^30 */

/* part (PARTS * n): a, b, c, e of each number in turn. */
void parts_split(const double *x, size_t n, double *part);
/* x (n) from sums of `terms` parties' parts. ERR_PEER: one is beyond what so many terms add to, or a or b is
 * not whole: a party gave a wrong term. */
enum err parts_join(const char *phase, const double *part, size_t n, size_t terms,
		    double *x) MUST_CHECK;

#endif
