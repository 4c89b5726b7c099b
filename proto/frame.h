/* frame.h -- messages cut out of a stream of bytes.
 *
 *   u32 length   of the rest: 16 + the body's bytes
 *   u16 type     enum msg_type
 *   u16 flags    0
 *   u64 job      0 for the link's own messages
 *   u32 seq      0 for the link's own messages; in a job 1, 2, 3, ... per direction
 *   body
 *
 * All big-endian. Pure: no sockets, no TLS. The reader says where the next bytes should go, so
 * that a body is decrypted in the place where it stays. A length is judged before anything is
 * allocated, and the body's buffer grows with the bytes received, not with the length announced.
 */
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "proto/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FRAME_HEADER_LEN = 20,
	FRAME_MAX_GREETING = 4 << 10, /* length field, until the peer is known and welcomed */
	FRAME_MAX = MSG_CHUNK_MAX + (64 << 10), /* length field afterwards */
	/* Bytes allocated before a body comes; doubled, they fit a vector's chunk closely. */
	FRAME_GROW = 65 << 10,
};

struct frame {
	uint16_t type;
	uint64_t job;
	uint32_t seq;
};

/* The number of the next frame in one direction of a link. Zero-initialised is ready. */
struct frame_order {
	uint64_t job; /* the last job seen */
	uint32_t seq; /* its last frame */
};

void frame_header(uint8_t out[static FRAME_HEADER_LEN], const struct frame *f, size_t body_len);

/* Zero-initialised with max set is ready. */
struct frame_reader {
	uint32_t max; /* of the length field; may be raised between frames */
	uint8_t header[FRAME_HEADER_LEN];
	size_t got;         /* bytes of this frame so far, header included */
	size_t len;         /* its whole length, once the header is there */
	struct frame frame; /* once the header is there */
	struct buf body;    /* the part of it that has arrived */
	size_t open;        /* of body.n, bytes handed out by space and not yet filled */
	struct frame_order order;
};

/* The buffer for the next bytes: *room >= 1 of them at most, never past the end of the frame. Valid
 * until the next call. */
uint8_t *frame_reader_space(struct frame_reader *r, size_t *room);

/* n bytes have been put there. *whole: frame and body are complete; take body (its contents may be
 * moved out or exchanged for another buffer), then call frame_reader_next. ERR_PEER: length, flags
 * or sequence number are wrong; the stream cannot be read any further. */
enum err frame_reader_filled(struct frame_reader *r, size_t n, bool *whole) MUST_CHECK;
void frame_reader_next(struct frame_reader *r);
void frame_reader_release(struct frame_reader *r);

#endif
