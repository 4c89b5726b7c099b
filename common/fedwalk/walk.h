/* walk.h -- FedWalk, Algorithm 1: one turn of a walk at the device it has come to, and how
 * many messages a walk takes.
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

#include "common/privacy/draw.h"
#include "common/fedwalk/predict.h"

#include <stddef.h>
#include <stdint.h>

struct fedwalk_turn {
	unsigned tokens;   /* 1 or 2 written now */
	uint32_t token[2]; /* true vertices; what is written is fedwalk_encode() of each */
	unsigned left;     /* tokens still to be written; 0: the walk is over, nothing is sent on */
	uint32_t next;     /* if left > 0: the vertex the walk goes to: one message, device to device */
};

/* One turn (lines 13 to 35) at a vertex with these neighbours (degree > 0) and left > 0 tokens to
 * write: a random neighbour u; if more than two are left, with probability p also a u' of u's pool,
 * to which the walk then goes (line 27 of the paper says that u is encoded again; it is u'). A pool
 * that is empty is as if the predictor had not been asked. weight: cumulative weights of the
 * neighbours (rising, degree of them), or NULL: all alike. O(1), with weights O(log degree). */
void fedwalk_take_turn(const uint32_t *neighbour, const double *weight, size_t degree,
		       const struct fedwalk_pools *pools, double p, unsigned left, struct draw *d,
		       struct fedwalk_turn *turn);

/* Expected messages from device to device of a walk of length l >= 1, the predictor being asked with
 * probability p and never without an answer:
 *   E_l = (l-1)/(1+p) + p (1 - (-p)^(l-1)) / (1+p)^2,
 * which solves E_l = 1 + p E_(l-2) + (1-p) E_(l-1), E_1 = 0, E_2 = 1 (equation 19). */
double fedwalk_messages(unsigned l, double p);
/* What equation 13 of the paper says instead, which does not solve that recurrence. */
double fedwalk_messages_paper(unsigned l, double p);

#endif
