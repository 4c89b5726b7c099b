/* The mailbox distinguishes the end of an attempt from the end of a job. */
#include "joined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void send_code(struct channel *ch, enum msg_type type, uint16_t code)
{
	bool of_party = ch == party[A] || ch == party[B];
	struct msg sent = { .type = type };

	if (type == MSG_DECLINE)
		sent.decline = (struct msg_decline){ .code = code, .ending = ENDING_ATTEMPT };
	else if (of_party)
		sent.abort = (struct msg_abort){ .code = code, .ending = ENDING_CHECK };
	else
		sent.abort =
		    (struct msg_abort){ .code = code, .text = msg_text("bank-b has lost the job") };
	assert_ok(channel_send(ch, &sent));
}

/* When the coordinator announces another attempt, the current attempt fails as usual, and
 * mailbox_again() returns true. */
static void test_abort_of_an_attempt(void **state)
{
	(void)state;
	assert_false(mailbox_again(party_post[A]));
	send_code(hub[A], MSG_ABORT, MSG_AGAIN);
	assert_err(channel_recv(party[A], MSG_OFFER, m), ERR_PEER, "bank-b has lost the job");
	assert_true(mailbox_again(party_post[A]));
	assert_false(mailbox_again(hub_post));
}

static void test_abort_of_the_job(void **state)
{
	(void)state;
	send_code(hub[A], MSG_ABORT, ERR_DEADLINE);
	assert_err(channel_recv(party[A], MSG_OFFER, m), ERR_DEADLINE, "has lost the job");
	assert_false(mailbox_again(party_post[A]));
}

/* A party can ask for another attempt only by DECLINE. The coordinator refuses an ABORT that asks
 * for one. */
static void test_word_of_a_party(void **state)
{
	send_code(party[A], MSG_ABORT, MSG_AGAIN);
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER,
		   "bank-a says: a message that it received");
	assert_false(mailbox_again(hub_post));
	again(state);
	send_code(party[A], MSG_DECLINE, MSG_AGAIN);
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER, "bank-a declined the job");
	assert_true(mailbox_again(hub_post));
	again(state);
	send_code(party[A], MSG_DECLINE, ERR_PEER);
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER, "bank-a declined the job");
	assert_false(mailbox_again(hub_post));
}

static void test_crash(void **state)
{
	(void)state;
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_DEADLINE, "bank-b did not come back");
	assert_true(mailbox_again(hub_post));
}

/* A failed channel makes a job overdue. After mailbox_settle(), neither mailbox_cancel() nor a
 * failed channel ends the job or makes it overdue. */
static void test_settled(void **state)
{
	struct err_saved end;

	channel_fail(hub[A], ERR_PEER, "bank-a is not there");
	assert_true(mailbox_overdue(hub_post, &end));
	assert_string_equal(end.why, "bank-a is not there");
	again(state);
	assert_false(mailbox_settled(hub_post));
	assert_ok(mailbox_settle(hub_post));
	assert_true(mailbox_settled(hub_post));
	mailbox_cancel(hub_post, ERR_CANCELLED, "coordinator was stopped");
	assert_ok(mailbox_error(hub_post));
	channel_fail(hub[A], ERR_PEER, "bank-a is not there");
	assert_false(mailbox_overdue(hub_post, &end));
}

/* If a process is stopped (mailbox_interrupt()), another attempt may follow, unless the job was
 * cancelled or settled before. */
static void test_interrupted(void **state)
{
	mailbox_interrupt(hub_post, ERR_PEER, "coordinator was stopped");
	assert_err(channel_recv(hub[A], MSG_ACCEPT, m), ERR_PEER, "coordinator was stopped");
	assert_true(mailbox_again(hub_post));
	again(state);
	mailbox_cancel(hub_post, ERR_CANCELLED, "coordinator was stopped");
	mailbox_interrupt(hub_post, ERR_PEER, "coordinator was stopped");
	assert_false(mailbox_again(hub_post));
	again(state);
	assert_ok(mailbox_settle(hub_post));
	mailbox_interrupt(hub_post, ERR_PEER, "coordinator was stopped");
	assert_false(mailbox_again(hub_post));
}

/* Only the first channel that fails decides whether another attempt may follow. An ABORT that ends
 * the job prevents another attempt, even after such a failure. */
static void test_crash_among_others(void **state)
{
	channel_fail(hub[A], ERR_PEER, "bank-a left");
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	assert_false(mailbox_again(hub_post));
	again(state);
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	channel_fail(hub[A], ERR_PEER, "bank-a left");
	assert_true(mailbox_again(hub_post));
	again(state);
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	send_code(party[A], MSG_ABORT, ERR_INPUT);
	assert_false(mailbox_again(hub_post));
}

static void test_stopped_job_has_no_attempt(void **state)
{
	(void)state;
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	mailbox_cancel(hub_post, ERR_CANCELLED, "hub was stopped");
	assert_false(mailbox_again(hub_post));
}

/* mailbox_settle() and a peer's failure exclude each other. The first of them settles the job or
 * ends the attempt; the other changes nothing. */
static void test_done_or_another_attempt(void **state)
{
	assert_false(mailbox_settled(hub_post));
	assert_ok(mailbox_settle(hub_post));
	assert_true(mailbox_settled(hub_post));
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	assert_false(mailbox_again(hub_post));
	again(state);
	channel_fail_again(hub[B], ERR_DEADLINE, "bank-b did not come back");
	assert_err(mailbox_settle(hub_post), ERR_DEADLINE, "bank-b did not come back");
	assert_false(mailbox_settled(hub_post));
	assert_true(mailbox_again(hub_post));
}

/* mailbox_done() returns true if the coordinator reports that the job is done
 * (channel_fail_done()). It returns false if the channel failed before the report, or if the job is
 * cancelled. */
static void test_job_that_was_done(void **state)
{
	channel_fail_done(party[A], ERR_PEER, "the job is done");
	assert_err(channel_recv(party[A], MSG_DONE, m), ERR_PEER, "the job is done");
	assert_true(mailbox_done(party_post[A]));
	assert_false(mailbox_again(party_post[A]));
	again(state);
	channel_fail(party[A], ERR_PEER, "hub left");
	channel_fail_done(party[A], ERR_PEER, "the job is done");
	assert_false(mailbox_done(party_post[A]));
	again(state);
	channel_fail_done(party[A], ERR_PEER, "the job is done");
	mailbox_cancel(party_post[A], ERR_CANCELLED, "bank-a was stopped");
	assert_false(mailbox_done(party_post[A]));
	again(state);
	channel_fail_again(party[A], ERR_PEER, "hub is not there");
	assert_false(mailbox_done(party_post[A]));
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		IN(set_up, test_abort_of_an_attempt),
		IN(set_up, test_abort_of_the_job),
		IN(set_up, test_word_of_a_party),
		IN(set_up, test_crash),
		IN(set_up, test_settled),
		IN(set_up, test_interrupted),
		IN(set_up, test_crash_among_others),
		IN(set_up, test_stopped_job_has_no_attempt),
		IN(set_up, test_done_or_another_attempt),
		IN(set_up, test_job_that_was_done),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
