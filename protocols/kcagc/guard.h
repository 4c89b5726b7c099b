/* guard.h -- decides whether rows of a joint embedding are clustered as they are or scaled by the
 * square root of their length. Long rows dominate the clusters where features are few and sparse,
 * or where some nodes have hundreds of neighbours and others one. The graph decides, since k-means
 * did not use it: the coordinator broadcasts both clusterings and the parties sum the modularity of
 * each. Used by landmark projection and GCC. */
#ifndef PROTOCOLS_KCAGC_GUARD_H
#define PROTOCOLS_KCAGC_GUARD_H

#include "protocols/kcagc/sums.h"

/* Scaled rows win if their modularity is higher by more than this. */
static const double GUARD_MARGIN = 0.02;

struct guard {
	unsigned order; /* p, for the means */
	bool means;
	/* never take scaled rows, although they are tried: classes are no communities */
	bool never;
	double margin;
	struct sums_clusters how; /* k already chosen, no range */
	/* Output: */
	bool scaled; /* scaled rows' clusters were taken; how.inertia is theirs */
	double inertia;
	double modularity; /* of the clusters taken, mean over the parties' graphs */
	struct mat rows;   /* the scaled rows, n x Z.cols; the caller's to release */
	/* K G D^-1 (n x k) of the plain rows' clusters, if these stay and `means` is set; else
	 * empty. The caller releases it */
	struct mat Q;
};

/* label (n): clusters of Z (n x at most k) on entry, with inertia; on return those that are taken.
 * Broadcasts 2 n labels and takes one sum of 2 numbers, with `means` of n k more. Runs one k-means
 * of the scaled rows (g->how). Errors of the sums; `rows` is filled even then, Q is not. */
enum err guard_clusters(struct parties *parties, struct guard *g, const struct mat *Z,
			uint32_t *label) MUST_CHECK;

#endif
