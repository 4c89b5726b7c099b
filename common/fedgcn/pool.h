/* pool.h -- parties in memory as a pool: for tests, and for what a run is compared with. */
#ifndef COMMON_FEDGCN_POOL_H
#define COMMON_FEDGCN_POOL_H

#include "common/fedgcn/coordinator.h"

struct fedgcn_memory {
	struct fedgcn_party *party; /* borrowed; all have the same parameters */
	size_t parties;
	unsigned fraction_bits; /* of the fixed point that terms are summed in, as a job's */
};

/* memory must outlive the pool. */
void fedgcn_in_memory(struct fedgcn_pool *pool, struct fedgcn_memory *memory);

#endif
