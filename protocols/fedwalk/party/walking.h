/* walking.h -- FedWalk, Algorithm 1: the walks that are at this party's devices.
 *
 * All walks advance together. In a superstep, each walk takes one turn: the device that holds the
 * walk writes one or two tokens. It then sends the walk to a device of this party or of another.
 * Walks to another party are sent in one batch. A walk in transit consists of the row of its next
 * device (4 bytes), its number of tokens (2 bytes), and the tokens, each in as many bytes as row
 * numbers need. All numbers are little-endian. */
#ifndef PROTOCOLS_FEDWALK_PARTY_WALKING_H
#define PROTOCOLS_FEDWALK_PARTY_WALKING_H

#include "protocols/fedwalk/encode.h"
#include "protocols/fedwalk/walk.h"
#include "protocols/fedwalk/party/vertices.h"

struct walking {
	struct work *work; /* borrowed, like all members below */
	const struct vertices *v;
	const struct fedwalk_encoder *encoder;
	const struct fedwalk_pools *pools;
	/* walks started here; messages from device to device, including those within this party */
	uint64_t begun, messages;
	uint64_t crossing; /* messages to a device of another party */
	uint64_t came;     /* walks received from other parties */
	size_t finished;   /* number of walks that ended here */
	uint32_t *token;   /* finished x job.length, unordered; owned */
};

/* Runs as many supersteps as a walk has tokens. ERR_PEER: another party sends a walk that is
 * invalid, not due, or not for a vertex of this party. */
enum err walking(struct walking *w) MUST_CHECK;
void walking_release(struct walking *w);

#endif
