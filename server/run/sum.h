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
	uint32_t group;     /* tree node */
	size_t first, last; /* members: parties [first, last) */
	uint64_t *round;    /* this group's next round; incremented */
	size_t count;       /* words */
	void *acc;          /* count words, zeroed here */
	bool wide;          /* run_fixed_wide, not the job's fixed point */
	bool opened; /* wide; broadcast to all members, which verify it: party/work/secure.h */
};

/* Receives one masked vector from each member of each group and adds them up; groups are disjoint.
 * A canary word follows each vector, and every member adds 1 to it. Another total than the number
 * of members proves that the masks do not cancel. ERR_PEER: that, with group, round and members; or
 * an unexpected chunk, with the party's name. */
enum err secure_sums(struct run *run, struct sum *sums, size_t groups) MUST_CHECK;

/* Receives one sum over the members of `node`, as `count` real numbers. Increments *round. */
enum err secure_sum_reals(struct run *run, const struct tree_node *node, uint64_t *round,
			  double *sum, size_t count) MUST_CHECK;
/* The same in wide fixed point, for numbers without a bound from the job. */
enum err secure_sum_wide(struct run *run, const struct tree_node *node, uint64_t *round,
			 double *sum, size_t count) MUST_CHECK;

/* Receives one sum modulo 2^64 of raw words. */
enum err secure_sum_words(struct run *run, const struct tree_node *node, uint64_t *round,
			  uint64_t *sum, size_t count) MUST_CHECK;

/* secure_sum_wide() whose sum is broadcast as SUM, with its tag, to all members, which verify
 * it. */
enum err secure_sum_opened(struct run *run, const struct tree_node *node, uint64_t *round,
			   double *sum, size_t count) MUST_CHECK;

#endif
