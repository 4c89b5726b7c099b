/* pool.h -- parties' rows in memory as a pool: one for pooled data, several to see what a split
 * does. */
#ifndef COMMON_FEDSC_POOL_H
#define COMMON_FEDSC_POOL_H

#include "common/fedsc/coordinator.h"

struct fedsc_memory {
	struct fedsc_party *party; /* borrowed */
	size_t parties;
	double step; /* answers are rounded to whole multiples, as fixed point does; 0: not at all */
};

/* memory must outlive the pool. Sums are taken in the order of the parties. */
void fedsc_in_memory(struct fedsc_pool *pool, struct fedsc_memory *memory);

/* Rows of X (which stays) with part[i] == l become party l's, in order. */
void fedsc_deal(const struct mat *X, const uint32_t *part, uint32_t l, struct mat *out);
/* The parties' labels in the order of the n rows that were dealt; owned by the caller. */
uint32_t *fedsc_gather(const struct fedsc_memory *memory, const uint32_t *part, size_t n);

#endif
