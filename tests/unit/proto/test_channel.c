/* Tests the job thread's side of channels: the order of messages, aborts, ends of waits, several
 * channels at once. */
#include "joined.h"

#include "common/base/clock.h"
#include "proto/frame.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int set_up_half_second(void **state)
{
	(void)state;
	open_with(0.5);
	return 0;
}

static int set_up_hasty(void **state)
{
	(void)state;
	open_with(0.05);
	return 0;
}

/* A party's ABORT has an ending; a coordinator's ABORT has a text. */
static enum err send_abort(struct channel *ch, enum err code, enum ending ending, const char *text)
{
	struct msg a = { .type = MSG_ABORT };

	a.abort = (struct msg_abort){ (uint16_t)code, (uint16_t)ending, msg_text(text) };
	return channel_send(ch, &a);
}

/* ---- order ---- */

static void test_order(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		assert_ok(send_accept(party[A], i));
	for (uint64_t i = 0; i < 100; i++) {
		assert_ok(channel_recv(hub[A], MSG_ACCEPT, m));
		assert_int_equal(m->accept.rows, i);
	}
	assert_string_equal(channel_peer(hub[A]), "bank-a");
}

static void test_wrong_message(void **state)
{
	(void)state;
	channel_step(hub[A], "secure sum");
	assert_ok(send_accept(party[A], 1));
	assert_ok(send_accept(party[A], 1));
	assert_err(channel_recv(hub[A], MSG_KEY, m), ERR_PEER,
		   "bank-a sent ACCEPT, expected KEY (during secure sum)");
	/* The next calls fail at once with the same error, although the next message is the
	 * expected one. */
	err_set(ERR_OK, "%s", "");
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER,
		   "bank-a sent ACCEPT, expected KEY");
	assert_string_equal(err_detail(), "bank-a sent ACCEPT, expected KEY (during secure sum)");
	assert_err(send_empty(hub[A]), ERR_PEER, "bank-a sent ACCEPT, expected KEY");
	/* The channel can still send the reason to the party. */
	assert_ok(send_abort(hub[A], ERR_PEER, 0, "bank-a sent ACCEPT, expected KEY"));
	assert_err(channel_recv(party[A], MSG_KEYS, m), ERR_PEER,
		   "hub says: bank-a sent ACCEPT, expected KEY");
}

static void test_malformed_body(void **state)
{
	struct buf body = { 0 };

	(void)state;
	buf_add(&body, "abc", 3);
	channel_deliver(hub[A], MSG_ACCEPT, &body, clock_now_s());
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER,
		   "bank-a (during start): ACCEPT (message type 11): its 3 bytes do not parse");
	buf_release(&body);
}

static void test_messages_before_the_failure(void **state)
{
	(void)state;
	assert_ok(send_accept(party[A], 7));
	channel_fail(hub[A], ERR_PEER, "bank-a: connection reset");
	assert_ok(channel_recv(hub[A], MSG_ACCEPT, m));
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER,
		   "connection reset (during start)");
	assert_err(send_abort(hub[A], ERR_PEER, 0, ""), ERR_PEER, "connection reset");
}

/* ---- abort ---- */

static void test_abort_is_carried(void **state)
{
	(void)state;
	channel_step(hub[B], "polish");
	assert_ok(send_abort(party[A], ERR_JOB, ENDING_FAILED, ""));
	/* the ABORT of one party ends the wait for any other */
	assert_err(channel_recv(hub[B], MSG_KEY, m), ERR_JOB,
		   "bank-a says: the job failed there; see its log (during polish)");
	/* the coordinator can send the other party the reason, with the name of the party that
	 * aborted */
	assert_ok(
	    send_abort(hub[B], ERR_JOB, 0, "bank-a says: the job failed there (during polish)"));
	assert_err(channel_recv(party[B], MSG_KEYS, m), ERR_JOB, "hub says: bank-a says");
	assert_string_equal(err_detail(),
			    "hub says: bank-a says: the job failed there (during polish)");
}

