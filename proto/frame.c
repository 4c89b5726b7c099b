#include "proto/frame.h"
#include "proto/codec.h"

#include <assert.h>
#include <inttypes.h>

enum { AFTER_LENGTH = FRAME_HEADER_LEN - 4 }; /* number of header bytes that the length includes */

void frame_header(uint8_t out[static FRAME_HEADER_LEN], const struct frame *f, size_t body_len)
{
	assert(body_len <= FRAME_MAX - AFTER_LENGTH);
	put_u32(out, (uint32_t)body_len + AFTER_LENGTH);
	put_u16(out + 4, f->type);
	put_u16(out + 6, 0);
	put_u64(out + 8, f->job);
	put_u32(out + 16, f->seq);
}

/* Checks the complete header. ERR_PEER: it is invalid, so nothing further can be read from the
 * stream. */
static enum err accept_header(struct frame_reader *r)
{
	uint16_t flags = get_u16(r->header + 6);
	uint32_t expected;

	r->frame.type = get_u16(r->header + 4);
	r->frame.job = get_u64(r->header + 8);
	r->frame.seq = get_u32(r->header + 16);
	if (msg_sender(r->frame.type) == NOBODY)
		return err_set(ERR_PEER, "unknown message type %u", r->frame.type);
	if (msg_is_link(r->frame.type) != (r->frame.job == 0))
		return err_set(ERR_PEER, "%s %s", msg_name(r->frame.type),
			       r->frame.job ? "in a job" : "outside any job");
	if (flags)
		return err_set(ERR_PEER, "%s with flags 0x%04x, expected 0",
			       msg_name(r->frame.type), flags);
	/* The frames of a new job are numbered from 1. */
	if (r->frame.job && r->frame.job != r->order.job)
		r->order = (struct frame_order){ .job = r->frame.job };
	expected = r->frame.job ? ++r->order.seq : 0;
	if (r->frame.seq != expected)
		return err_set(ERR_PEER,
			       "%s of job %016" PRIx64 " has sequence number %" PRIu32
			       ", expected %" PRIu32,
			       msg_name(r->frame.type), r->frame.job, r->frame.seq, expected);
	return ERR_OK;
}

uint8_t *frame_reader_space(struct frame_reader *r, size_t *room)
{
	size_t want, spare;

	/* Request only the length at first, because it is checked before more is read. */
	if (r->got < FRAME_HEADER_LEN) {
		*room = (r->got < 4 ? 4 : FRAME_HEADER_LEN) - r->got;
		return r->header + r->got;
	}
	assert(r->got < r->len);
	r->body.n -= r->open;
	want = r->len - r->got;
	spare = r->body.cap - r->body.n;
	if (spare == 0)
		spare = r->body.n < FRAME_GROW ? FRAME_GROW : r->body.n;
	r->open = *room = want < spare ? want : spare;
	return buf_extend(&r->body, r->open);
}

enum err frame_reader_filled(struct frame_reader *r, size_t n, bool *whole)
{
	bool in_header = r->got < FRAME_HEADER_LEN, in_length = r->got < 4;

	*whole = false;
	r->got += n;
	if (!in_header) {
		assert(n <= r->open);
		r->body.n -= r->open - n;
		r->open = 0;
	}
	if (in_length && r->got == 4) {
		uint32_t length = get_u32(r->header);

		if (length < AFTER_LENGTH || length > r->max)
			return err_set(ERR_PEER,
				       "frame of length %" PRIu32 ", expected %d to %" PRIu32,
				       length, AFTER_LENGTH, r->max);
		r->len = (size_t)length + 4;
	}
	if (in_header && r->got == FRAME_HEADER_LEN)
		TRY(accept_header(r));
	*whole = r->got >= FRAME_HEADER_LEN && r->got == r->len;
	return ERR_OK;
}

void frame_reader_next(struct frame_reader *r)
{
	r->got = r->len = r->open = 0;
	r->body.n = 0;
}

void frame_reader_release(struct frame_reader *r)
{
	buf_release(&r->body);
}
