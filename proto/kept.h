/* kept.h -- the frames of a job that the peer has not acknowledged yet, in the order of their
 * numbers.
 *
 *   acked | frames that have left | frames that have not | (the channel's queue)
 *         ^ first                 ^ first + left
 *
 * A frame is kept as the bytes that were sent, and it is those bytes that are sent again: nothing
 * is computed anew. Pure: no sockets, no locks. What happens with it is in resume.c.
 */
#ifndef PROTO_KEPT_H
#define PROTO_KEPT_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "proto/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_frame {
	enum msg_type type;
	struct buf body;
};

/* Zero-initialised is empty and ready. */
struct kept {
	struct kept_frame *frame; /* a ring */
	size_t first, count, cap;
	size_t left;    /* of them, so many have gone out on the connection that there is now */
	size_t bytes;   /* of all of them, headers included */
	uint32_t acked; /* the number of the last that the peer has */
};

/* Takes the next frame over; its number is acked + count afterwards. Its body is empty then. */
void kept_push(struct kept *k, enum msg_type type, struct buf *body);

/* The frame that is due to go out: NULL if there is none. *seq is its number. Valid until it is
 * acknowledged; what is pushed meanwhile does not move its bytes. */
const struct kept_frame *kept_due(const struct kept *k, uint32_t *seq);
void kept_went(struct kept *k); /* the frame that was due has gone out whole */

/* The peer has all frames up to seq; takes the oldest one of them off and gives its body away.
 * False: there is none left of them. */
bool kept_pop(struct kept *k, uint32_t seq, struct buf *body);

/* ERR_PEER: the peer acknowledges what it cannot have, or takes an acknowledgement back.
 * `left_only`: it can have only what has gone out on this connection. */
enum err kept_check(const struct kept *k, uint32_t seq, bool left_only) MUST_CHECK;

void kept_again(struct kept *k); /* a new connection: none has gone out on it */
void kept_release(struct kept *k);

#endif