/* The coordinator refuses an ABORT with a party's own text, which could reveal data of that party
 * or blame another one. */
static void test_abort_with_words_of_a_party(void **state)
{
	(void)state;
	assert_ok(send_abort(party[A], ERR_PEER, 0, "cluster 0 has 0 rows, fewer than here"));
	assert_err(channel_recv(hub[A], MSG_KEY, m), ERR_PEER,
		   "bank-a: ABORT of a party, whose ending has no number (during start)");
}

static void test_abort_with_a_number_of_the_coordinator(void **state)
{
	(void)state;
	assert_ok(send_abort(hub[A], ERR_PEER, ENDING_CHECK, ""));
	assert_err(channel_recv(party[A], MSG_KEYS, m), ERR_PEER,
		   "hub: ABORT of a coordinator, whose ending has a number (during start)");
}

static void test_abort_is_printable(void **state)
{
	(void)state;
	assert_ok(send_abort(hub[A], ERR_JOB, 0, "a\033[2Jb\nc\xc3\xa4"));
	assert_err(channel_recv(party[A], MSG_KEYS, m), ERR_JOB, "hub says: a?[2Jb?c??");
}

static void test_abort_that_does_not_parse(void **state)
{
	struct buf body = { 0 };

	(void)state;
	buf_add(&body, "\0\0\0\0\0\0\0\0\0\0", 10); /* code OK is not a failure */
	channel_deliver(hub[A], MSG_ABORT, &body, clock_now_s());
	assert_err(channel_recv(hub[A], MSG_KEY, m), ERR_PEER, "bank-a: ABORT");
	buf_release(&body);
}

/* A party that declines ends the job for all, even while the coordinator waits for another
 * party. */
static void test_decline(void **state)
{
	struct msg d = { .type = MSG_DECLINE,
			 .decline = { .code = ERR_INPUT, .ending = ENDING_POLICY } };
	struct buf body = { 0 };

	(void)state;
	assert_ok(channel_send(party[B], &d));
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_INPUT,
		   "bank-b declined the job: its policy does not allow this job; see its log "
		   "(during start)");
	/* only a party may decline: a party refuses DECLINE as the wrong message */
	msg_encode(&body, &d);
	channel_deliver(party[A], MSG_DECLINE, &body, clock_now_s());
	assert_err(channel_recv(party[A], MSG_OFFER, m), ERR_PEER,
		   "hub sent DECLINE, expected OFFER");
	buf_release(&body);
}

/* A party with an older release declines with the name of the parameter that it does not know. */
static void test_decline_of_a_parameter(void **state)
{
	struct msg d = { .type = MSG_DECLINE,
			 .decline = { ERR_PEER, ENDING_UNKNOWN, msg_text("filter.future") } };

	(void)state;
	assert_ok(channel_send(party[B], &d));
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER,
		   "bank-b declined the job: its release does not know a parameter of this job, or "
		   "its value: job.filter.future; see its log");
}

static void test_decline_for_a_missing_pin(void **state)
{
	struct msg d = { .type = MSG_DECLINE,
			 .decline = { ERR_PEER, ENDING_PIN, msg_text("bank-a") } };

	(void)state;
	assert_ok(channel_send(party[B], &d));
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER,
		   "bank-b declined the job: it does not pin the key of a party of this job: "
		   "bank-a; see its log");
}

static void test_decline_that_does_not_parse(void **state)
{
	struct buf body = { 0 };

	(void)state;
	buf_add(&body, "abc", 3);
	channel_deliver(hub[A], MSG_DECLINE, &body, clock_now_s());
	assert_err(channel_recv(hub[B], MSG_ACCEPT, m), ERR_PEER, "bank-a: DECLINE");
	buf_release(&body);
}

