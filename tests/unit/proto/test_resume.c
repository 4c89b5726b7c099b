/* Frames over a wire that is cut: each arrives once, in order, and what is sent again is what was
 * sent. Without sockets: a wire here is an array of bytes, of which so many arrive. */
#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "proto/channel_own.h"
#include "proto/codec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples.h"

static const uint8_t job_id[JOB_ID_LEN] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
enum { ATTEMPT = 3, FRAMES_MAX = 64 };

/* One end: its channel, and every frame it ever sent, by number. */
struct end {
	struct post *post;
	struct channel *ch;
	struct buf first[FRAMES_MAX]; /* the bytes that went out the first time */
};

static struct end hub, bank;

static void open_end(struct end *e, enum sender own, const char *peer)
{
	*e = (struct end){ .post = post_new(20) };
	e->ch = channel_new(e->post, own, peer);
	channel_of_job(e->ch, job_id, ATTEMPT);
	channel_keep(e->ch);
}

static int set_up(void **state)
{
	(void)state;
	open_end(&hub, COORD, "bank-a");
	open_end(&bank, PARTY, "hub");
	return 0;
}

static void close_end(struct end *e)
{
	channel_free(e->ch);
	post_free(e->post);
	for (int i = 0; i < FRAMES_MAX; i++)
		buf_release(&e->first[i]);
}

static int tear_down(void **state)
{
	(void)state;
	close_end(&hub);
	close_end(&bank);
	return 0;
}

/* ---- a wire ---- */

static void check_or_keep(struct end *e, uint32_t seq, const struct buf *frame)
{
	struct buf *first = &e->first[seq];

	assert_true(seq < FRAMES_MAX);
	if (first->n == 0)
		buf_add(first, frame->p, frame->n);
	assert_int_equal(first->n, frame->n);
	assert_memory_equal(first->p, frame->p, frame->n);
}

/* The bytes that e's loop hands to the kernel: whole frames until there are no more, and of the
 * last one only as much as makes `most` bytes. */
static void send_all(struct end *e, struct buf *wire, size_t most)
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

/* The first n bytes arrive at e, on a connection of their own. */
static void arrive(struct end *e, const uint8_t *p, size_t n)
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

/* A connection over which `sent` bytes leave from, of which `come` arrive at to; then it is lost.
 */
static void connection(struct end *from, struct end *to, size_t sent, size_t come)
{
	struct buf wire = { 0 };

	send_all(from, &wire, sent);
	arrive(to, wire.p, wire.n < come ? wire.n : come);
	buf_release(&wire);
}

static void lose_and_resume(void)
{
	struct msg a, b;

	assert_true(channel_lost(hub.ch));
	assert_true(channel_lost(bank.ch));
	assert_true(channel_is_away(hub.ch) && channel_is_away(bank.ch));
	channel_resume_say(hub.ch, &a);
	channel_resume_say(bank.ch, &b);
	assert_int_equal(a.type, MSG_RESUME);
	assert_ok(channel_resume(hub.ch, &b.resume));
	assert_ok(channel_resume(bank.ch, &a.resume));
	assert_false(channel_is_away(hub.ch) || channel_is_away(bank.ch));
}

/* ---- what is said ---- */

static const size_t size[] = { 0, 3, 200, 0, 1500, 1, 64 };
enum { COUNT = sizeof(size) / sizeof(*size) };

static size_t frame_len(size_t i)
{
	return FRAME_HEADER_LEN + 4 + 8 + 8 + 8 + 4 + size[i]; /* of MASKED */
}

static void say(struct end *e)
{
	struct msg m = { .type = MSG_MASKED };

	for (size_t i = 0; i < COUNT; i++) {
		m.masked = (struct msg_masked){ .round = i, .words = filler(size[i]) };
		assert_ok(channel_send(e->ch, &m));
	}
}

static void say_at_hub(void)
{
	struct msg m = { .type = MSG_CHOICE };

	for (size_t i = 0; i < COUNT; i++) {
		m.choice = (struct msg_choice){ CHOICE_MORE, i };
		assert_ok(channel_send(hub.ch, &m));
	}
}

