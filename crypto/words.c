#include "crypto/words.h"
#include "crypto/wide.h"

#include <assert.h>
#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are little-endian in memory");

/* Words wherever they lie; the compiler still makes vector loads of them. */
typedef uint64_t word64 __attribute__((aligned(1), may_alias));
typedef uint32_t word32 __attribute__((aligned(1), may_alias));

WIDE static void add64(word64 *restrict acc, const word64 *restrict x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		acc[i] += x[i];
}

WIDE static void sub64(word64 *restrict acc, const word64 *restrict x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		acc[i] -= x[i];
}

WIDE static void add32(word32 *restrict acc, const word32 *restrict x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		acc[i] += x[i];
}

WIDE static void sub32(word32 *restrict acc, const word32 *restrict x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		acc[i] -= x[i];
}

void words_add(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n)
{
	assert(modulus_bits == 64 || modulus_bits == 32);
	if (modulus_bits == 64)
		add64(acc, x, n);
	else
		add32(acc, x, n);
}

void words_sub(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n)
{
	assert(modulus_bits == 64 || modulus_bits == 32);
	if (modulus_bits == 64)
		sub64(acc, x, n);
	else
		sub32(acc, x, n);
}
