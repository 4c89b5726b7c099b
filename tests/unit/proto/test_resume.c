/* Sends frames over a wire that is cut: each frame arrives once and in order, and a frame that is
 * sent again has the same bytes. */
#include "tests/unit/proto/cut_wire.h"

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

enum { CHOICE_LEN = FRAME_HEADER_LEN + 10 };

/* Cuts the wire after every number of bytes: before, in and after headers and bodies, in both
 * directions. With `under_way`, more bytes are sent than arrive. */
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

/* Cuts the wire twenty times, each time after `step` more bytes. Repeats this with larger steps. */
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
				lose_and_resume(); /* the connection is lost before any message */
		}
		connection(&bank, &hub, ALL, ALL);
		connection(&hub, &bank, ALL, ALL);
		heard_once_in_order();
	}
}

static void test_account(void **state)
{
	struct link_state link;
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
	moved = mailbox_progress(bank.mailbox);
	connection(&bank, &hub, ALL, ALL);
	/* repeated breaks of a link are not progress */
	assert_true(mailbox_progress(bank.mailbox) == moved);
	say(&bank);
	connection(&bank, &hub, ALL, ALL);
	assert_true(mailbox_progress(bank.mailbox) > moved);
	/* both ends count each message once */
	channel_link(bank.ch, &link);
	assert_int_equal(link.types, 1);
	assert_int_equal(link.type[0].messages_sent, 2 * COUNT);
	assert_int_equal(link.type[0].bytes_sent, 2 * all_bytes());
	channel_link(hub.ch, &link);
	assert_int_equal(link.types, 1);
	assert_int_equal(link.type[0].messages_received, 2 * COUNT);
}

/* ---- one message to many ---- */

/* All peers share one copy of the bytes, which stays until every peer has acknowledged it. */
static void test_one_body_for_all(void **state)
{
	struct msg m = { .type = MSG_CHOICE, .choice = { 2, 7 } }, got;
	struct channel *other = channel_new(hub.mailbox, COORD, "bank-b"), *both[2];
	enum msg_type type;
	struct bytes body;
	uint32_t seq;

	(void)state;
	both[0] = hub.ch;
	both[1] = other;
	channel_of_job(other, job_id, ATTEMPT);
	channel_keep(other);
	assert_ok(channel_send_all(both, 2, &m));
	assert_true(channel_next(other, &type, &seq, &body));
	assert_ptr_equal(body.p, hub.ch->out.item[hub.ch->out.first].body.p);
	channel_sent(other, FRAME_HEADER_LEN + body.n);
	channel_went(other);
	assert_ok(channel_acked(other, 1));
	channel_free(other);

	connection(&hub, &bank, ALL, 5); /* 5 bytes arrive, then the hub sends the frame again */
	lose_and_resume();
	connection(&hub, &bank, ALL, ALL);
	assert_ok(channel_recv(bank.ch, MSG_CHOICE, &got));
	assert_int_equal(got.choice.value, 7);
}

/* A peer that fails drops its queue; the other peers keep their copies. */
static void test_one_peer_of_many_ends(void **state)
{
	struct msg m = { .type = MSG_CHOICE, .choice = { 2, 7 } }, got;
	struct mailbox *mailbox = mailbox_new(20);
	struct channel *a = channel_new(mailbox, COORD, "bank-a"),
		       *b = channel_new(mailbox, COORD, "bank-b"), *const both[] = { a, b };

	(void)state;
	assert_ok(channel_send_all(both, 2, &m));
	channel_fail(b, ERR_PEER, "gone");
	channel_free(b);
	channel_pair(a, bank.ch);
	channel_pump(a);
	assert_ok(channel_recv(bank.ch, MSG_CHOICE, &got));
	assert_int_equal(got.choice.value, 7);
	channel_free(a);
	mailbox_free(mailbox);
}

/* ---- acknowledgements ---- */

static void test_acknowledgements(void **state)
{
	struct msg ack;

	(void)state;
	assert_false(channel_ack_due(hub.ch, &ack));
	say(&bank);
	assert_err(channel_acked(bank.ch, 1), ERR_PEER,
		   "frame 1, expected 0 to 0"); /* frame 1 is still queued */
	connection(&bank, &hub, frame_len(0) + frame_len(1) + 5, ALL);
	assert_true(channel_ack_due(hub.ch, &ack));
	assert_int_equal(ack.type, MSG_ACK);
	assert_int_equal(ack.ack.received, 2);
	assert_false(channel_ack_due(hub.ch, &ack)); /* the ACK was sent */
	assert_err(channel_acked(bank.ch, 3), ERR_PEER, "frame 3, expected 0 to 2"); /* half sent */
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
	assert_true(channel_came(hub.ch, MSG_MASKED, 3, 1)); /* due until the ACK is sent */
	assert_true(channel_ack_due(hub.ch, &(struct msg){ 0 }));
	assert_false(channel_came(hub.ch, MSG_MASKED, 4, 1));
	/* DONE and ABORT end the job, so the receiver acknowledges them at once: the sender waits
	 * for the acknowledgement before it leaves. */
	assert_true(channel_came(hub.ch, MSG_DONE, 5, FRAME_HEADER_LEN));
	assert_true(channel_ack_due(hub.ch, &(struct msg){ 0 }));
	assert_true(channel_came(hub.ch, MSG_ABORT, 6, FRAME_HEADER_LEN));
}

/* With a full window, messages wait and none is lost; an ABORT does not wait. */
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

/* A sender with a full window must keep receiving, or it never receives the acknowledgement. */
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

/* ---- who may resume a job ---- */

static void test_what_does_not_fit(void **state)
{
	struct msg good, bad;

	(void)state;
	say(&bank);
	connection(&bank, &hub, ALL, frame_len(0) + frame_len(1));
	assert_ok(channel_acked(bank.ch, 1));
	channel_resume_fill(hub.ch, &good);
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
	assert_true(channel_is_lost(bank.ch)); /* no refused call changed anything */
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
	struct channel *ch = channel_new(bank.mailbox, PARTY, "hub");
	struct msg m = { .type = MSG_OFFER };
	struct buf body = { 0 };

	(void)state;
	assert_false(channel_lost(ch)); /* channel_keep() was not called */
	channel_keep(ch);
	assert_false(channel_lost(ch)); /* no job yet */
	sample(&m, true);
	msg_encode(&body, &m);
	channel_deliver(ch, MSG_OFFER, &body, clock_now_s());
	assert_true(channel_lost(ch)); /* the OFFER has the job's number */
	assert_int_equal(ch->attempt, UINT32_MAX);
	assert_true(channel_job(ch) == UINT64_MAX);
	channel_fail(ch, ERR_PEER, "gone");
	assert_false(channel_is_lost(ch));
	assert_false(channel_lost(ch));
	channel_free(ch);
	buf_release(&body);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(test_every_byte),
		IN(test_many_cuts),
		IN(test_account),
		IN(test_one_body_for_all),
		IN(test_one_peer_of_many_ends),
		IN(test_acknowledgements),
		IN(test_when_to_acknowledge),
		IN(test_window),
		IN(test_full_window_listens),
		IN(test_what_does_not_fit),
		IN(test_what_is_not_awaited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
