#include "crypto/fixed.h"
#include "common/base/sanitized.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of values that are checked, then encoded while they are in the first-level cache. */
enum { BLOCK = 1024 };

/* WIDE marks functions with loops that gain from wider vectors. On x86-64 gcc compiles them for
 * AVX2 too, and the loader picks a variant (masks 6 % faster, encoding twice as fast). The loader
 * chooses before sanitizers start, so builds with sanitizers have only one variant. Both variants
 * give the same bits: they use integers, and doubles that are never contracted
 * (-ffp-contract=off). */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !SANITIZED
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are little-endian in memory");

/* A word at any address, aligned or not. The compiler still emits vector loads for such words. */
typedef uint64_t word64 __attribute__((aligned(1), may_alias));
typedef uint32_t word32 __attribute__((aligned(1), may_alias));

static void fixed_check(const struct fixed *f)
{
	assert(f->modulus_bits == 64 || f->modulus_bits == 32);
	assert(f->parties >= 1);
}

double fixed_bound(const struct fixed *f)
{
	uint64_t most;
	int excess;

	fixed_check(f);
	/* The bound keeps L times the largest |x 2^f| below N / 2. It is truncated to the 53 bits
	 * of a double. */
	most = ((UINT64_C(1) << (f->modulus_bits - 1)) - 1) / f->parties;
	excess = most ? 64 - __builtin_clzll(most) - 53 : 0;
	if (excess > 0)
		most &= ~UINT64_C(0) << excess;
	return ldexp((double)most, -f->fraction_bits);
}

double fixed_scale(const struct fixed *f, double most)
{
	int exponent;

	assert(most > 0);
	/* The ratio is in [2^(exponent-1), 2^exponent). */
	(void)frexp(fixed_bound(f) / most, &exponent);
	return ldexp(1, exponent - 1);
}

int fixed_fraction(unsigned modulus_bits, size_t parties, double most)
{
	return ilogb(fixed_scale(&(struct fixed){ modulus_bits, 0, parties }, most));
}

/* Returns the bits of a double. For non-negative doubles, the bits have the same order as the
 * numbers, and NaN is the largest. */
static uint64_t bits(double d)
{
	union {
		double d;
		uint64_t u;
	} v = { .d = d };

	return v.u;
}

/* True if no |x[i]| exceeds the bound. No branch depends on a value: a difference below 0 sets the
 * top bit. False for NaN. */
WIDE static bool within(const double *x, size_t n, double bound)
{
	uint64_t most = bits(bound), outside = 0;

	for (size_t i = 0; i < n; i++)
		outside |= most - (bits(x[i]) & INT64_MAX);
	return !(outside >> 63);
}

/* Adding SHIFT leaves the rounded integer in the low bits, for magnitudes up to 2^51. Unlike
 * llrint() it vectorises. */
static const double SHIFT = 0x1.8p52;

/* For magnitudes up to 2^63: takes the nearest multiple of 2^32, then the exact remainder. */
WIDE static void encode64(word64 *restrict words, const double *restrict x, size_t n, double scale)
{
	for (size_t i = 0; i < n; i++) {
		double y = x[i] * scale, high = y * 0x1p-32 + SHIFT;
		double low = y - (high - SHIFT) * 0x1p32 + SHIFT;

		words[i] = (bits(high) << 32) + (bits(low) - bits(SHIFT));
	}
}

WIDE static void encode32(word32 *restrict words, const double *restrict x, size_t n, double scale)
{
	for (size_t i = 0; i < n; i++)
		words[i] = (uint32_t)bits(x[i] * scale + SHIFT);
}

static enum err outside(const struct fixed *f, const double *x, size_t n, double *bad)
{
	double bound = fixed_bound(f);
	size_t i = 0;

	while (i + 1 < n && fabs(x[i]) <= bound)
		i++;
	if (bad)
		*bad = x[i];
	return err_set(
	    ERR_JOB,
	    "secure sum: a value is not finite or exceeds the fixed-point bound of %g (%u "
	    "bits, %d of them fraction, %zu terms): lower secure_sum.fraction_bits%s",
	    bound, f->modulus_bits, f->fraction_bits, f->parties,
	    f->modulus_bits == 32 ? " or set secure_sum.modulus_bits to 64" : "");
}

enum err fixed_encode(const struct fixed *f, const double *x, size_t n, void *words, double *bad)
{
	double bound = fixed_bound(f), scale = ldexp(1.0, f->fraction_bits);

	for (size_t i = 0; i < n; i += BLOCK) {
		size_t part = n - i < BLOCK ? n - i : BLOCK;

		if (!within(x + i, part, bound))
			return outside(f, x + i, part, bad);
		if (f->modulus_bits == 64)
			encode64((word64 *)words + i, x + i, part, scale);
		else
			encode32((word32 *)words + i, x + i, part, scale);
	}
	return ERR_OK;
}

void fixed_decode(const struct fixed *f, const void *words, size_t n, double *x)
{
	double scale = ldexp(1.0, -f->fraction_bits);
	const word64 *w64 = words;
	const word32 *w32 = words;

	fixed_check(f);
	if (f->modulus_bits == 64)
		for (size_t i = 0; i < n; i++)
			x[i] = (double)(int64_t)w64[i] * scale;
	else
		for (size_t i = 0; i < n; i++)
			x[i] = (double)(int32_t)w32[i] * scale;
}

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

void fixed_add(const struct fixed *f, void *acc, const void *words, size_t n)
{
	words_add(f->modulus_bits, acc, words, n);
}
