#include "tests/test.h"

#include "common/base/alloc.h"
#include "proto/codec.h"
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

#include "samples.h"

/* The frames that the tests send: link frames, frames of two jobs, empty and longer bodies. */
static const struct {
	struct frame frame;
	size_t body;
} sent[] = {
	{ { MSG_HELLO, 0, 0 }, 8 }, { { MSG_HEARTBEAT, 0, 0 }, 8 }, { { MSG_OFFER, 7, 1 }, 300 },
	{ { MSG_DONE, 7, 2 }, 0 },  { { MSG_HEARTBEAT, 0, 0 }, 8 }, { { MSG_MASKED, 7, 3 }, 1000 },
	{ { MSG_OFFER, 9, 1 }, 1 }, { { MSG_DONE, 9, 2 }, 0 },
};
enum { SENT = sizeof(sent) / sizeof(sent[0]) };

static void add_frame(struct buf *out, const struct frame *f, size_t body)
{
	frame_header(buf_extend(out, FRAME_HEADER_LEN), f, body);
	buf_add(out, filler(body).p, body);
}

static void make_stream(struct buf *out)
{
	for (size_t i = 0; i < SENT; i++)
		add_frame(out, &sent[i].frame, sent[i].body);
}

/* Feeds bytes to the reader, as many at once as it has space for. Counts the frames and compares
 * them with sent[]. */
static enum err feed(struct frame_reader *r, const uint8_t *p, size_t n, size_t *frames)
{
	while (n) {
		size_t room;
		uint8_t *to = frame_reader_space(r, &room);
		bool whole;

		assert_true(room >= 1);
		if (room > n)
			room = n;
		memcpy(to, p, room);
		p += room;
		n -= room;
		TRY(frame_reader_filled(r, room, &whole));
		if (!whole)
			continue;
		assert_true(*frames < SENT);
		assert_int_equal(r->frame.type, sent[*frames].frame.type);
		assert_int_equal(r->frame.job, sent[*frames].frame.job);
		assert_int_equal(r->frame.seq, sent[*frames].frame.seq);
		assert_int_equal(r->body.n, sent[*frames].body);
		if (r->body.n)
			assert_memory_equal(r->body.p, filler(0).p, r->body.n);
		++*frames;
		frame_reader_next(r);
	}
	return ERR_OK;
}

TEST(test_header_bytes)
{
	static const uint8_t expect[FRAME_HEADER_LEN] = { 0, 0, 0, 19, 0, 15, 0, 0, 1,    2,
							  3, 4, 5, 6,  7, 8,  0, 0, 0x12, 0x34 };
	uint8_t out[FRAME_HEADER_LEN];

	frame_header(out, &(struct frame){ MSG_MASKED, 0x0102030405060708, 0x1234 }, 3);
	assert_memory_equal(out, expect, sizeof(out));
}

TEST(test_byte_by_byte)
{
	struct frame_reader r = { .max = FRAME_MAX_GREETING };
	struct buf s = { 0 };
	size_t frames = 0;

	make_stream(&s);
	for (size_t i = 0; i < s.n; i++)
		assert_ok(feed(&r, s.p + i, 1, &frames));
	assert_int_equal(frames, SENT);
	frame_reader_release(&r);
	buf_release(&s);
}

TEST(test_every_split)
{
	struct buf s = { 0 };

	make_stream(&s);
	for (size_t at = 0; at <= s.n; at++) {
		struct frame_reader r = { .max = FRAME_MAX_GREETING };
		size_t frames = 0;

		assert_ok(feed(&r, s.p, at, &frames));
		assert_ok(feed(&r, s.p + at, s.n - at, &frames));
		assert_int_equal(frames, SENT);
		frame_reader_release(&r);
	}
	buf_release(&s);
}

/* Feeds `bytes` bytes of one header to the reader, and returns the reader's error. */
static enum err judge(uint32_t max, uint32_t length, uint16_t type, uint16_t flags, uint64_t job,
		      uint32_t seq, size_t bytes, struct frame_reader *r)
{
	uint8_t h[FRAME_HEADER_LEN];
	size_t frames = SENT;

	put_u32(h, length);
	put_u16(h + 4, type);
	put_u16(h + 6, flags);
	put_u64(h + 8, job);
	put_u32(h + 16, seq);
	*r = (struct frame_reader){ .max = max };
	return feed(r, h, bytes, &frames);
}

TEST(test_lengths)
{
	struct frame_reader r;

	/* Refuses a wrong length after four bytes, without an allocation. */
	assert_err(judge(FRAME_MAX, UINT32_MAX, 0, 0, 0, 0, 4, &r), ERR_PEER,
		   "frame of length 4294967295, expected 16 to 1114112");
	assert_null(r.body.p);
	assert_err(judge(FRAME_MAX, FRAME_MAX + 1, 0, 0, 0, 0, 4, &r), ERR_PEER, "1114113");
	assert_err(judge(FRAME_MAX_GREETING, FRAME_MAX_GREETING + 1, 0, 0, 0, 0, 4, &r), ERR_PEER,
		   "expected 16 to 4096");
	assert_err(judge(FRAME_MAX, 15, 0, 0, 0, 0, 4, &r), ERR_PEER, "length 15");
	assert_err(judge(FRAME_MAX, 0, 0, 0, 0, 0, 4, &r), ERR_PEER, "length 0");
	assert_ok(judge(FRAME_MAX, FRAME_MAX, MSG_OFFER, 0, 1, 1, FRAME_HEADER_LEN, &r));
	assert_null(r.body.p);
	frame_reader_release(&r);
	/* the start of an HTTP request, read as a length */
	assert_err(judge(FRAME_MAX_GREETING, 0x47455420, 0, 0, 0, 0, 4, &r), ERR_PEER,
		   "1195725856");
}

