/* guard.h -- whether rows of a joint embedding are clustered as they are or with their lengths halfway to one: with
 * few sparse features, or with neighbours by the hundred at some nodes and one at others, long rows have the clusters to
 * themselves. The graph tells, which took no part in k-means: both clusterings go down, and the modularity of each
 * comes up. Landmark projection and GCC ask alike.
 */
#ifndef PROTOCOLS_KCAGC_GUARD_H
#define PROTOCOLS_KCAGC_GUARD_H

#include "protocols/kcagc/sums.h"

/* Modularity that scaled rows must win by. */
static const double GUARD_MARGIN = 0.02;

struct guard {
	unsigned order;     /* p of the means */
	bool means;         /* Q is wanted */
	bool never;         /* scaled rows are tried and not taken: classes are no communities */
	double margin;      /* GUARD_MARGIN */
	struct sums_clusters how; /* with k as it is by now, and no range */
	/* These are filled. */
	bool scaled;        /* their clusters were taken, and how.inertia is theirs */
	double inertia;     /* of what was taken */
	double modularity;  /* of what was taken, the mean over the parties' graphs */
	struct mat rows;    /* the scaled rows, n x Z.cols; the caller's to release */
	struct mat Q;       /* K G D^-1 (n x k) of the plain rows' clusters, if they stay and it was wanted, else empty;
	                       the caller's to release */
};

/* out (initialised here) = Z's rows over the square root of their length over the mean one, zero rows as they are. O(n k). */
void guard_scale(const struct mat *Z, struct mat *out);

/* label (n): the clusters of Z (n x at most k) as it is on entry, with inertia; on return those that are taken. One sum of 2
 * numbers, and n k more with `means`, after a broadcast of 2 n labels. A k-means of the scaled rows, as g->how has it.
 * Errors of the sums; `rows` is filled even then, Q not. */
enum err guard_clusters(struct parties *parties, struct guard *g, const struct mat *Z, uint32_t *label) MUST_CHECK;

#endif
