/* walk.h -- FedWalk, Algorithm 1: the two-hop neighbour predictor (lines 21 to 25), one turn of a walk
 * at the device it has come to, and how many messages a walk takes.
 *
 * A walk is (left, at): tokens still to be written, and the vertex whose device writes them. It begins
 * as (l, start); the first token is a neighbour of the start. Whoever holds vertex `at` takes the
 * turn. Walks advance together: one turn each in a superstep, at most l of them.
 *
 * On BlogCatalog (l = 40, gamma = 80, eps = 2, 9 bins, l1; micro/macro F1 at a training ratio of .6,
 * five splits) DeepWalk reaches .412/.276, p = 0 .411/.276, and p = .2 on three seeds .395/.259,
 * .400/.263 and .403/.263.
 */
#ifndef COMMON_FEDWALK_WALK_H
#define COMMON_FEDWALK_WALK_H

#include "common/fedwalk/tree.h"
#include "common/privacy/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From which u' is drawn for each u: member[start[u]] .. member[start[u+1] - 1]; may be empty. Guessed
 * from the dictionary and the tree, which are public: every party makes the same pools of them. */
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

struct fedwalk_turn {
	unsigned tokens;   /* 1 or 2 written now */
	uint32_t token[2]; /* true vertices; what is written is fedwalk_encode() of each */
	unsigned left;     /* tokens still to be written; 0: the walk is over, nothing is sent on */
	uint32_t next;     /* if left > 0: the vertex the walk goes to: one message, device to device */
};

/* One turn (lines 13 to 35) at a vertex with these neighbours (degree > 0) and left > 0 tokens to
 * write: a random neighbour u; if more than two are left, with probability p also a u' of u's pool,
 * to which the walk then goes (line 27 of the paper says that u is encoded again; it is u'). A pool
 * that is empty is as if the predictor had not been asked. O(1). */
void fedwalk_take_turn(const uint32_t *neighbour, size_t degree, const struct fedwalk_pools *pools,
		       double p, unsigned left, struct draw *d, struct fedwalk_turn *turn);

/* Expected messages from device to device of a walk of length l >= 1, the predictor being asked with
 * probability p and never without an answer:
 *   E_l = (l-1)/(1+p) + p (1 - (-p)^(l-1)) / (1+p)^2,
 * which solves E_l = 1 + p E_(l-2) + (1-p) E_(l-1), E_1 = 0, E_2 = 1 (equation 19). */
double fedwalk_messages(unsigned l, double p);

#endif