/* Allocates memory as bytes arrive: almost none if a frame announces 1 MiB and few bytes follow. */
TEST(test_grows_with_what_arrives)
{
	struct frame_reader r = { .max = FRAME_MAX };
	size_t room, total = 0;

	assert_ok(judge(FRAME_MAX, FRAME_MAX, MSG_OFFER, 0, 1, 1, FRAME_HEADER_LEN, &r));
	while (total < FRAME_MAX - 16) {
		uint8_t *to = frame_reader_space(&r, &room);
		bool whole;

		memset(to, 0, room);
		assert_true(r.body.cap <= FRAME_GROW || r.body.cap <= 2 * (total + 1));
		total += room > 1000 ? 1000 : room;
		assert_ok(frame_reader_filled(&r, room > 1000 ? 1000 : room, &whole));
		assert_int_equal(r.body.n, total);
		assert_int_equal(whole, total == FRAME_MAX - 16);
	}
	frame_reader_release(&r);
}

TEST(test_headers)
{
	struct frame_reader r;
	size_t n = FRAME_HEADER_LEN;

	assert_err(judge(FRAME_MAX, 24, MSG_HELLO, 1, 0, 0, n, &r), ERR_PEER, "flags 0x0001");
	assert_err(judge(FRAME_MAX, 24, MSG_HELLO, 0x8000, 0, 0, n, &r), ERR_PEER, "flags 0x8000");
	assert_err(judge(FRAME_MAX, 24, MSG_HELLO, 0, 0, 1, n, &r), ERR_PEER,
		   "number 1, expected 0");
	assert_err(judge(FRAME_MAX, 24, MSG_OFFER, 0, 5, 0, n, &r), ERR_PEER,
		   "number 0, expected 1");
	assert_err(judge(FRAME_MAX, 24, MSG_OFFER, 0, 5, 2, n, &r), ERR_PEER,
		   "number 2, expected 1");
	assert_err(judge(FRAME_MAX, 24, 99, 0, 5, 1, n, &r), ERR_PEER, "unknown message type 99");
	assert_err(judge(FRAME_MAX, 24, MSG_OFFER, 0, 0, 0, n, &r), ERR_PEER,
		   "OFFER outside any job");
	assert_err(judge(FRAME_MAX, 24, MSG_HELLO, 0, 5, 1, n, &r), ERR_PEER, "HELLO in a job");
}

static enum err two_frames(struct frame a, struct frame b)
{
	struct frame_reader r = { .max = FRAME_MAX };
	struct buf s = { 0 };
	bool whole;
	size_t room;
	enum err e = ERR_OK;

	add_frame(&s, &a, 0);
	add_frame(&s, &b, 0);
	for (size_t i = 0; i < s.n && e == ERR_OK; i++) {
		*frame_reader_space(&r, &room) = s.p[i];
		e = frame_reader_filled(&r, 1, &whole);
		if (whole)
			frame_reader_next(&r);
	}
	frame_reader_release(&r);
	buf_release(&s);
	return e;
}

TEST(test_sequence)
{
	assert_ok(two_frames((struct frame){ MSG_DONE, 5, 1 }, (struct frame){ MSG_DONE, 5, 2 }));
	assert_ok(two_frames((struct frame){ MSG_DONE, 5, 1 }, (struct frame){ MSG_DONE, 6, 1 }));
	assert_err(two_frames((struct frame){ MSG_DONE, 5, 1 }, (struct frame){ MSG_DONE, 5, 1 }),
		   ERR_PEER, "DONE of job 0000000000000005 has sequence number 1, expected 2");
	assert_err(two_frames((struct frame){ MSG_DONE, 5, 1 }, (struct frame){ MSG_DONE, 5, 3 }),
		   ERR_PEER, "number 3, expected 2");
	assert_err(two_frames((struct frame){ MSG_DONE, 5, 1 }, (struct frame){ MSG_DONE, 6, 2 }),
		   ERR_PEER, "number 2, expected 1");
}

/* Bounds allocations for a list by the number of bytes that are left to decode. */
TEST(test_codec_room)
{
	uint8_t bytes[17] = { 0 };
	struct codec c = { .pos = bytes, .end = bytes + sizeof(bytes) };

	assert_true(codec_room(&c, 0, 8));
	assert_true(codec_room(&c, 2, 8));
	assert_false(codec_room(&c, 3, 8));
	assert_true(c.bad);
	assert_false(codec_room(&c, 0, 8)); /* errors are sticky */
	c.bad = false;
	assert_false(codec_room(&c, SIZE_MAX, 8));
}
