/* bound.h -- agreement of parties and coordinator on a bound of a job's numbers, before any sum.
 *
 * Fixed point needs a bound, and data come in any unit. Each party submits the squared length of
 * its longest vector, rounded up to a power of two. The secure sum of the submitted numbers bounds
 * the squared length of every joint vector, if the parties hold different columns. The coordinator
 * broadcasts the exponent e of the least power of two >= the sum (CHOICE_BOUND). Parties learn e.
 * The coordinator learns how many parties have a longest vector of each length, to a factor of 2 in
 * its square, but not which parties.
 *
 * All steps are exact: multiplying all data by 2^k adds 2 k to e and changes nothing else.
 */
#ifndef COMMON_PRIVACY_BOUND_H
#define COMMON_PRIVACY_BOUND_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Squared lengths are 0, or from 2^BOUND_LEAST to 2^BOUND_MOST. */
enum {
	BOUND_LEAST = -160,
	BOUND_LIMB = 30,
	BOUND_TERM = 12,
	BOUND_MOST = BOUND_LEAST + BOUND_LIMB * BOUND_TERM - 1
};

/* term: this party's vector of BOUND_TERM limbs, each below 2^BOUND_LIMB. ERR_INPUT if square is
 * out of range or not a number. */
enum err bound_term(double square, double term[static BOUND_TERM]) MUST_CHECK;
/* Decodes the sum of the parties' terms. *e becomes the least e with 2^e >= the sum, or 0 if the
 * sum is 0. *least: the smallest nonzero term is 2^least, up to a factor of `parties`. False if sum
 * cannot be a sum of terms. */
bool bound_join(const double sum[static BOUND_TERM], size_t parties, int *e, int *least);
/* If e - least exceeds this many bits, sums keep only few digits of the data of the party with the
 * smallest values. */
enum { BOUND_RANGE = 40 };

/* bound_pack() encodes e for CHOICE_BOUND, and bound_unpack() decodes it. bound_unpack() returns
 * false if the code is out of range. */
enum { BOUND_PACKED_MOST = 512 };
uint64_t bound_pack(int e);
bool bound_unpack(uint64_t value, int *e);

/* Returns the factor that scales numbers of at most 2^e to at most 2^20. In a sum with PARTIES_WIDE
 * the largest numbers then have 44 bits: 20 before the point, JOB_WIDE_FRACTION after it. Counts up
 * to 2^31 fit into the same sum. */
double bound_unit(int e);

#endif
