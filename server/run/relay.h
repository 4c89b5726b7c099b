/* relay.h -- what one party tells another alone, sealed: passed on, unread.
 *
 * Members of a group compare what they were told (party/work/told.c): behind the first sum of each phase,
 * and at the end of the job, each sends TOLD, a word for each other member, and gets back one: the exclusive or of those
 * that are for it. Memory: one word for each member.
 *
 * Batches: in an exchange each party sends each other one, in the order of the parties: boxes of RELAY_BOX
 * bytes and then one that is shorter (party/work/exchange.h). Nobody receives before all have sent, so
 * that nothing waits for itself: the coordinator holds what one exchange carries.
 */
#ifndef SERVER_RUN_RELAY_H
#define SERVER_RUN_RELAY_H

#include "server/run/run.h"

/* The next message of party `from` is SEALED of this kind to party `to`, who gets it as it is.
 * ERR_PEER: it is not. */
enum err relay_sealed(struct run *run, enum sealed what, size_t from, size_t to) MUST_CHECK;

/* A key that party 0 seals to each other (work_share_key). */
enum err relay_key(struct run *run, enum sealed what) MUST_CHECK;

/* 32 bytes that each party seals to each other; all are here before the first goes on. */
enum err relay_all(struct run *run, enum sealed what) MUST_CHECK;

/* After a sum of the group of parties [first, last): what its members were told, if this was the
 * phase's first. */
enum err relay_told(struct run *run, uint32_t group, size_t first, size_t last) MUST_CHECK;
/* After the last message: what all were told, which comes before DONE of each, and goes on when all have
 * said that. Released after errors, too. */
struct relayed_told {
	size_t first, last; /* parties [first, last) */
	uint8_t (*word)[MSG_TOLD_LEN]; /* for each; NULL: none is due */
};
enum err relay_take_last(struct run *run, struct relayed_told *told) MUST_CHECK;
enum err relay_give_last(struct run *run, const struct relayed_told *told) MUST_CHECK;
void relayed_told_release(struct relayed_told *told);

/* Totals of a job's exchanges over all parties: boxes and their bytes. */
struct batch_totals {
	uint64_t boxes, bytes;
};
/* One exchange of batches. ERR_PEER, naming the party: a box that is for another use, from or to
 * somebody else. *sum grows. */
enum err relay_batches(struct run *run, enum sealed what, struct batch_totals *sum) MUST_CHECK;

#endif
