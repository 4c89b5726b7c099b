#include "common/base/rng.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed, mixed = splitmix64(&state) ^ stream;

	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&mixed);
}

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Lemire's method: multiply, and reject the few low products that would cause bias. */
uint64_t rng_below(struct rng *r, uint64_t bound)
{
	unsigned __int128 m = (unsigned __int128)rng_u64(r) * bound;

	if ((uint64_t)m < bound) {
		uint64_t least = -bound % bound;

		while ((uint64_t)m < least)
			m = (unsigned __int128)rng_u64(r) * bound;
	}
	return (uint64_t)(m >> 64);
}

double rng_normal(struct rng *r) /* Box-Muller; the second number is discarded */
{
	double u = 1.0 - rng_unit(r), v = rng_unit(r);

	return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void rng_shuffle(struct rng *r, uint32_t *a, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = rng_below(r, i);
		uint32_t t = a[i - 1];

		a[i - 1] = a[j];
		a[j] = t;
	}
}