/* ABORT overtakes other messages in a queue that does not empty. */
static void test_abort_overtakes(void **state)
{
	struct channel *alone = channel_new(hub_post, COORD, "bank-c");
	struct buf body = { 0 };
	enum msg_type type;

	(void)state;
	assert_ok(send_empty(alone));
	assert_ok(send_empty(alone));
	assert_ok(send_abort(alone, ERR_JOB, 0, "enough"));
	assert_true(channel_take(alone, &type, &body));
	assert_int_equal(type, MSG_ABORT);
	channel_sent(alone, FRAME_HEADER_LEN + body.n);
	assert_false(channel_take(alone, &type, &body));
	assert_ok(channel_flush(alone, 0));
	buf_release(&body);
	channel_free(alone);
}

/* ---- ends of waits ---- */

static void *cancel_soon(void *arg)
{
	(void)arg;
	usleep(30000);
	mailbox_cancel(hub_post, ERR_CANCELLED, "SIGTERM");
	return NULL;
}

static void test_cancel_wakes(void **state)
{
	static const bool both[PARTIES] = { true, true };
	pthread_t t;
	size_t which;

	(void)state;
	pthread_create(&t, NULL, cancel_soon, NULL);
	assert_err(channel_recv_any(hub, both, PARTIES, MSG_KEY, &which, m), ERR_CANCELLED,
		   "SIGTERM (during start)");
	pthread_join(t, NULL);
	assert_err(send_empty(hub[A]), ERR_CANCELLED, "SIGTERM");
	assert_ok(send_abort(hub[A], ERR_PEER, 0, "hub was stopped"));
}

static void *leave_soon(void *arg)
{
	(void)arg;
	usleep(30000);
	channel_free(party[A]);
	party[A] = NULL;
	return NULL;
}

static void test_peer_leaves(void **state)
{
	pthread_t t;

	(void)state;
	assert_ok(send_accept(party[A], 3));
	pthread_create(&t, NULL, leave_soon, NULL);
	assert_ok(channel_recv(hub[A], MSG_ACCEPT, m));
	assert_err(channel_recv(hub[B], MSG_KEY, m), ERR_PEER, "bank-a left (during start)");
	pthread_join(t, NULL);
}

/* The failure of a channel from which no message is wanted ends the wait, too. */
static void test_unwanted_fails(void **state)
{
	static const bool only_a[PARTIES] = { true, false };
	size_t which;

	(void)state;
	assert_ok(send_accept(party[B], 1));
	channel_fail(hub[B], ERR_DEADLINE, "no data from bank-b for 1.0 s");
	assert_err(channel_recv_any(hub, only_a, PARTIES, MSG_KEY, &which, m), ERR_DEADLINE,
		   "no data from bank-b for 1.0 s (during start)");
}

static void test_deadline_without_progress(void **state)
{
	double start = clock_now_s();

	(void)state;
	channel_step(hub[A], "keys");
	assert_err(channel_recv(hub[A], MSG_KEY, m), ERR_DEADLINE,
		   "no progress from bank-a for 0.05 s (during keys)");
	assert_true(clock_now_s() - start >= 0.05);
}

/* Reports progress for 30 times the step's timeout, then sends the message. */
static void *work_and_answer(void *arg)
{
	for (uint64_t i = 1; i <= 150; i++) {
		usleep(10000);
		channel_note_progress(hub[A], i);
	}
	assert_ok(send_accept(party[A], 1));
	return arg;
}

static void *answer_late(void *arg)
{
	usleep(300000);
	assert_ok(send_accept(party[A], 1));
	return arg;
}

static void test_progress_keeps_waiting(void **state)
{
	pthread_t t;

	(void)state;
	pthread_create(&t, NULL, work_and_answer, NULL);
	assert_ok(channel_recv(hub[A], MSG_ACCEPT, m));
	pthread_join(t, NULL);
}

/* Without a step timeout, a wait ends at the job's time limit. */
static void test_job_timeout(void **state)
{
	(void)state;
	mailbox_set_step_timeout(hub_post, 0);
	mailbox_set_job_timeout(hub_post, 0.5);
	assert_ok(send_accept(party[A], 1));
	assert_ok(channel_recv(hub[A], MSG_ACCEPT, m));
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_DEADLINE,
		   "the job exceeded job_timeout_s, 0.5 s, while waiting for bank-a");
}

