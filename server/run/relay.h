/* relay.h -- relays sealed messages between parties; the coordinator cannot read them.
 *
 * Members of a group compare the values broadcast to them (party/work/broadcasts.c). They do this
 * after the first sum of each phase, and at the end of the job. Each member sends TOLD, with a word
 * (a keyed hash of these values, MSG_TOLD_LEN bytes) for each other member. It receives TOLD with
 * one word: the exclusive or of the words for it. Memory: one word per member.
 *
 * In an exchange, each party sends one batch to each other party, in the order of the parties. A
 * batch consists of boxes of RELAY_BOX bytes and a shorter last one (party/work/exchange.h). The
 * coordinator delivers no batch before all batches of the exchange have arrived, so that parties
 * cannot deadlock. */
#ifndef SERVER_RUN_RELAY_H
#define SERVER_RUN_RELAY_H

#include "server/run/run.h"

/* Relays a key from party 0, which has sealed it for each other party (work_share_key). */
enum err relay_key(struct run *run, enum sealed what) MUST_CHECK;

/* Relays 32 bytes from each party, sealed for each other party. Receives all boxes before it sends
 * the first. */
enum err relay_all(struct run *run, enum sealed what) MUST_CHECK;

/* Call after a sum of the group of parties [first, last). Relays TOLD, by which its members compare
 * the values broadcast to them, after the first sum of the phase only. Does nothing in a job of one
 * party. */
enum err relay_told(struct run *run, uint32_t group, size_t first, size_t last) MUST_CHECK;
/* State of the comparison at the end of the job. Call relay_take_last() before each party's
 * DONE, and relay_give_last() after all of them. Call relayed_told_release() after errors, too. */
struct relayed_told {
	size_t first, last;
	uint8_t (*word)[MSG_TOLD_LEN]; /* one word per party; NULL: no comparison */
};
enum err relay_take_last(struct run *run, struct relayed_told *told) MUST_CHECK;
enum err relay_give_last(struct run *run, const struct relayed_told *told) MUST_CHECK;
void relayed_told_release(struct relayed_told *told);

/* Totals of a job's exchanges over all parties: number of boxes, and their bytes. */
struct batch_totals {
	uint64_t boxes, bytes;
};
/* Runs one exchange of batches and adds to *sum. ERR_PEER, with the party's name: a box of another
 * kind, sender or receiver, or of more than RELAY_BOX bytes. */
enum err relay_batches(struct run *run, enum sealed what, struct batch_totals *sum) MUST_CHECK;

#endif
