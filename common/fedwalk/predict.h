/* predict.h -- FedWalk, the two-hop neighbour predictor: for each vertex u the pool that u'
 * is drawn from, guessed from c_u and the tree alone (Algorithm 1, lines 21 to 25).
 *
 * Both are public, so every party makes the same pools from them and a seed.
 */
#ifndef COMMON_FEDWALK_PREDICT_H
#define COMMON_FEDWALK_PREDICT_H

#include "common/privacy/draw.h"
#include "common/fedwalk/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pool of u: member[start[u]] .. member[start[u+1] - 1]; may be empty. */
struct fedwalk_pools {
	size_t n;
	size_t *start;    /* n + 1 */
	uint32_t *member; /* start[n], about the sum of all degrees */
};

/* Of each bin j the round(max(0, c_u[j])) vertices that are nearest to u in the tree: climbing from
 * leaf u, all of a sibling's leaves in that bin, or as many as are missing, at random. u itself and
 * vertices with left_out[v] (may be NULL; isolated ones) are never in a pool. Deterministic for a
 * seed, any threads. O(pools + n depth k). */
void fedwalk_pools_init(struct fedwalk_pools *p, const struct fedwalk_tree *t, const float *c,
			const uint8_t *bin, unsigned k, const bool *left_out, uint64_t seed,
			unsigned threads);
/* At most so many members will all pools have, 4 bytes each: for a check of a dictionary that somebody
 * else has sent, before any pool is made. NaN counts as 0, more than n as n. */
double fedwalk_pools_members(const float *c, size_t n, unsigned k);
void fedwalk_pools_release(struct fedwalk_pools *p);

static inline size_t fedwalk_pool_size(const struct fedwalk_pools *p, uint32_t u)
{
	return p->start[u + 1] - p->start[u];
}

#endif
