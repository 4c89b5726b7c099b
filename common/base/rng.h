/* rng.h -- reproducible random numbers for clustering and synthetic data.
 *
 * xoshiro256** seeded by SplitMix64 (Blackman, Vigna 2018). Never for secrets: crypto/secret.h has
 * those. The same seed gives the same numbers on every machine.
 */
#ifndef COMMON_BASE_RNG_H
#define COMMON_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* Streams of one seed are independent. */
void rng_seed(struct rng *r, uint64_t seed, uint64_t stream);
uint64_t rng_u64(struct rng *r);
double rng_unit(struct rng *r);                    /* [0, 1), 53 bits */
uint64_t rng_below(struct rng *r, uint64_t bound); /* 0 .. bound-1, unbiased; bound > 0 */
double rng_normal(struct rng *r);                  /* mean 0, variance 1 */
void rng_shuffle(struct rng *r, uint32_t *a, size_t n);

#endif
