/* walk.h -- FedWalk, Algorithm 1: the two-hop neighbour predictor (lines 21 to 25), one turn of a
 * walk at a device, and the number of messages of a walk.
 *
 * A walk is (left, at): the tokens still to be written, and the vertex that writes them. It begins
 * as (l, start); the first token is a neighbour of the start. The party that holds vertex `at`
 * takes the turn. Walks advance together: one turn each in a superstep, at most l supersteps.
 *
 * On BlogCatalog (l = 40, gamma = 80, eps = 2, 9 bins, l1; micro/macro F1 at a training ratio of
 * .6, five splits) DeepWalk reaches .412/.276, p = 0 .411/.276, and p = .2 on three seeds
 * .395/.259, .400/.263 and .403/.263. */
#ifndef PROTOCOLS_FEDWALK_WALK_H
#define PROTOCOLS_FEDWALK_WALK_H

#include "protocols/fedwalk/tree.h"
#include "common/privacy/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Candidates u' for each u: member[start[u]] .. member[start[u+1] - 1]; may be empty. Derived from
 * the public dictionary and tree, so every party makes the same pools. */
struct fedwalk_pools {
	size_t n;
	size_t *start;    /* n + 1 */
	uint32_t *member; /* start[n] entries, about the sum of all degrees */
};

/* The pool of u holds, of each bin j, the round(max(0, c_u[j])) vertices nearest to u in the tree.
 * Climbing from leaf u, it takes all of a sibling's leaves in that bin, or as many as are missing,
 * at random. A pool never contains u or vertices with left_out[v] (isolated ones; may be NULL).
 * Deterministic for a seed and any number of threads. O(pools + n depth k). */
void fedwalk_pools_init(struct fedwalk_pools *p, const struct fedwalk_tree *t, const float *c,
			const uint8_t *bin, unsigned k, const bool *left_out, uint64_t seed,
			unsigned threads);
/* Upper bound of the members of all pools, 4 bytes each. It checks a received dictionary before any
 * pool is made. NaN counts as 0, more than n as n. */
double fedwalk_pools_members(const float *c, size_t n, unsigned k);
void fedwalk_pools_release(struct fedwalk_pools *p);

struct fedwalk_turn {
	unsigned tokens;   /* 1 or 2 written now */
	uint32_t token[2]; /* true vertices; fedwalk_encode() of each is written */
	unsigned left;     /* tokens still to be written; 0: the walk ends here */
	uint32_t next;     /* if left > 0: the next vertex, one message from device to device */
};

/* One turn (lines 13 to 35) at a vertex with degree > 0 neighbours and left > 0 tokens to write.
 * Draws a random neighbour u. If more than two tokens are left, it also draws, with probability p,
 * a u' of u's pool, and the walk goes to u'. Line 27 of the paper encodes u again; here the device
 * encodes u'. With an empty pool it draws no u'. O(1). */
void fedwalk_take_turn(const uint32_t *neighbour, size_t degree, const struct fedwalk_pools *pools,
		       double p, unsigned left, struct draw *d, struct fedwalk_turn *turn);

/* Expected messages from device to device of a walk of length l >= 1. The predictor is asked with
 * probability p and always answers.
 *
 *   E_l = (l-1)/(1+p) + p (1 - (-p)^(l-1)) / (1+p)^2
 *
 * It solves E_l = 1 + p E_(l-2) + (1-p) E_(l-1), E_1 = 0, E_2 = 1 (equation 19). */
double fedwalk_messages(unsigned l, double p);

#endif
