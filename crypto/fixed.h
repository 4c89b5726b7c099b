/* fixed.h -- fixed-point encoding of real numbers as words of Z_N, N = 2^64 or 2^32.
 *
 * x -> round(x 2^f) mod N. A sum of L terms decodes correctly if L max|x| 2^f < N/2; encoding
 * checks this for every value. Little-endian hosts only, so that a vector has the same bytes in
 * memory and on the wire.
 */
#ifndef CRYPTO_FIXED_H
#define CRYPTO_FIXED_H

#include "common/base/err.h"

#include <stddef.h>

struct fixed {
	unsigned modulus_bits; /* 64 or 32 */
	/* f: a number x is encoded as the integer nearest to x 2^f. f is negative if numbers exceed
	 * the range of the words, and above `modulus_bits` if numbers are tiny. */
	int fraction_bits;
	size_t parties; /* L: number of terms of the sum */
};

/* Returns the largest |x| that can be encoded. Exported for tests of the bound. */
double fixed_bound(const struct fixed *f);

/* Returns the largest power of two by which numbers up to `most` > 0 can be multiplied and still be
 * encoded. */
double fixed_scale(const struct fixed *f, double most);
/* Returns the largest number of fraction bits with which numbers up to `most` > 0 can be
 * encoded. */
int fixed_fraction(unsigned modulus_bits, size_t parties, double most);

/* Encodes n numbers as words of uint64_t or uint32_t. ERR_JOB if a value is not finite or exceeds
 * the bound. The error names the bound and the settings to change, but not the value, which *bad
 * (may be NULL) then receives. CT: the time depends on n only, unless encoding fails. */
enum err fixed_encode(const struct fixed *f, const double *x, size_t n, void *words,
		      double *bad) MUST_CHECK;
void fixed_decode(const struct fixed *f, const void *words, size_t n, double *x);
/* Computes acc += words mod N. words may be unaligned, as in a frame. */
void fixed_add(const struct fixed *f, void *acc, const void *words, size_t n);

/* Compute acc += x and acc -= x mod N, for n words of modulus_bits (64 or 32). The vectors must not
 * overlap and may be unaligned, as in frames. CT: time depends on n only. */
void words_add(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n);
void words_sub(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n);

#endif
