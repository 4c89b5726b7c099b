/* joint.h -- the joint k-means of one tree node at a party: kCAGC Protocol 2 after line 6. A party has its part of each
 * centre, the coordinator (protocols/kcagc/coordinator/joint.h) the assignments; between them are secure sums of squared distances.
 *
 * Errors are those of secure sums and channels; peer_fault() where what was told cannot be. */
#ifndef PROTOCOLS_KCAGC_PARTY_JOINT_H
#define PROTOCOLS_KCAGC_PARTY_JOINT_H

#include "common/kind/tree.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/work.h"

#include <stdbool.h>

/* R restarts, each with its own centres. */
struct joint {
	const struct tree_node *node;
	const struct points *Y; /* m x d items */
	const double *weight;   /* m, or NULL: all one */
	unsigned K, R, Q;       /* clusters, starts, Lloyd steps at most */
	unsigned screen;        /* the iteration after which only some restarts go on; 0: all do */
	struct mat *mu;         /* R centre matrices, K x d */
	struct mat *before;     /* the same: what the last assignment was made by */
	uint32_t *label;        /* R x m */
	bool *moving;           /* R */
};

void party_joint_release(struct joint *j); /* mu, before, label, moving */

/* Lines 11-13 and 26-28: this party's squared distances, into the secure sum: K for each item and moving restart. */
enum err party_joint_send_distances(struct work *work, const struct joint *j) MUST_CHECK;

/* Lines 15-21 and 30-36: the assignments come back (t = 0: the 1/9 step's, which leave items out); each party
 * updates its part of the centres. A restart in which nothing moved is over, which both sides see. */
enum err party_joint_update_centres(struct work *work, struct joint *j, unsigned t, size_t *moved) MUST_CHECK;

/* exchange "gram": the inner products of this party's virtual nodes, the lower triangle by rows;
 * and m numbers of the cells, if given. All the rest of this k-means is the coordinator's. */
enum err party_joint_send_products(struct work *work, const struct joint *j, const double *within) MUST_CHECK;

/* From the starts to the end. best: m, the assignment of the restart that won. With no more items than
 * clusters every item is its own, and there is nothing to compute. */
enum err party_joint_kmeans(struct work *work, struct joint *j, uint32_t *best) MUST_CHECK;

/* The centres that made the winner's assignment `best` (m): of whichever restart has it. Where none
 * was computed here (gram; no more items than clusters) the means of what it made. */
enum err party_joint_keep_centres(const struct joint *j, const uint32_t *best, struct mat *last) MUST_CHECK;

#endif
