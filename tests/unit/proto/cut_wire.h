/* cut_wire.h -- two ends of a channel with a wire between them: an array of bytes, of which a given
 * number arrive. */
#ifndef TESTS_UNIT_PROTO_CUT_WIRE_H
#define TESTS_UNIT_PROTO_CUT_WIRE_H

#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/parties/choice.h"
#include "proto/channel_own.h"
#include "proto/codec.h"

#include <stdlib.h>
#include <string.h>

#include "samples.h"

static const uint8_t job_id[JOB_ID_LEN] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
enum { ATTEMPT = 3, FRAMES_MAX = 64, ALL = 1 << 20 };

/* One end: its channel, and every frame that it has sent, by number. */
struct end {
	struct mailbox *mailbox;
	struct channel *ch;
	struct buf first[FRAMES_MAX]; /* bytes of each frame when it was first sent */
};

static struct end hub, bank;

static inline void open_end(struct end *e, enum sender own, const char *peer)
{
	*e = (struct end){ .mailbox = mailbox_new(20) };
	e->ch = channel_new(e->mailbox, own, peer);
	channel_of_job(e->ch, job_id, ATTEMPT);
	channel_keep(e->ch);
}

static inline int set_up(void **state)
{
	(void)state;
	open_end(&hub, COORD, "bank-a");
	open_end(&bank, PARTY, "hub");
	return 0;
}

static inline void close_end(struct end *e)
{
	channel_free(e->ch);
	mailbox_free(e->mailbox);
	for (int i = 0; i < FRAMES_MAX; i++)
		buf_release(&e->first[i]);
}

static inline int tear_down(void **state)
{
	(void)state;
	close_end(&hub);
	close_end(&bank);
	return 0;
}

/* ---- a wire ---- */

static inline void check_or_keep(struct end *e, uint32_t seq, const struct buf *frame)
{
	struct buf *first = &e->first[seq];

	assert_true(seq < FRAMES_MAX);
	if (first->n == 0)
		buf_add(first, frame->p, frame->n);
	assert_int_equal(first->n, frame->n);
	assert_memory_equal(first->p, frame->p, frame->n);
}

/* Sends e's queued frames: appends them to the wire, but at most `most` bytes in all, so the last
 * frame may be cut. */
static inline void send_all(struct end *e, struct buf *wire, size_t most)
{
	struct frame f = { .job = channel_job(e->ch) };
	enum msg_type type;
	struct bytes body;

	while (wire->n < most && channel_next(e->ch, &type, &f.seq, &body)) {
		struct buf frame = { 0 };
		size_t now;

		f.type = (uint16_t)type;
		frame_header(buf_extend(&frame, FRAME_HEADER_LEN), &f, body.n);
		buf_add(&frame, body.p, body.n);
		check_or_keep(e, f.seq, &frame);
		now = frame.n < most - wire->n ? frame.n : most - wire->n;
		buf_add(wire, frame.p, now);
		channel_sent(e->ch, now);
		if (now == frame.n)
			channel_went(e->ch);
		buf_release(&frame);
	}
}

/* Delivers the n bytes at p to e, on a new connection. */
static inline void arrive(struct end *e, const uint8_t *p, size_t n)
{
	struct frame_reader r = { .max = FRAME_MAX };
	bool whole;

	if (channel_last(e->ch))
		r.order = (struct frame_order){ channel_job(e->ch), channel_last(e->ch) };
	while (n) {
		size_t room;
		uint8_t *to = frame_reader_space(&r, &room);

		room = room < n ? room : n;
		memcpy(to, p, room);
		p += room;
		n -= room;
		assert_ok(frame_reader_filled(&r, room, &whole));
		if (!whole)
			continue;
		room = r.body.n;
		channel_deliver(e->ch, r.frame.type, &r.body, clock_now_s());
		channel_came(e->ch, r.frame.type, r.frame.seq, FRAME_HEADER_LEN + room);
		frame_reader_next(&r);
	}
	frame_reader_release(&r);
}

/* Makes a connection that is then lost: `from` sends `sent` bytes, and the first `come` of them
 * arrive at `to`. */
static inline void connection(struct end *from, struct end *to, size_t sent, size_t come)
{
	struct buf wire = { 0 };

	send_all(from, &wire, sent);
	arrive(to, wire.p, wire.n < come ? wire.n : come);
	buf_release(&wire);
}

static inline void lose_and_resume(void)
{
	struct msg a, b;

	assert_true(channel_lost(hub.ch));
	assert_true(channel_lost(bank.ch));
	assert_true(channel_is_lost(hub.ch) && channel_is_lost(bank.ch));
	channel_resume_fill(hub.ch, &a);
	channel_resume_fill(bank.ch, &b);
	assert_int_equal(a.type, MSG_RESUME);
	assert_ok(channel_resume(hub.ch, &b.resume));
	assert_ok(channel_resume(bank.ch, &a.resume));
	assert_false(channel_is_lost(hub.ch) || channel_is_lost(bank.ch));
}

/* ---- the messages ---- */

static const size_t size[] = { 0, 3, 200, 0, 1500, 1, 64 };
enum { COUNT = sizeof(size) / sizeof(*size) };

static inline size_t frame_len(size_t i)
{
	return FRAME_HEADER_LEN + 4 + 8 + 8 + 8 + 4 + size[i] + 4; /* length of MASKED frame i */
}

static inline void say(struct end *e)
{
	struct msg m = { .type = MSG_MASKED };

	for (size_t i = 0; i < COUNT; i++) {
		m.masked = (struct msg_masked){ .round = i, .words = filler(size[i]) };
		assert_ok(channel_send(e->ch, &m));
	}
}

static inline void say_at_hub(void)
{
	struct msg m = { .type = MSG_CHOICE };

	for (size_t i = 0; i < COUNT; i++) {
		m.choice = (struct msg_choice){ CHOICE_MORE, i };
		assert_ok(channel_send(hub.ch, &m));
	}
}

#define IN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
