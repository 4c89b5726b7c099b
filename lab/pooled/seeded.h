/* seeded.h -- a reproducible source of random bytes: for pooled data and tests, never for secrets.
 * No daemon links it. */
#ifndef LAB_POOLED_SEEDED_H
#define LAB_POOLED_SEEDED_H

#include "common/base/rng.h"
#include "common/privacy/noise.h"

#include <string.h>

static inline enum err seeded_bytes(void *ctx, void *p, size_t n)
{
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		uint64_t word = rng_u64(ctx);

		memcpy((char *)p + i, &word, n - i < sizeof(word) ? n - i : sizeof(word));
	}
	return ERR_OK;
}

/* Takes bytes from r, which is borrowed. */
static inline struct noise_source seeded_source(struct rng *r)
{
	return (struct noise_source){ .ctx = r, .bytes = seeded_bytes };
}

#endif