/* Without a step timeout the wait continues. A later call can set a timeout again. */
static void test_step_timeout_is_set(void **state)
{
	pthread_t t;

	(void)state;
	mailbox_set_step_timeout(hub_post, 0);
	/* the answer comes after six times the former timeout */
	pthread_create(&t, NULL, answer_late, NULL);
	assert_ok(channel_recv(hub[A], MSG_ACCEPT, m));
	pthread_join(t, NULL);
	mailbox_set_step_timeout(hub_post, 0.02);
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_DEADLINE,
		   "no progress from bank-a for 0.02 s");
}

/* Repeats the same number, which is not progress. */
static void *repeat_itself(void *stop)
{
	while (!atomic_load((atomic_bool *)stop)) {
		usleep(1000);
		channel_note_progress(hub[A], 17);
	}
	return NULL;
}

static void test_heartbeats_alone_are_no_progress(void **state)
{
	atomic_bool stop = false;
	pthread_t t;

	(void)state;
	pthread_create(&t, NULL, repeat_itself, &stop);
	assert_err(channel_recv(hub[A], MSG_KEY, m), ERR_DEADLINE, "no progress from bank-a");
	stop = true;
	pthread_join(t, NULL);
}

/* The coordinator passes progress on. A party does not pass progress on; otherwise two idle parties
 * would echo each other's progress for ever. */
static void test_progress_is_relayed_once(void **state)
{
	uint64_t before;

	(void)state;
	before = mailbox_progress(hub_post);
	channel_note_progress(hub[A], 1);
	assert_true(mailbox_progress(hub_post) > before);
	assert_int_equal(channel_progress(hub[B]), mailbox_progress(hub_post));
	before = mailbox_progress(party_post[A]);
	channel_note_progress(party[A], 1);
	assert_int_equal(mailbox_progress(party_post[A]), before);
	assert_ok(send_empty(hub[A])); /* a received message is progress */
	assert_true(mailbox_progress(party_post[A]) > before);
}

static void test_deadline_of_a_sender(void **state)
{
	struct mailbox *p = mailbox_new(0.05);
	struct channel *alone = channel_new(p, PARTY, "hub");
	struct msg big = { .type = MSG_MASKED, .masked.words = filler(MSG_CHUNK_MAX) };
	enum err e = ERR_OK;
	int sent = 0;

	(void)state;
	while (e == ERR_OK && sent < 100) {
		e = channel_send(alone, &big);
		sent++;
	}
	assert_int_equal(e, ERR_DEADLINE);
	assert_non_null(strstr(err_detail(), "no progress from hub"));
	/* after CHANNEL_OUT_MAX bytes of bodies the queue is full, so the next call waits and
	 * fails */
	assert_int_equal(sent, CHANNEL_OUT_MAX / MSG_CHUNK_MAX + 1);
	assert_err(channel_flush(alone, 0.01), ERR_DEADLINE,
		   "bytes for hub not sent within 0.01 s");
	channel_free(alone);
	mailbox_free(p);
}

/* ---- several channels ---- */

static void test_recv_any(void **state)
{
	bool wanted[PARTIES] = { true, true };
	size_t which, seen[PARTIES] = { 0 };

	(void)state;
	assert_ok(send_accept(party[B], 22));
	assert_ok(channel_recv_any(hub, wanted, PARTIES, MSG_ACCEPT, &which, m));
	assert_int_equal(which, B);
	assert_int_equal(m->accept.rows, 22);
	for (int i = 0; i < 10; i++) {
		assert_ok(send_accept(party[A], 11));
		assert_ok(send_accept(party[B], 22));
	}
	for (int i = 0; i < 10; i++) { /* receives from the parties in turn */
		assert_ok(channel_recv_any(hub, wanted, PARTIES, MSG_ACCEPT, &which, m));
		assert_int_equal(m->accept.rows, which == A ? 11 : 22);
		seen[which]++;
	}
	assert_int_equal(seen[A], 5);
	wanted[A] = false;
	for (int i = 0; i < 5; i++) {
		assert_ok(channel_recv_any(hub, wanted, PARTIES, MSG_ACCEPT, &which, m));
		assert_int_equal(which, B);
	}
}