static void heard_once_in_order(void)
{
	struct msg *m;

	ALLOC(m, 1);
	for (size_t i = 0; i < COUNT; i++) {
		assert_ok(channel_recv(hub.ch, MSG_MASKED, m));
		assert_int_equal(m->masked.round, i);
		assert_int_equal(m->masked.words.n, size[i]);
		assert_memory_equal(m->masked.words.p, filler(0).p, size[i]);
		assert_ok(channel_recv(bank.ch, MSG_CHOICE, m));
		assert_int_equal(m->choice.value, i);
	}
	assert_int_equal(hub.ch->in.count + bank.ch->in.count, 0);
	assert_int_equal(hub.ch->out_bytes + bank.ch->out_bytes, 0);
	free(m);
}

static size_t all_bytes(void)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT; i++)
		n += frame_len(i);
	return n;
}

enum { CHOICE_LEN = FRAME_HEADER_LEN + 10, ALL = 1 << 20 };

/* Cut at every byte: before, in and after headers and bodies, both ways, and with more under way
 * than arrives. */
static void test_every_byte(void **state)
{
	size_t all = all_bytes();

	(void)state;
	for (size_t cut = 0; cut <= all; cut++)
		for (int under_way = 0; under_way < 2; under_way++) {
			if (cut || under_way) {
				tear_down(NULL);
				set_up(NULL);
			}
			say(&bank);
			say_at_hub();
			connection(&bank, &hub, under_way ? ALL : cut, cut);
			connection(&hub, &bank, under_way ? ALL : cut % (COUNT * CHOICE_LEN),
				   cut % (COUNT * CHOICE_LEN));
			lose_and_resume();
			connection(&bank, &hub, ALL, ALL);
			connection(&hub, &bank, ALL, ALL);
			heard_once_in_order();
		}
}

/* Cut again and again, each time a little further on, or not at all further. */
static void test_many_cuts(void **state)
{
	(void)state;
	for (size_t step = 1; step < 400; step = step * 3 / 2 + 1) {
		if (step > 1) {
			tear_down(NULL);
			set_up(NULL);
		}
		say(&bank);
		say_at_hub();
		for (int i = 0; i < 20; i++) {
			connection(&bank, &hub, step * 3, step);
			connection(&hub, &bank, ALL, 7 * step);
			lose_and_resume();
			if (i % 5 == 0)
				lose_and_resume(); /* lost before anything was said */
		}
		connection(&bank, &hub, ALL, ALL);
		connection(&hub, &bank, ALL, ALL);
		heard_once_in_order();
	}
}

static void test_account(void **state)
{
	struct channel_link link;
	struct channel_traffic t[40];
	uint64_t moved;

	(void)state;
	say(&bank);
	connection(&bank, &hub, ALL, frame_len(0) + frame_len(1) + 5);
	assert_int_equal(bank.ch->out_bytes, 0);
	lose_and_resume();
	assert_int_equal(bank.ch->out_bytes, all_bytes() - frame_len(0) - frame_len(1));
	channel_link(bank.ch, &link);
	assert_int_equal(link.reconnects, 1);
	assert_int_equal(link.resent, all_bytes() - frame_len(0) - frame_len(1));
	moved = post_progress(bank.post);
	connection(&bank, &hub, ALL, ALL);
	/* a link that breaks again and again is no progress */
	assert_true(post_progress(bank.post) == moved);
	say(&bank);
	connection(&bank, &hub, ALL, ALL);
	assert_true(post_progress(bank.post) > moved);
	/* the record of traffic has each message once, at both ends */
	assert_int_equal(channel_traffic(bank.ch, t, 40), 1);
	assert_int_equal(t[0].messages_sent, 2 * COUNT);
	assert_int_equal(t[0].bytes_sent, 2 * all_bytes());
	assert_int_equal(channel_traffic(hub.ch, t, 40), 1);
	assert_int_equal(t[0].messages_received, 2 * COUNT);
}

/* ---- acknowledgements ---- */

