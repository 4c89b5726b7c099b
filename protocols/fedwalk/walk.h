/* walk.h -- FedWalk, Algorithm 1: the two-hop neighbour predictor (lines 21 to 25), one turn of a
 * walk at a device, and the number of messages of a walk.
 *
 * A walk is (left, at): the tokens still to be written, and the vertex that writes them. It begins
 * as (l, start); the first token is a neighbour of the start. The party that holds vertex `at`
 * takes the turn. Walks advance together: one turn each in a superstep, at most l supersteps.
 *
 * On BlogCatalog (l = 40, gamma = 80, eps = 2, 9 bins, l1; micro/macro F1 at a training ratio of
 * .6, five splits) DeepWalk reaches .412/.276. FedWalk reaches .411/.276 with p = 0, and .395/.259,
 * .400/.263 and .403/.263 with p = .2 and three seeds. */
#ifndef PROTOCOLS_FEDWALK_WALK_H
#define PROTOCOLS_FEDWALK_WALK_H

#include "protocols/fedwalk/tree.h"
#include "common/privacy/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pools of candidates u'. The pool of u is member[start[u]] .. member[start[u+1] - 1], and may be
 * empty. Pools derive from the public dictionary and tree, so every party makes the same ones. */
struct fedwalk_pools {
	size_t n;
	size_t *start;    /* n + 1 */
	uint32_t *member; /* start[n] entries, about the sum of all degrees */
};

/* Makes the pools. The pool of u contains, for each bin j, the round(max(0, c_u[j])) vertices
 * nearest to u in the tree. The search climbs from leaf u. At each sibling it takes all leaves in
 * that bin or, if fewer are missing, that many at random. A pool contains neither u nor vertices
 * with left_out[v] (isolated ones; left_out may be NULL). Pools depend on the seed, but not on the
 * number of threads. O(pools + n depth k). */
void fedwalk_pools_init(struct fedwalk_pools *p, const struct fedwalk_tree *t, const float *c,
			const uint8_t *bin, unsigned k, const bool *left_out, uint64_t seed,
			unsigned threads);
/* Returns an upper bound of the number of members of all pools; each member takes 4 bytes. Used to
 * check a received dictionary before any pool is made. NaN counts as 0, and a number above n counts
 * as n. */
double fedwalk_pools_members(const float *c, size_t n, unsigned k);
void fedwalk_pools_release(struct fedwalk_pools *p);

struct fedwalk_turn {
	unsigned tokens;   /* number of tokens written now: 1 or 2 */
	uint32_t token[2]; /* true vertices; the device writes fedwalk_encode() of each */
	unsigned left;     /* number of tokens still to be written; 0: the walk ends here */
	uint32_t next;     /* if left > 0: the next vertex; one message is sent to its device */
};

/* Takes one turn (lines 13 to 35) at a vertex with degree > 0 neighbours, with left > 0 tokens to
 * write. Draws a random neighbour u. If more than two tokens are left, it also draws with
 * probability p a u' from the pool of u, and the walk goes to u'. Line 27 of the paper encodes u
 * again; here the device encodes u'. If the pool is empty, it draws no u'. O(1). */
void fedwalk_take_turn(const uint32_t *neighbour, size_t degree, const struct fedwalk_pools *pools,
		       double p, unsigned left, struct draw *d, struct fedwalk_turn *turn);

/* Returns the expected number of messages from device to device for a walk of length l >= 1. The
 * predictor is asked with probability p and always answers.
 *
 *   E_l = (l-1)/(1+p) + p (1 - (-p)^(l-1)) / (1+p)^2
 *
 * It solves E_l = 1 + p E_(l-2) + (1-p) E_(l-1), E_1 = 0, E_2 = 1 (equation 19). */
double fedwalk_messages(unsigned l, double p);

#endif
