/* align.h -- what both halves of finding common rows must have alike: docs/alignment.md. */
#ifndef COMMON_KIND_ALIGN_H
#define COMMON_KIND_ALIGN_H

#include <stddef.h>
#include <stdint.h>

enum {
	ALIGN_IDS_MAX = 60000000, /* ids of a party */
	ALIGN_CANARIES = 128,	  /* in every party's set, and so among the common rows */
	ALIGN_TRIES = 8,	  /* numbers of pseudonyms, until all sets go into tables */
	ALIGN_STEPS_MAX = 128
};

/* The public scale on which counts of ids are rounded up: 64, each step 3/20 of it more (rounded down), the last
 * ALIGN_IDS_MAX; with a bound > 0 that number alone. Returns how many steps there are. */
size_t align_scale(unsigned bound, uint32_t step[static ALIGN_STEPS_MAX]);

#endif
