/* joint.h -- The joint k-means of one tree node at a party: kCAGC, Protocol 2 after line 6. A party
 * has its part of each centre. The coordinator has the assignments, which it derives from secure
 * sums of squared distances (protocols/kcagc/coordinator/joint.h).
 *
 * Errors: those of secure sums and channels; peer_fault() on invalid messages. */
#ifndef PROTOCOLS_KCAGC_PARTY_JOINT_H
#define PROTOCOLS_KCAGC_PARTY_JOINT_H

#include "common/kind/tree.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/work.h"

#include <stdbool.h>

/* State of R restarts. Each restart has its own centres. */
struct joint {
	const struct tree_node *node;
	const struct points *Y; /* m x d items */
	const double *weight;   /* m; NULL: all weights are 1 */
	unsigned K, R, Q;       /* numbers of clusters and of starts; maximum of Lloyd steps */
	/* The iteration after which only some restarts continue; 0: all continue. */
	unsigned screen;
	struct mat *mu;     /* R centre matrices, K x d */
	struct mat *before; /* R: the centres that the last assignment used */
	uint32_t *label;    /* R x m */
	bool *moving;       /* R */
};

void party_joint_release(struct joint *j); /* frees mu, before, label, moving */

/* Lines 11-13 and 26-28: adds this party's squared distances to the secure sum, K for each item and
 * moving restart. */
enum err party_joint_send_distances(struct work *work, const struct joint *j) MUST_CHECK;

/* Lines 15-21 and 30-36: receives the assignments, of which the first (t = 0) leaves items out, and
 * updates this party's part of the centres. If no item of a restart moved after t = 0, the restart
 * has ended; both sides see this. *moved: number of items that moved, over all restarts; 0 at t =
 * 0. */
enum err party_joint_update_centres(struct work *work, struct joint *j, unsigned t,
				    size_t *moved) MUST_CHECK;

/* exchange "gram": sends the inner products of this party's virtual nodes, as the lower triangle by
 * rows. Sends `within` (m, one number for each cell) too, unless it is NULL. The coordinator does
 * the rest of this k-means. */
enum err party_joint_send_products(struct work *work, const struct joint *j,
				   const double *within) MUST_CHECK;

/* Runs from the starts to the end. best: m, the assignment of the winning restart. If there are no
 * more items than clusters, every item is its own cluster, and nothing is computed. */
enum err party_joint_kmeans(struct work *work, struct joint *j, uint32_t *best) MUST_CHECK;

/* Sets *last to the centres from which the winner's assignment `best` (m) was made; any restart
 * with that assignment has these centres. If this party has computed no centres (gram, or no more
 * items than clusters), sets *last to the means of `best`. */
enum err party_joint_keep_centres(const struct joint *j, const uint32_t *best,
				  struct mat *last) MUST_CHECK;

#endif
