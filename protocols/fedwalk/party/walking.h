/* walking.h -- FedWalk, Algorithm 1: the walks that are at this party's devices.
 *
 * All walks advance together. In a superstep each takes one turn: its device writes one or two
 * tokens and sends the walk on, to a device of this party or of another. Walks to another party go
 * in one batch per party. A walk in transit is the row it goes to (4 bytes), its number of tokens
 * (2), and the tokens, each in as many bytes as rows need; all little-endian. */
#ifndef PROTOCOLS_FEDWALK_PARTY_WALKING_H
#define PROTOCOLS_FEDWALK_PARTY_WALKING_H

#include "protocols/fedwalk/encode.h"
#include "protocols/fedwalk/walk.h"
#include "protocols/fedwalk/party/vertices.h"

struct walking {
	struct work *work; /* borrowed, like all below */
	const struct vertices *v;
	const struct fedwalk_encoder *encoder;
	const struct fedwalk_pools *pools;
	/* walks started here; messages from device to device, also within this party */
	uint64_t begun, messages;
	uint64_t crossing; /* messages to a device of another party */
	uint64_t came;     /* walks received from other parties */
	size_t finished;   /* walks that ended here */
	uint32_t *token;   /* finished x job.length, unordered; owned */
};

/* Runs as many supersteps as a walk has tokens. ERR_PEER: another party sends an invalid walk, one
 * that is not due or not for a vertex here. */
enum err walking(struct walking *w) MUST_CHECK;
void walking_release(struct walking *w);

#endif
