/* sum.h -- the coordinator side of the secure sum: kCAGC Protocol 4 line 16.
 *
 * The coordinator adds masked words to one accumulator per group as chunks arrive, from any party
 * that is ready. It never holds a party's whole vector. */
#ifndef SERVER_RUN_SUM_H
#define SERVER_RUN_SUM_H

#include "common/kind/tree.h"
#include "crypto/tag.h"
#include "server/run/run.h"

struct sum {
	uint32_t group;     /* id of the tree node */
	size_t first, last; /* the members are parties [first, last) */
	uint64_t *round;    /* number of this group's next round; incremented */
	size_t count;       /* number of words */
	void *acc;          /* sum of the words; `count` words, which secure_sums() zeroes */
	bool wide;          /* uses run_fixed_wide() instead of the job's fixed point */
	/* The sum is wide, and is broadcast to all members, which verify it
	 * (party/work/secure.h). */
	bool opened;
};

/* Receives one masked vector from each member of each group and adds them up; groups are disjoint.
 * A canary word follows each vector, and every member adds 1 to it. If the sum of the canaries is
 * not the number of members, the masks do not cancel. ERR_PEER: the masks do not cancel (with
 * group, round and members), or a chunk is unexpected (with the party's name). */
enum err secure_sums(struct run *run, struct sum *sums, size_t groups) MUST_CHECK;

/* Receives one sum over the members of `node`, as `count` real numbers. Increments *round. */
enum err secure_sum_reals(struct run *run, const struct tree_node *node, uint64_t *round,
			  double *sum, size_t count) MUST_CHECK;
/* As secure_sum_reals(), but in wide fixed point, for numbers that the job does not bound. */
enum err secure_sum_wide(struct run *run, const struct tree_node *node, uint64_t *round,
			 double *sum, size_t count) MUST_CHECK;

/* Receives one sum of raw words, modulo 2^64. */
enum err secure_sum_words(struct run *run, const struct tree_node *node, uint64_t *round,
			  uint64_t *sum, size_t count) MUST_CHECK;

/* As secure_sum_wide(), but broadcasts the sum as SUM, with its tag, to all members, which verify
 * it. */
enum err secure_sum_opened(struct run *run, const struct tree_node *node, uint64_t *round,
			   double *sum, size_t count) MUST_CHECK;

#endif
