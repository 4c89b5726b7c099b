/* align.h -- constants that coordinator and parties share for row alignment: docs/alignment.md. */
#ifndef COMMON_KIND_ALIGN_H
#define COMMON_KIND_ALIGN_H

#include <stddef.h>
#include <stdint.h>

enum {
	ALIGN_IDS_MAX = 60000000, /* ids of one party */
	ALIGN_CANARIES = 128,     /* canaries in every party's set, and so among the common rows */
	ALIGN_TRIES = 8,          /* attempts at new pseudonyms until all sets fit into tables */
	ALIGN_STEPS_MAX = 128
};

/* Public scale for rounding up counts of ids: 64, then each step 3/20 larger than the last (rounded
 * down), finally ALIGN_IDS_MAX. With bound > 0, the scale has only that number. Returns the number
 * of steps. */
size_t align_scale(unsigned bound, uint32_t step[static ALIGN_STEPS_MAX]);

#endif
