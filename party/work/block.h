/* block.h -- a BLOCK that is to be multiplied: what a party takes of it. */
#ifndef PARTY_WORK_BLOCK_H
#define PARTY_WORK_BLOCK_H

#include "common/linalg/mat.h"
#include "party/work/work.h"

/* Numbers come as floats: off by 2^-24 of themselves, and what is made of them by a few times as
 * much. */
#define BLOCK_ROUNDING 1e-6

/* Fills B, which is initialised: n x width with B'B = n I. ERR_PEER if it is anything else, which
 * might weigh single rows as it likes, or leave the bound of the words. O(n width^2). */
enum err block_recv(struct work *work, const struct tree_node *node, struct mat *B) MUST_CHECK;

#endif
