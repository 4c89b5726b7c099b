/* joint.h -- Joint weighted k-means on secure sums of squared distances: kCAGC Protocol 2 after
 * line 6. The restarts share each message, and the groups of a tree level run in lock step.
 *
 * The coordinator sees no point and no centre. It has only the items' weights, the assignments that
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
	uint64_t *round;  /* number of the node's next secure sum */
	size_t m;         /* number of items: cells, or nodes */
	unsigned K, R, Q; /* numbers of clusters and of starts; maximum of Lloyd steps */
	/* Number of restarts that continue after iteration `screen`. They are the restarts of least
	 * inertia. */
	unsigned keep;
	unsigned screen;      /* 0: all restarts continue */
	const double *weight; /* m; NULL: all weights are 1 */
	/* For exchange "gram" (gram_sum()): m entries, which receive the mean squared distance of
	 * each cell's nodes to the cell's mean. NULL: the sum does not contain these numbers. */
	double *within;
	size_t merged; /* number of cells merged because they were too small, for the record */
	/* R x m: the starts, then the current assignments; K: the item has no cluster */
	uint32_t *label;
	bool *running;  /* R: the restart was not stopped at `screen` */
	uint32_t *best; /* m: final assignment of the best restart */
	/* The next members are maintained by joint_kmeans() and, for gram, by gram_lloyd(): */
	/* R: the restart is running, and its last iteration changed an assignment. */
	bool *moving;
	bool *used;      /* R x K: the start assigned the cluster an item, so its centre exists */
	double *inertia; /* R: sum of weight x least distance, in the last iteration */
	/* R: for each restart that has ended, kmeans_silhouette() of its last distances. */
	double *silhouette;
	/* R x m, or NULL: kmeans_margins() of the last sums. At the end row 0 belongs to the best
	 * restart. */
	double *margin;
	double *objective; /* Q x R: inertia at each iteration, for the record */
	/* memory for the sum: m x K words for each moving restart; for gram, the words of
	 * gram_sum() */
	void *acc;
	unsigned iterations;
};

/* Prepares the k-means of a group. Fills label with K (none) and best with 0. If m <= K, the group
 * is trivial: every item is its own cluster, and nothing is computed. */
void joint_init(struct joint *j, const struct tree_node *node, uint64_t *round, size_t m,
		unsigned K, unsigned R, unsigned Q, const double *weight);
bool joint_is_trivial(const struct joint *j);
void joint_release(struct joint *j);

/* Runs all groups of one level to the end. The members of each group must have its cells and,
 * unless it is trivial, its starts. Takes one round for the first assignment, which leaves items
 * out (kmeans_assign_ninth()), and at most Q more, for all groups together. Afterwards `best` is
 * the assignment of the restart of least inertia (of equal restarts, the first). The members have
 * received it. */
enum err joint_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

/* For exchange "gram": computes the same result from one secure sum per group. The sum has the m (m
 * + 1) / 2 inner products of the group's virtual nodes. The coordinator derives from them the
 * squared distance of an item to any weighted mean of items. Seeding, restarts and Lloyd steps thus
 * need no party: a level takes one round instead of 1 + Q. The sum discloses the distance of every
 * two virtual nodes to the coordinator, so a job must ask for it. The same starts give the same
 * labels, except for rounding. A group takes O(R m^2) time, plus O(m) for each move of an item, and
 * 8 (m^2 + 2 R K m) bytes. ERR_JOB: a group has more than GRAM_ITEMS_MAX items. */
enum { GRAM_ITEMS_MAX = 1 << 14 }; /* G then takes 2 GiB, and its triangle 1 GiB */
enum err gram_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

/* First step of gram_kmeans(), for a group that is not trivial: initialises the inner products G (m
 * x m) from the secure sum. With `within` the sum has m more words, the mean squared distances of
 * the cells' nodes to their means. */
enum err gram_sum(struct run *run, struct joint *j, struct mat *G) MUST_CHECK;
/* Second step: Lloyd's steps from j's starts, without messages. */
void gram_lloyd(struct run *run, struct joint *j, const struct mat *G);
/* Marks all restarts as running; completes a trivial group. */
void joint_begin(struct joint *j);
/* Returns the restart of least inertia, of equal ones the first; 0 for a trivial group. */
unsigned joint_winner(const struct joint *j);
/* Sets best, records the sum, and sends CLUSTERS to the members. */
enum err joint_finish(struct run *run, struct joint *j) MUST_CHECK;

#endif