static void test_acknowledgements(void **state)
{
	struct msg ack;

	(void)state;
	assert_false(channel_ack_due(hub.ch, &ack));
	say(&bank);
	assert_err(channel_acked(bank.ch, 1), ERR_PEER,
		   "frame 1, expected 0 to 0"); /* still queued */
	connection(&bank, &hub, frame_len(0) + frame_len(1) + 5, ALL);
	assert_true(channel_ack_due(hub.ch, &ack));
	assert_int_equal(ack.type, MSG_ACK);
	assert_int_equal(ack.ack.received, 2);
	assert_false(channel_ack_due(hub.ch, &ack)); /* said already */
	assert_err(channel_acked(bank.ch, 3), ERR_PEER, "frame 3, expected 0 to 2"); /* half out */
	assert_int_equal(bank.ch->kept.queue.count, 3);
	assert_ok(channel_acked(bank.ch, 1));
	assert_ok(channel_acked(bank.ch, 1));
	assert_int_equal(bank.ch->kept.queue.count, 2);
	assert_err(channel_acked(bank.ch, 0), ERR_PEER, "frame 0, expected 1 to 2");
	assert_ok(channel_acked(bank.ch, 2));
	assert_int_equal(bank.ch->kept.queue.count, 1);
	assert_int_equal(bank.ch->kept.bytes, frame_len(2));
}

static void test_when_to_acknowledge(void **state)
{
	(void)state;
	assert_false(channel_came(hub.ch, MSG_MASKED, 1, CHANNEL_ACK_EVERY - 1));
	assert_true(channel_came(hub.ch, MSG_MASKED, 2, 1));
	assert_true(channel_came(hub.ch, MSG_MASKED, 3, 1)); /* until it is said */
	assert_true(channel_ack_due(hub.ch, &(struct msg){ 0 }));
	assert_false(channel_came(hub.ch, MSG_MASKED, 4, 1));
	/* what the sender waits for before it leaves */
	assert_true(channel_came(hub.ch, MSG_DONE, 5, FRAME_HEADER_LEN));
	assert_true(channel_ack_due(hub.ch, &(struct msg){ 0 }));
	assert_true(channel_came(hub.ch, MSG_ABORT, 6, FRAME_HEADER_LEN));
}

/* A window that is full: nothing is lost, more waits; an ABORT does not. */
static void test_window(void **state)
{
	struct msg m = { .type = MSG_MASKED, .masked.words = filler(MSG_CHUNK_MAX) };
	enum msg_type type;
	struct bytes body;
	uint32_t seq, n = 0;

	(void)state;
	while (bank.ch->out_bytes <= CHANNEL_OUT_MAX) {
		assert_ok(channel_send(bank.ch, &m));
		if (!channel_next(bank.ch, &type, &seq, &body))
			continue;
		assert_int_equal(seq, ++n);
		channel_sent(bank.ch, FRAME_HEADER_LEN + body.n);
		channel_went(bank.ch);
		assert_true(n < 100);
	}
	assert_true(bank.ch->kept.bytes >= CHANNEL_KEPT_MAX);
	assert_true(bank.ch->kept.bytes < CHANNEL_KEPT_MAX + FRAME_MAX);
	assert_false(channel_next(bank.ch, &type, &seq, &body));
	assert_ok(channel_acked(bank.ch, 1));
	assert_true(channel_next(bank.ch, &type, &seq, &body));
	assert_int_equal(seq, n + 1);
	channel_sent(bank.ch, FRAME_HEADER_LEN + body.n);
	channel_went(bank.ch);
	assert_false(channel_next(bank.ch, &type, &seq, &body));
	m.type = MSG_ABORT;
	m.abort = (struct msg_abort){ .code = ERR_JOB };
	assert_ok(channel_send(bank.ch, &m));
	assert_true(channel_next(bank.ch, &type, &seq, &body));
	assert_int_equal(type, MSG_ABORT);
	assert_int_equal(seq, n + 2);
}

