/* walking.h -- FedWalk, Algorithm 1: the walks that are at this party's devices now.
 *
 * All walks advance together. In a superstep each takes one turn: its device writes a token or two
 * and sends it on, to a device that may be here or at another party; those go in one batch per
 * party. A walk on its way is the row it goes to (4 bytes), how many tokens it has (2), and these,
 * each in as many bytes as rows need, little-endian.
 */
#ifndef PROTOCOLS_FEDWALK_PARTY_WALKING_H
#define PROTOCOLS_FEDWALK_PARTY_WALKING_H

#include "protocols/fedwalk/encode.h"
#include "protocols/fedwalk/walk.h"
#include "protocols/fedwalk/party/vertices.h"

struct walking {
	struct work *work; /* borrowed, as all here */
	const struct vertices *v;
	const struct fedwalk_encoder *encoder;
	const struct fedwalk_pools *pools;
	uint64_t begun, messages; /* device to device, those within this party too */
	uint64_t crossing;        /* of these, to a device of another party */
	uint64_t came;            /* and from such */
	size_t finished;          /* walks that ended here */
	uint32_t *token;          /* finished x job.length, in no order; owned */
};

/* Walks as many supersteps as a walk has tokens. ERR_PEER: another party sends what is no walk, one
 * that is not due or not for here. */
enum err walking(struct walking *w) MUST_CHECK;
void walking_release(struct walking *w);

#endif
