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
/* x (n) from the sums of so many parties' parts. Ranges: sums of a and b are whole, of a, b and c below
 * parties * 2^30, of e below parties * 2^24. ERR_PEER, with nothing in x, if one is outside: a party gave
 * a wrong term. */
enum err parts_join(const double *part, size_t n, size_t parties, double *x) MUST_CHECK;

#endif
