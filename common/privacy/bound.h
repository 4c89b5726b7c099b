/* bound.h -- the bound on a job's numbers, which parties and coordinator agree on before they sum
 * them.
 *
 * Fixed point needs a bound, and data come in any unit. So each party gives the squared length of
 * its longest vector, rounded up to a power of two; the secure sum of these bounds the squared
 * length of every joint vector, whose columns the parties share. The coordinator broadcasts the
 * exponent e of the least power of two that is no smaller (CHOICE_BOUND). Parties learn e, the
 * coordinator how many parties have a longest vector of which length, to a factor of 2 in its
 * square, and not which.
 *
 * All of it is exact: multiplying all data by 2^k moves e by 2 k and changes nothing else.
 */
#ifndef COMMON_PRIVACY_BOUND_H
#define COMMON_PRIVACY_BOUND_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Squared lengths are 0, or 2^BOUND_LEAST to 2^BOUND_MOST. */
enum {
	BOUND_LEAST = -160,
	BOUND_LIMB = 30,
	BOUND_TERM = 12,
	BOUND_MOST = BOUND_LEAST + BOUND_LIMB * BOUND_TERM - 1
};

/* term: this party's, a number below 2^BOUND_LIMB for each power of 2^BOUND_LIMB. ERR_INPUT:
 * square is outside the above, or no number. */
enum err bound_term(double square, double term[static BOUND_TERM]) MUST_CHECK;
/* e, 2^e >= the sum of terms of so many parties; 0 where that is 0. *least: a party's term is
 * 2^least, but for a factor of up to `parties`, and none is less but 0. False: it is no such
 * sum. */
bool bound_join(const double sum[static BOUND_TERM], size_t parties, int *e, int *least);
/* Beyond this many bits between the two, sums keep few digits of what the latter party adds. */
enum { BOUND_RANGE = 40 };

/* e as CHOICE_BOUND carries it, and back. False: out of range. */
enum { BOUND_PACKED_MOST = 512 };
uint64_t bound_pack(int e);
bool bound_unpack(uint64_t value, int *e);

/* Numbers up to 2^e times this are 2^20 at most: 44 bits of the largest stay in wide words
 * (JOB_WIDE_FRACTION), beside counts up to 2^31. */
double bound_unit(int e);

#endif
