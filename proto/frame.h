/* frame.h -- cuts messages out of a stream of bytes.
 *
 *   u32 length   of the rest: 16 + the body's bytes
 *   u16 type     enum msg_type
 *   u16 flags    0
 *   u64 job      0 for the link's own messages
 *   u32 seq      0 for the link's own messages; in a job 1, 2, 3, ... per direction
 *   body
 *
 * All integers are big-endian. This module uses no sockets and no TLS. The reader provides the
 * buffer for the next bytes, so that a body is decrypted to its final place. It checks a length
 * before it allocates anything, and the body's buffer grows with the bytes received, not with the
 * announced length.
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
	FRAME_MAX_GREETING = 4 << 10, /* largest length field until the peer is accepted */
	FRAME_MAX = MSG_CHUNK_MAX + (64 << 10), /* largest length field afterwards */
	/* Bytes that are allocated before a body arrives. The size is doubled as needed, and then
	 * closely fits a vector's chunk. */
	FRAME_GROW = 65 << 10,
};

struct frame {
	uint16_t type;
	uint64_t job;
	uint32_t seq;
};

/* Job and number of the last frame in one direction of a link. Zero-initialise. */
struct frame_order {
	uint64_t job; /* number of the last job that had frames */
	uint32_t seq; /* number of this job's last frame */
};

void frame_header(uint8_t out[static FRAME_HEADER_LEN], const struct frame *f, size_t body_len);

/* Zero-initialise, then set max. */
struct frame_reader {
	uint32_t max; /* largest length field; may be raised between frames */
	uint8_t header[FRAME_HEADER_LEN];
	size_t got;         /* number of bytes of this frame so far, including its header */
	size_t len;         /* length of the whole frame, once its length field is complete */
	struct frame frame; /* set once the header is complete */
	struct buf body;    /* the received part of the body */
	size_t open;        /* number of bytes of body that the caller has not filled yet */
	struct frame_order order;
};

/* Returns the buffer for the next bytes. *room (>= 1) is its size, which never extends past the end
 * of the frame. Valid until the next call. */
uint8_t *frame_reader_space(struct frame_reader *r, size_t *room);

/* Call after writing n bytes to that buffer. *whole: frame and body are complete. Then use body,
 * whose contents may be moved out or exchanged for another buffer, and call frame_reader_next().
 * ERR_PEER: a field of the header is invalid, so nothing further can be read from the stream. */
enum err frame_reader_filled(struct frame_reader *r, size_t n, bool *whole) MUST_CHECK;
void frame_reader_next(struct frame_reader *r);
void frame_reader_release(struct frame_reader *r);

#endif
