/* draw.h -- random numbers one at a time from a source of bytes (common/privacy/noise.h): in a party
 * that of its CSPRNG, in tests and on pooled data one that a seed gives.
 *
 * Bytes are fetched 4 KiB at a time, so a number costs little more than the source does. A source
 * that fails is remembered: numbers are then 0, and draw_end() says so. Not for several threads.
 */
#ifndef COMMON_PRIVACY_DRAW_H
#define COMMON_PRIVACY_DRAW_H

#include "common/base/rng.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

enum { DRAW_WORDS = 512 };

struct draw {
	const struct noise_source *source; /* borrowed */
	uint64_t word[DRAW_WORDS];
	size_t left;
	enum err err;
};

void draw_init(struct draw *d, const struct noise_source *source);
/* What the source failed with, if it did; wipes the numbers that were not used. */
enum err draw_end(struct draw *d) MUST_CHECK;

uint64_t draw_u64(struct draw *d);
double draw_unit(struct draw *d);                      /* [0, 1), 53 bits */
double draw_unit_above(struct draw *d);                /* (0, 1], 53 bits */
uint32_t draw_below(struct draw *d, uint32_t bound);   /* 0 .. bound-1 without bias; bound > 0 */

/* The bytes of r, which is borrowed: for tests and pooled data, never for what must stay secret. */
struct noise_source draw_from_rng(struct rng *r);

#endif
