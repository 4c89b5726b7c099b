/* align.h -- constants that coordinator and parties share for row alignment: docs/alignment.md. */
#ifndef COMMON_KIND_ALIGN_H
#define COMMON_KIND_ALIGN_H

#include <stddef.h>
#include <stdint.h>

enum {
	ALIGN_IDS_MAX = 60000000, /* maximum number of ids of one party */
	/* canaries: pseudonyms that every party adds to its set, so that all sets have them */
	ALIGN_CANARIES = 128,
	/* maximum number of attempts with new pseudonyms until all sets fit into tables */
	ALIGN_TRIES = 8,
	ALIGN_STEPS_MAX = 128
};

/* Writes the public scale to which counts of ids are rounded up. It begins with 64; each further
 * step is 3/20 larger than the previous one (rounded down), and the last step is ALIGN_IDS_MAX.
 * With bound > 0, the scale has only that number. Returns the number of steps. */
size_t align_scale(unsigned bound, uint32_t step[static ALIGN_STEPS_MAX]);

#endif
