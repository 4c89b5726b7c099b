/* fixed.h -- real numbers as words of Z_N, N = 2^64 or 2^32, in fixed point.
 *
 * Little-endian hosts only, so that a vector in memory is a vector on the wire.
 * x -> round(x 2^f) mod N. A sum of L terms decodes right if L max|x| 2^f < N/2, which is checked
 * for every value on encoding.
 */
#ifndef CRYPTO_FIXED_H
#define CRYPTO_FIXED_H

#include "common/base/err.h"

#include <stddef.h>

struct fixed {
	unsigned modulus_bits;  /* 64 or 32 */
	int fraction_bits;     /* f; below 0 for numbers beyond the words, above them for tiny ones */
	size_t parties;         /* L: terms of the sum */
};

double fixed_bound(const struct fixed *f); /* the largest |x| that encodes; exported for tests of the bound */

/* The largest power of two by which numbers up to `most` > 0 can be multiplied and still encode. */
double fixed_scale(const struct fixed *f, double most);
/* f at which numbers up to `most` > 0 fill the words. */
int fixed_fraction(unsigned modulus_bits, size_t parties, double most);

/* words: n of uint64_t or uint32_t. ERR_JOB if a value is not finite or exceeds the bound: the
 * sentence names bound and setting but not the value, which *bad (may be NULL) receives. CT:
 * time depends on n only, unless it fails. */
enum err fixed_encode(const struct fixed *f, const double *x, size_t n, void *words,
		      double *bad) MUST_CHECK;
void fixed_decode(const struct fixed *f, const void *words, size_t n, double *x);
/* acc += words mod N. words may be unaligned (they come out of a frame). */
void fixed_add(const struct fixed *f, void *acc, const void *words, size_t n);

/* acc += x and acc -= x mod N; n words of modulus_bits (64 or 32), which do not overlap and may be
 * unaligned: they come out of frames and go into them. CT: time depends on n only. */
void words_add(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n);
void words_sub(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n);

#endif
