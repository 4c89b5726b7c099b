/* joint.h -- joint weighted k-means on secure sums of squared distances: kCAGC Protocol 2 after
 * line 6, with the restarts batched into each message and the groups of a tree level in lock step.
 *
 * The coordinator never sees a point or a centre: it knows the items' weights, the assignments it
 * made itself, and the summed distances.
 */
#ifndef SERVER_KCAGC_JOINT_H
#define SERVER_KCAGC_JOINT_H

#include "common/kind/tree.h"
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
	size_t merged;        /* cells that were too small to stand alone, for the record */
	uint32_t *label;      /* R x m: the starts, then the current assignments; K means none */
	bool *running;        /* R: not screened out */
	uint32_t *best;       /* m: the best restart's assignment, filled at the end */
	/* kept by joint_kmeans */
	bool *moving;    /* R: running, and an assignment changed in the last iteration */
	bool *used;      /* R x K: the cluster had an item at the start, so its centre exists */
	double *inertia; /* R: sum of weight x least distance, of the last sum */
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

/* ---- its steps, which gram.c takes without the parties ---- */

void joint_begin(struct joint *j); /* from the starts in label: which restarts move, which clusters exist */
size_t joint_active(const struct joint *j); /* restarts that move */
/* Lines 15 and 30 for restart r from its squared distances D (m x K, changed here): its next
 * labels. Returns how many items moved; the 1/9 step's do not count. */
size_t joint_assign(struct joint *j, unsigned r, bool ninth, double *D);
/* What follows iteration t: the record's objective; restarts stop after Q. True if now only
 * some may go on: joint_screen says which. */
bool joint_iterated(struct joint *j, unsigned t);
void joint_screen(struct joint *j, uint32_t *kept); /* kept: R, 1 or 0 */
/* best and the record are filled, and the members are told. */
enum err joint_finish(struct run *run, struct joint *j) MUST_CHECK;

#endif
