/* guard.h -- chooses between the clusters of a joint embedding's plain rows and those of its scaled
 * rows, each divided by the square root of its length. Long rows dominate the clusters if features
 * are few and sparse, or if some nodes have hundreds of neighbours and others one. The graph
 * decides, because k-means did not use it: the coordinator broadcasts both clusterings, and the
 * parties sum the modularity of each. Used by landmark projection and GCC. */
#ifndef PROTOCOLS_KCAGC_GUARD_H
#define PROTOCOLS_KCAGC_GUARD_H

#include "protocols/kcagc/sums.h"

/* Scaled rows win if their modularity is higher by more than this. */
static const double GUARD_MARGIN = 0.02;

struct guard {
	unsigned order; /* filter order p of the means */
	bool means;
	/* try scaled rows but never take them, because the classes are no communities */
	bool never;
	double margin;
	struct sums_clusters how; /* k already chosen, no range */
	/* Output: */
	bool scaled; /* scaled rows' clusters were taken; how.inertia is theirs */
	double inertia;
	double modularity; /* modularity of the clusters taken, mean over the parties' graphs */
	struct mat rows;   /* the scaled rows, n x Z.cols; the caller's to release */
	/* K G D^-1 (n x k) of the plain rows' clusters, if these are taken and `means` is set; else
	 * empty. The caller releases it */
	struct mat Q;
};

/* label (n): on entry the clusters of Z (n x at most k), of this inertia; on return the clusters
 * taken. Runs one k-means of the scaled rows (g->how). Broadcasts 2 n labels and takes one sum of 2
 * numbers, or of 2 + n k with `means`. Returns errors of the sums; then `rows` is filled but Q is
 * not. */
enum err guard_clusters(struct parties *parties, struct guard *g, const struct mat *Z,
			uint32_t *label) MUST_CHECK;

#endif
