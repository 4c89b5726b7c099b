/* relay.h -- relays sealed messages between parties, unread.
 *
 * Members of a group compare the values broadcast to them (party/work/broadcasts.c). After the
 * first sum of each phase, and at the end of the job, each sends TOLD, a word per other member, and
 * receives one: the exclusive or of the words for it. Memory: one word per member.
 *
 * Batches: in an exchange each party sends each other party one batch, in the order of the parties:
 * boxes of RELAY_BOX bytes, then a shorter one (party/work/exchange.h). The coordinator holds all
 * batches of an exchange and delivers none before all have arrived. So parties cannot deadlock. */
#ifndef SERVER_RUN_RELAY_H
#define SERVER_RUN_RELAY_H

#include "server/run/run.h"

/* Relays a key that party 0 seals to each other party (work_share_key). */
enum err relay_key(struct run *run, enum sealed what) MUST_CHECK;

/* Relays 32 bytes that each party seals to each other; receives all before sending the first. */
enum err relay_all(struct run *run, enum sealed what) MUST_CHECK;

/* After a sum of the group of parties [first, last), compares the members' broadcast values, once
 * per phase. */
enum err relay_told(struct run *run, uint32_t group, size_t first, size_t last) MUST_CHECK;
/* Compares at the end of the job: relay_take_last() before each party's DONE, relay_give_last()
 * after all of them. Call the release after errors, too. */
struct relayed_told {
	size_t first, last;
	uint8_t (*word)[MSG_TOLD_LEN]; /* per party; NULL: no comparison */
};
enum err relay_take_last(struct run *run, struct relayed_told *told) MUST_CHECK;
enum err relay_give_last(struct run *run, const struct relayed_told *told) MUST_CHECK;
void relayed_told_release(struct relayed_told *told);

/* Totals of a job's exchanges over all parties: boxes and their bytes. */
struct batch_totals {
	uint64_t boxes, bytes;
};
/* Runs one exchange of batches and adds to *sum. ERR_PEER, with the party's name: a box of another
 * kind, sender or receiver. */
enum err relay_batches(struct run *run, enum sealed what, struct batch_totals *sum) MUST_CHECK;

#endif
