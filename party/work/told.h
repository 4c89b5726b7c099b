/* told.h -- has everybody been told the same? Members of a group ask each other, in sealed messages.
 *
 *   behind the words of the first sum of each phase, and before DONE: to each other member
 *       SEALED, 32 bytes: SHA-256("coterie told v1", history of the two, transcript of the group)
 *   before the coordinator's next message: the same of each other member, which must be equal
 *
 * The coordinator passes them on (server/run/relay.h) and can neither read nor make them. They travel with
 * what is sent anyway: no round trip is added. docs/secure-sum.md says what this catches.
 */
#ifndef PARTY_WORK_TOLD_H
#define PARTY_WORK_TOLD_H

#include "common/base/err.h"
#include "common/kind/tree.h"
#include "crypto/secagg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work;

struct told {
	bool on;            /* told_begin() */
	bool apart;         /* what comes is for this party alone: in no transcript */
	bool heard;         /* the current group was told something */
	bool said;          /* in this phase */
	size_t first, last; /* the current group, [first, last); before any all parties: 0, 0 */
	size_t waiting;     /* members of whom no word has come */
	bool due[PARTIES_MAX];
	uint8_t expect[PARTIES_MAX][SECAGG_HASH_LEN];
};

/* From here on all that is received goes into the transcript, and others are asked. Keys are agreed. */
void told_begin(struct work *work);
void told_stop(struct work *work);

/* The current group is over: its transcript goes into the history of its members. */
void told_leave(struct work *work);

/* After a sum: tells the members, if this was the phase's first. */
enum err told_say(struct work *work) MUST_CHECK;
/* After the last message of the protocol: tells all parties. Until all have answered the same, no
 * other message is taken: ERR_PEER, naming who was told something else, or of whom no word came. */
enum err told_say_all(struct work *work) MUST_CHECK;

#endif