/* A sender whose window is full must go on listening, or it never hears that there is room. */
static void test_full_window_listens(void **state)
{
	struct msg m = { .type = MSG_CHOICE };
	struct buf body = { 0 };

	(void)state;
	m.choice.what = CHOICE_MORE;
	while (!channel_is_full(bank.ch)) {
		msg_encode(&body, &m);
		channel_deliver(bank.ch, MSG_CHOICE, &body, clock_now_s());
	}
	bank.ch->kept.bytes = CHANNEL_KEPT_MAX;
	assert_false(channel_is_full(bank.ch));
	bank.ch->kept.bytes = 0;
	assert_true(channel_is_full(bank.ch));
	buf_release(&body);
}

/* ---- who may resume what ---- */

static void test_what_does_not_fit(void **state)
{
	struct msg good, bad;

	(void)state;
	say(&bank);
	connection(&bank, &hub, ALL, frame_len(0) + frame_len(1));
	assert_ok(channel_acked(bank.ch, 1));
	channel_resume_say(hub.ch, &good);
	assert_int_equal(good.resume.received, 2);
	assert_true(channel_lost(bank.ch));
	bad = good;
	bad.resume.job_id[JOB_ID_LEN - 1] ^= 1;
	assert_err(channel_resume(bank.ch, &bad.resume), ERR_PEER, "another job");
	bad = good;
	bad.resume.attempt++;
	assert_err(channel_resume(bank.ch, &bad.resume), ERR_PEER,
		   "attempt 4, the one under way is 3");
	bad = good;
	bad.resume.received = COUNT + 1;
	assert_err(channel_resume(bank.ch, &bad.resume), ERR_PEER, "frame 8, expected 1 to 7");
	bad.resume.received = 0;
	assert_err(channel_resume(bank.ch, &bad.resume), ERR_PEER, "frame 0, expected 1 to 7");
	assert_err(channel_resume_check(bank.ch, &bad.resume), ERR_PEER, "frame 0");
	assert_true(channel_is_away(bank.ch)); /* none of them changed anything */
	assert_int_equal(bank.ch->kept.queue.count, COUNT - 1);
	assert_ok(channel_resume_check(bank.ch, &good.resume));
	assert_ok(channel_resume(bank.ch, &good.resume));
	assert_int_equal(bank.ch->kept.queue.count, COUNT - 2);
	assert_true(channel_lost(bank.ch));
	channel_fail(bank.ch, ERR_DEADLINE, "it took too long");
	assert_err(channel_resume_check(bank.ch, &good.resume), ERR_PEER, "it took too long");
}

static void test_what_is_not_awaited(void **state)
{
	struct channel *ch = channel_new(bank.post, PARTY, "hub");
	struct msg m = { .type = MSG_OFFER };
	struct buf body = { 0 };

	(void)state;
	assert_false(channel_lost(ch)); /* nobody asked for it */
	channel_keep(ch);
	assert_false(channel_lost(ch)); /* no job yet */
	sample(&m, true);
	msg_encode(&body, &m);
	channel_deliver(ch, MSG_OFFER, &body, clock_now_s());
	assert_true(channel_lost(ch)); /* the OFFER said which job it is */
	assert_int_equal(ch->attempt, UINT32_MAX);
	assert_true(channel_job(ch) == UINT64_MAX);
	channel_fail(ch, ERR_PEER, "gone");
	assert_false(channel_is_away(ch));
	assert_false(channel_lost(ch));
	channel_free(ch);
	buf_release(&body);
}

/* ---- waiting until all has come ---- */

static size_t room_of_spares(struct channel *ch)
{
	size_t room = 0, count = 0;
	struct buf spare[64];

	while (count < 64 && (spare[count] = channel_spare(ch)).cap)
		room += spare[count++].cap;
	while (count)
		channel_recycle(ch, &spare[--count]);
	return room;
}

static void recycle_many(struct channel *ch)
{
	for (int i = 0; i < 40; i++) {
		struct buf b = { 0 };

		buf_extend(&b, 256 << 10);
		channel_recycle(ch, &b);
	}
}

/* Emptied buffers stay for what is sent next, up to a bound; of the smaller one those beyond it go.
 */
