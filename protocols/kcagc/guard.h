/* guard.h -- chooses between the clusters of a joint embedding's plain rows and those of its scaled
 * rows, each divided by the square root of its length. Long rows dominate the clusters if features
 * are few and sparse, or if some nodes have hundreds of neighbours and others only one. The
 * modularity on the graph decides, because k-means did not use it. The coordinator broadcasts both
 * clusterings, and the parties sum the modularity of each. Used by landmark projection and GCC. */
#ifndef PROTOCOLS_KCAGC_GUARD_H
#define PROTOCOLS_KCAGC_GUARD_H

#include "protocols/kcagc/sums.h"

/* Scaled rows win if their modularity is higher by more than this. */
static const double GUARD_MARGIN = 0.02;

struct guard {
	unsigned order; /* filter order of K (sums.h) */
	bool means;     /* the sum of the modularities has n k more numbers, those of Q below */
	/* if set, scaled rows are tried but never taken, because classes are not communities */
	bool never;
	double margin;
	struct sums_clusters how; /* k is already chosen, so k_from is 0 */
	/* Output: */
	/* The scaled rows' clusters were taken. */
	bool scaled;
	double inertia;
	/* Modularity of the clusters that were taken, as the mean over the parties' graphs. */
	double modularity;
	struct mat rows; /* the scaled rows, n x Z.cols; the caller releases it */
	/* The sums of sums_means() (n x k) for the plain rows' clusters, if these are taken and
	 * `means` is set; otherwise empty. The caller releases it. */
	struct mat Q;
};

/* Chooses the clusters. label (n) and g->inertia: on entry the clusters of Z (n x at most k) and
 * their inertia; on return those that were taken. Runs one k-means of the scaled rows (g->how).
 * Broadcasts 2 n labels and takes one sum of 2 numbers, or of 2 + n k with `means`. Returns errors
 * of the sums; `rows` is then filled, but Q is not. */
enum err guard_clusters(struct parties *parties, struct guard *g, const struct mat *Z,
			uint32_t *label) MUST_CHECK;

#endif
