/* pool.h -- the pool of fedspectral.h with parties in memory. */
#ifndef COMMON_FEDSPECTRAL_POOL_H
#define COMMON_FEDSPECTRAL_POOL_H

#include "common/fedspectral/coordinator.h"
#include "common/fedspectral/party.h"

struct fedspectral_memory {
	struct fedspectral_party *party; /* borrowed; exact makes them join */
	size_t parties;
	size_t n;
	unsigned iterations; /* fedspectral+: of a round */
	unsigned restarts;   /* fedspectral: of a party's k-means */
	uint64_t seed;
};

/* m must outlive the pool. Sums are taken in the order of the parties. */
void fedspectral_in_memory(struct fedspectral_pool *pool, struct fedspectral_memory *m);

#endif