static void test_spares(void **state)
{
	enum { MIB = 1 << 20 };
	struct post *post = post_new(1);
	struct channel *ch = channel_new(post, PARTY, "hub");

	(void)state;
	recycle_many(ch);
	assert_in_range(room_of_spares(ch), 2 * MIB, 4 * MIB);
	channel_spare_little(ch, true);
	assert_in_range(room_of_spares(ch), MIB / 2, MIB);
	recycle_many(ch);
	assert_in_range(room_of_spares(ch), MIB / 2, MIB);
	channel_free(ch);
	post_free(post);
}

static void *acknowledge_later(void *arg)
{
	usleep(50000);
	assert_ok(channel_acked(bank.ch, COUNT));
	return arg;
}

static void *return_later(void *arg)
{
	struct msg m;

	usleep(300000);
	channel_resume_say(hub.ch, &m);
	m.resume.received = COUNT;
	assert_ok(channel_resume(bank.ch, &m.resume));
	return arg;
}

static void *fail_later(void *arg)
{
	usleep(50000);
	channel_fail(bank.ch, ERR_DEADLINE, "hub did not come back");
	return arg;
}

static void *cancel_later(void *arg)
{
	usleep(50000);
	post_cancel(bank.post, ERR_CANCELLED, "bank-a was stopped");
	return arg;
}

static enum err drain_while(void *(*f)(void *), double timeout_s)
{
	pthread_t thread;
	enum err e;

	pthread_create(&thread, NULL, f, NULL);
	e = channel_drain(bank.ch, timeout_s);
	pthread_join(thread, NULL);
	return e;
}

static void test_drain(void **state)
{
	(void)state;
	assert_ok(channel_drain(bank.ch, 0));
	say(&bank);
	assert_err(channel_drain(bank.ch, 0.01), ERR_DEADLINE, "hub did not acknowledge 7 frames");
	connection(&bank, &hub, ALL, 0);
	assert_err(channel_drain(bank.ch, 0.01), ERR_DEADLINE, "hub did not acknowledge 7 frames");
	assert_ok(drain_while(acknowledge_later, 20));
}

/* The time while the connection is lost does not count; but it ends when the loop thread says so.
 */
static void test_drain_while_away(void **state)
{
	for (int how = 0; how < 3; how++) {
		if (how) {
			tear_down(state);
			set_up(state);
		}
		say(&bank);
		connection(&bank, &hub, ALL, 0);
		assert_true(channel_lost(bank.ch));
		if (how == 0)
			assert_ok(drain_while(return_later, 0.1));
		else if (how == 1)
			assert_err(drain_while(fail_later, 20), ERR_PEER, "hub did not come back");
		else
			assert_err(drain_while(cancel_later, 20), ERR_CANCELLED,
				   "bank-a was stopped");
	}
}

static bool overdue(const char *why)
{
	struct err_saved end;
	bool is = post_overdue(bank.post, &end);

	assert_string_equal(end.code == ERR_OK ? "" : end.why, why);
	return is;
}

/* The job is over, and its thread waits to tell somebody who is away: in good time it looks so. */
static void *look_then_fail(void *arg)
{
	for (int i = 0; i < 2000 && overdue("bank-b left"); i++)
		usleep(10000);
	assert_false(overdue("bank-b left"));
	channel_fail(bank.ch, ERR_DEADLINE, "hub did not come back");
	return arg;
}

static void test_overdue(void **state)
{
	struct channel *other = channel_new(bank.post, PARTY, "bank-b");

	(void)state;
	assert_false(overdue(""));
	say(&bank);
	connection(&bank, &hub, ALL, 0);
	assert_true(channel_lost(bank.ch));
	channel_fail(other, ERR_PEER, "bank-b left");
	assert_true(overdue("bank-b left")); /* this thread does not wait */
	assert_err(drain_while(look_then_fail, 20), ERR_PEER, "hub did not come back");
	assert_true(overdue("bank-b left"));
	channel_free(other);
}

#define IN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		IN(test_every_byte),
		IN(test_many_cuts),
		IN(test_account),
		IN(test_acknowledgements),
		cmocka_unit_test(test_spares),
		IN(test_when_to_acknowledge),
		IN(test_window),
		IN(test_full_window_listens),
		IN(test_what_does_not_fit),
		IN(test_what_is_not_awaited),
		IN(test_drain),
		IN(test_drain_while_away),
		IN(test_overdue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