/* A received message stays valid until the next receive on the same channel. */
static void test_borrowing(void **state)
{
	struct msg *other, key = { .type = MSG_KEY };

	(void)state;
	ALLOC(other, 1);
	key.key = (struct msg_key){ .public_key = filler(384),
				    .spki = filler(44),
				    .signature = filler(64) };
	assert_ok(channel_send(party[A], &key));
	assert_ok(channel_send(party[B], &key));
	assert_ok(channel_recv(hub[A], MSG_KEY, m));
	assert_ok(channel_recv(hub[B], MSG_KEY, other));
	assert_memory_equal(m->key.public_key.p, filler(0).p, 384);
	assert_memory_equal(m->key.signature.p, filler(0).p, 64);
	free(other);
}

/* Sends chunks from two parties at once, one hundred times the capacity of the queues, in real
 * threads. */
enum { CHUNKS = 400 };

static void *stream(void *arg)
{
	struct channel *ch = arg;
	struct msg chunk = { .type = MSG_MASKED };

	for (uint64_t i = 0; i < CHUNKS; i++) {
		chunk.masked = (struct msg_masked){ .count = CHUNKS,
						    .offset = i,
						    .words = filler(CHANNEL_CHUNK - (size_t)i) };
		assert_ok(channel_send(ch, &chunk));
	}
	assert_ok(channel_recv(ch, MSG_DONE, &(struct msg){ 0 }));
	return NULL;
}

static void test_streams(void **state)
{
	static const bool both[PARTIES] = { true, true };
	uint64_t next[PARTIES] = { 0 };
	pthread_t t[PARTIES];
	size_t which;

	(void)state;
	for (int i = 0; i < PARTIES; i++)
		pthread_create(&t[i], NULL, stream, party[i]);
	for (int i = 0; i < PARTIES * CHUNKS; i++) {
		assert_ok(channel_recv_any(hub, both, PARTIES, MSG_MASKED, &which, m));
		assert_int_equal(m->masked.offset, next[which]);
		assert_int_equal(m->masked.words.n, CHANNEL_CHUNK - next[which]);
		assert_memory_equal(m->masked.words.p, filler(0).p, 64);
		next[which]++;
	}
	for (int i = 0; i < PARTIES; i++) {
		assert_ok(send_empty(hub[i]));
		assert_ok(channel_flush(hub[i], 10));
	}
	for (int i = 0; i < PARTIES; i++)
		pthread_join(t[i], NULL);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_order),
		IN(set_up, test_wrong_message),
		IN(set_up, test_malformed_body),
		IN(set_up, test_messages_before_the_failure),
		IN(set_up, test_abort_is_carried),
		IN(set_up, test_abort_with_words_of_a_party),
		IN(set_up, test_abort_with_a_number_of_the_coordinator),
		IN(set_up, test_abort_is_printable),
		IN(set_up, test_abort_that_does_not_parse),
		IN(set_up, test_decline),
		IN(set_up, test_decline_of_a_parameter),
		IN(set_up, test_decline_for_a_missing_pin),
		IN(set_up, test_decline_that_does_not_parse),
		IN(set_up, test_abort_overtakes),
		IN(set_up, test_cancel_wakes),
		IN(set_up, test_peer_leaves),
		IN(set_up, test_unwanted_fails),
		IN(set_up_hasty, test_deadline_without_progress),
		IN(set_up_hasty, test_heartbeats_alone_are_no_progress),
		IN(set_up_half_second, test_progress_keeps_waiting),
		IN(set_up_hasty, test_step_timeout_is_set),
		IN(set_up_hasty, test_job_timeout),
		IN(set_up, test_progress_is_relayed_once),
		IN(set_up, test_deadline_of_a_sender),
		IN(set_up, test_recv_any),
		IN(set_up, test_borrowing),
		IN(set_up, test_streams),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
