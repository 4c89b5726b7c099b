/* joint.h -- joint weighted k-means on secure sums of squared distances: kCAGC Protocol 2 after
 * line 6, with the restarts batched into each message and the groups of a tree level in lock step.
 *
 * The coordinator never sees a point or a centre: it knows the items' weights, the assignments it
 * made itself, and the summed distances.
 */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_JOINT_H
#define PROTOCOLS_KCAGC_COORDINATOR_JOINT_H

#include "common/kind/tree.h"
#include "common/linalg/mat.h"
#include "server/run/run.h"

#include <stdbool.h>

/* The k-means of one tree node. */
struct joint {
	const struct tree_node *node;
	uint64_t *round;  /* the node's next secure-sum round */
	size_t m;         /* items: cells, or nodes */
	unsigned K, R, Q; /* clusters to make, starts, Lloyd steps at most */
	unsigned keep;         /* of R starts so many go on after iteration `screen`, those of least inertia */
	unsigned screen;      /* 0: all go on */
	const double *weight; /* m, or NULL: all one */
	double *within;       /* gram: m, becomes how far each cell's nodes lie from its mean; NULL: not asked */
	size_t merged;        /* cells that were too small to stand alone, for the record */
	uint32_t *label;      /* R x m: the starts, then the current assignments; K means none */
	bool *running;        /* R: not screened out */
	uint32_t *best;       /* m: the best restart's assignment, filled at the end */
	/* kept by joint_kmeans */
	bool *moving;    /* R: running, and an assignment changed in the last iteration */
	bool *used;      /* R x K: the cluster had an item at the start, so its centre exists */
	double *inertia; /* R: sum of weight x least distance, of the last sum */
	double *silhouette; /* R: kmeans_silhouette() of the last sum of each that came to its end */
	double *margin; /* R x m, or NULL: kmeans_margins() as silhouette; at the end row 0 is the best's */
	double *objective; /* Q x R: the inertia at each iteration, for the record */
	void *acc;       /* active x m x K words */
	unsigned iterations;
};

/* label all K (none), best zero. With no more items than clusters (m <= K) there is nothing to
 * compute: every item is its own cluster. */
void joint_init(struct joint *j, const struct tree_node *node, uint64_t *round, size_t m,
		unsigned K, unsigned R, unsigned Q, const double *weight);
bool joint_is_trivial(const struct joint *j);
void joint_release(struct joint *j);

/* Runs all groups of one level to the end. Each group's members have been sent its cells and,
 * unless it is trivial, its starts. Rounds: 1 (the 1/9 step) + at most Q, for all groups together.
 * Afterwards best holds the assignment of the restart of least inertia (the first on ties), and the
 * members have been sent it. */
enum err joint_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

/* exchange "gram": the same from one secure sum for each group of the m (m + 1) / 2 inner products of
 * its virtual nodes. Squared distances to any weighted mean of items follow from those, so seeding,
 * restarts and Lloyd need no party: one round for a level in place of 1 + Q. It shows the coordinator
 * every distance of two virtual nodes, which is why a job must ask for it. The same labels from the
 * same starts but for rounding. For a group O(R m^2), and O(m) for each item that moves in an
 * iteration; 8 (m^2 + 2 R K m) bytes. ERR_JOB if a group has more than GRAM_ITEMS_MAX items. */
enum { GRAM_ITEMS_MAX = 1 << 14 }; /* a triangle of 1 GiB, a matrix of 2 */
enum err gram_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

/* Its steps, for a group that is not trivial. The products G (m x m, initialised here), by the secure sum, which has
 * m words more with `within`, the mean squared distance of a cell's nodes to their mean: */
enum err gram_sum(struct run *run, struct joint *j, struct mat *G) MUST_CHECK;
/* Lloyd's steps from j's starts, with no message. */
void gram_lloyd(struct run *run, struct joint *j, const struct mat *G);
/* All restarts move, a trivial group is done. */
void joint_begin(struct joint *j);
/* The restart of least inertia, the first on ties; 0 of a trivial group. */
unsigned joint_winner(const struct joint *j);
/* best, the record of the sum, and CLUSTERS to the members. */
enum err joint_finish(struct run *run, struct joint *j) MUST_CHECK;

#endif
