/* joint.h -- Joint weighted k-means on secure sums of squared distances: kCAGC Protocol 2 after
 * line 6. The restarts share each message, and the groups of a tree level run in lock step.
 *
 * The coordinator never sees a point or a centre. It has the items' weights, the assignments that
 * it made itself, and the summed distances. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_JOINT_H
#define PROTOCOLS_KCAGC_COORDINATOR_JOINT_H

#include "common/kind/tree.h"
#include "common/linalg/mat.h"
#include "server/run/run.h"

#include <stdbool.h>

/* k-means of one tree node. */
struct joint {
	const struct tree_node *node;
	uint64_t *round;      /* next secure-sum round of the node */
	size_t m;             /* items: cells, or nodes */
	unsigned K, R, Q;     /* clusters, starts, maximum of Lloyd steps */
	unsigned keep;        /* restarts of least inertia that continue after iteration `screen` */
	unsigned screen;      /* 0: all continue */
	const double *weight; /* m; NULL: all one */
	/* With gram: m entries, which receive the mean squared distance of each cell's nodes to the
	 * cell's mean. NULL: not requested */
	double *within;
	size_t merged;   /* number of cells merged because they were too small, for the record */
	uint32_t *label; /* R x m: the starts, then the current assignments; K: none */
	bool *running;   /* R: not screened out */
	uint32_t *best;  /* m: final assignment of the best restart */
	/* maintained by joint_kmeans() */
	bool *moving;    /* R: running, and the last iteration changed an assignment */
	bool *used;      /* R x K: the start assigned the cluster an item, so its centre exists */
	double *inertia; /* R: sum of weight x least distance, of the last sum */
	double *silhouette; /* R: for each finished restart, kmeans_silhouette() of its last sum */
	/* R x m, or NULL: kmeans_margins() of the same sums; at the end row 0 belongs to the best
	 * restart */
	double *margin;
	double *objective; /* Q x R: inertia at each iteration, for the record */
	void *acc;         /* active x m x K words */
	unsigned iterations;
};

/* Fills label with K (none) and best with 0. The group is trivial if m <= K: every item is its own
 * cluster, and nothing is computed. */
void joint_init(struct joint *j, const struct tree_node *node, uint64_t *round, size_t m,
		unsigned K, unsigned R, unsigned Q, const double *weight);
bool joint_is_trivial(const struct joint *j);
void joint_release(struct joint *j);

/* Runs all groups of one level to the end. The members of each group must have its cells and,
 * unless it is trivial, its starts. Rounds: 1 (the 1/9 step) + at most Q, for all groups together.
 * Afterwards best holds the assignment of the restart of least inertia, the first on ties; the
 * members have received it. */
enum err joint_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

/* exchange "gram": the same result from one secure sum per group. The sum has the m (m + 1) / 2
 * inner products of the group's virtual nodes. The coordinator derives from them the squared
 * distance of an item to any weighted mean of items. Seeding, restarts and Lloyd steps thus need no
 * party: a level takes one round instead of 1 + Q. The sum discloses the distance of every two
 * virtual nodes to the coordinator, so a job must ask for it. The same starts give the same labels,
 * except for rounding. A group takes O(R m^2) time, plus O(m) for each move of an item, and 8 (m^2
 * + 2 R K m) bytes. ERR_JOB if a group has more than GRAM_ITEMS_MAX items. */
enum { GRAM_ITEMS_MAX = 1 << 14 }; /* a triangle of 1 GiB, a matrix of 2 */
enum err gram_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

/* First step of gram_kmeans(), for a group that is not trivial: initialises the products G (m x m)
 * from the secure sum. With `within` the sum has m more words, the mean squared distances of the
 * cells' nodes to their means. */
enum err gram_sum(struct run *run, struct joint *j, struct mat *G) MUST_CHECK;
/* Second step: Lloyd's steps from j's starts, without messages. */
void gram_lloyd(struct run *run, struct joint *j, const struct mat *G);
/* Starts all restarts; completes a trivial group. */
void joint_begin(struct joint *j);
/* Returns the restart of least inertia, the first on ties; 0 for a trivial group. */
unsigned joint_winner(const struct joint *j);
/* Sets best, records the sum, and sends CLUSTERS to the members. */
enum err joint_finish(struct run *run, struct joint *j) MUST_CHECK;

#endif
