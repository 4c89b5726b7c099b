/* parts.h -- splits a number of any size into PARTS numbers that fit into fixed point.
 *
 * x = 2^108 a + 2^54 b + c + 2^-54 d + 2^-108 e, all with x's sign: each part is below 2^30 and a
 * multiple of 2^-24. The split is exact down to 2^-132, and so are sums of the parts in fixed point
 * with 24 fraction bits. Data may thus have any unit from 1e-16 to 1e16, also for sums of squares.
 * The sums of the parts reveal their carries, slightly more than the total.
 */
#ifndef COMMON_PRIVACY_PARTS_H
#define COMMON_PRIVACY_PARTS_H

#include "common/base/err.h"

#include <stddef.h>

/* Numbers are below 2^PARTS_EXPONENT and multiples of 2^-PARTS_FRACTION. */
enum { PARTS = 5, PARTS_EXPONENT = 138, PARTS_FRACTION = 132 };

/* part (PARTS * n): a, b, c, d, e of each number in turn. */
void parts_split(const double *x, size_t n, double *part);
/* Computes x (n) from the sums of the parts of `parties` parties. Each sum must be below parties *
 * 2^30. Otherwise a party sent a wrong term, so this returns ERR_PEER and does not set x. */
enum err parts_join(const double *part, size_t n, size_t parties, double *x) MUST_CHECK;

#endif
