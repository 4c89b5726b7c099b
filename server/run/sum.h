/* sum.h -- the coordinator's side of the secure sum: kCAGC Protocol 4 line 16.
 *
 * Masked words are added into one accumulator per group as their chunks arrive, from whichever
 * party is ready; no party's vector is ever held whole.
 */
#ifndef SERVER_RUN_SUM_H
#define SERVER_RUN_SUM_H

#include "common/kind/tree.h"
#include "crypto/tag.h"
#include "server/run/run.h"

/* One group's sum in a batch. */
struct sum {
	uint32_t group;     /* tree node */
	size_t first, last; /* members: parties [first, last) */
	uint64_t *round;    /* this group's next round; rises by one */
	size_t count;       /* words */
	void *acc;          /* count words, zeroed here */
	bool wide;          /* run_fixed_wide, not the job's fixed point */
	bool told;          /* wide; broadcast to all members, who verify it: party/work/secure.h */
};

/* Receives one masked vector from each member of each group and adds them up; groups are disjoint.
 * Behind each vector comes a word to which every member has added 1, the canary: if their sum is not
 * the number of members, the masks have not cancelled. ERR_PEER: that, naming group, round and
 * members; or a chunk that is not the one due, naming the party. */
enum err secure_sums(struct run *run, struct sum *sums, size_t groups) MUST_CHECK;

/* Adds the tag of a member's MASKED to acc, mod p. last: the chunk ends its vector. ERR_PEER, naming the
 * party: a tag where none is due, none where one is, or one that is no number mod p. */
enum err sum_take_tag(struct channel *channel, const struct sum *s, const struct msg_masked *m,
		      bool last, uint8_t acc[static TAG_LEN]) MUST_CHECK;

/* One sum over the members of `node`, as real numbers: count of them. *round rises. */
enum err secure_sum_reals(struct run *run, const struct tree_node *node, uint64_t *round,
			  double *sum, size_t count) MUST_CHECK;
/* The same in wide fixed point, for numbers whose size the job does not know. */
enum err secure_sum_wide(struct run *run, const struct tree_node *node, uint64_t *round,
			 double *sum, size_t count) MUST_CHECK;

/* One sum modulo 2^64 of words that are no numbers in fixed point. */
enum err secure_sum_words(struct run *run, const struct tree_node *node, uint64_t *round,
			  uint64_t *sum, size_t count) MUST_CHECK;

/* The same as secure_sum_wide, broadcast with its tag to all members, SUM, who verify it. */
enum err secure_sum_told(struct run *run, const struct tree_node *node, uint64_t *round,
			 double *sum, size_t count) MUST_CHECK;

#endif
