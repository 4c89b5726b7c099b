/* A party's messages are recorded before they leave.
 *
 *     bank -- queued, noted --| held |-- commit --> hub */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "proto/channel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct mailbox *hub_post, *bank_post;
static struct channel *hub, *bank;

/* A recorder that counts messages, and fails if the test says so. */
static struct book {
	unsigned noted, kept, commits;
	enum msg_type last;
	size_t bytes;
	enum err note_fails, commit_fails;
} book;

static enum err note(void *arg, const struct msg *m, struct bytes body)
{
	struct book *b = arg;

	if (b->note_fails != ERR_OK)
		return err_set(b->note_fails, "policy.max_words is 1");
	b->noted++;
	b->last = m->type;
	b->bytes += body.n;
	return ERR_OK;
}

static enum err commit(void *arg)
{
	struct book *b = arg;

	if (b->commit_fails != ERR_OK)
		return err_set(b->commit_fails, "ledger.db: disk full");
	b->kept += b->noted;
	b->noted = 0;
	b->commits++;
	return ERR_OK;
}

static void forget(void *arg)
{
	((struct book *)arg)->noted = 0;
}

static int set_up(void **state)
{
	struct channel_recorder r = { note, commit, forget, &book };

	(void)state;
	book = (struct book){ 0 };
	hub_post = mailbox_new(5);
	bank_post = mailbox_new(5);
	hub = channel_new(hub_post, COORD, "bank");
	bank = channel_new(bank_post, PARTY, "hub");
	channel_pair(hub, bank);
	channel_record(bank, &r);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	channel_free(bank);
	channel_free(hub);
	mailbox_free(bank_post);
	mailbox_free(hub_post);
	return 0;
}

static enum err send_masked(size_t bytes)
{
	uint8_t *words = alloc(bytes, 1);
	struct msg m = { .type = MSG_MASKED,
			 .masked = { .count = bytes / 8, .words = { words, bytes } } };
	enum err e = channel_send(bank, &m);

	free(words);
	return e;
}

/* Returns the number of messages of this type that have reached the hub's queue. */
static uint64_t arrived(enum msg_type type)
{
	struct link_state link;

	channel_link(hub, &link);
	for (size_t i = 0; i < link.types; i++)
		if (link.type[i].number == type)
			return link.type[i].messages_received;
	return 0;
}

TEST_WITH(test_held_until_released, set_up, tear_down)
{
	assert_ok(channel_release(bank)); /* no message is held */
	assert_int_equal(book.commits, 0);
	assert_ok(send_masked(8));
	assert_ok(send_masked(16));
	assert_int_equal(book.noted, 2);
	assert_int_equal(book.bytes, 2 * (4 + 8 + 8 + 8 + 4 + 4) + 8 + 16);
	assert_int_equal(arrived(MSG_MASKED), 0);
	assert_ok(channel_release(bank));
	assert_int_equal(book.commits, 1);
	assert_int_equal(book.kept, 2);
	assert_int_equal(arrived(MSG_MASKED), 2);
}

static void *answers(void *arg)
{
	struct msg m;

	assert_ok(channel_recv(hub, MSG_MASKED, &m));
	assert_ok(channel_send(hub, &(struct msg){ .type = MSG_DONE }));
	return arg;
}

/* The channel commits all held messages at once, when the party waits for an answer, flushes or
 * pauses. */
TEST_WITH(test_waiting_lets_go, set_up, tear_down)
{
	pthread_t thread;
	struct msg *m;

	ALLOC(m, 1);
	assert_ok(send_masked(8));
	assert_ok(send_masked(8));
	assert_ok(send_masked(8));
	pthread_create(&thread, NULL, answers, NULL);
	assert_ok(channel_recv(bank, MSG_DONE, m));
	pthread_join(thread, NULL);
	assert_int_equal(book.commits, 1);
	assert_int_equal(arrived(MSG_MASKED), 3);
	assert_ok(send_masked(8));
	assert_ok(channel_flush(bank, 5));
	assert_int_equal(book.commits, 2);
	assert_ok(send_masked(8));
	assert_ok(channel_pause(bank, 0.001));
	assert_int_equal(book.commits, 3);
	assert_int_equal(arrived(MSG_MASKED), 5);
	free(m);
}

/* The channel commits and sends messages as soon as they fill CHANNEL_HELD_MAX, while the vector is
 * still incomplete. */
TEST_WITH(test_much_is_let_go, set_up, tear_down)
{
	for (int i = 0; i < 3; i++)
		assert_ok(send_masked(CHANNEL_HELD_MAX / 4));
	assert_int_equal(arrived(MSG_MASKED), 0);
	assert_ok(send_masked(CHANNEL_HELD_MAX / 4));
	assert_int_equal(book.commits, 1);
	assert_int_equal(book.kept, 4);
	assert_true(arrived(MSG_MASKED) > 0);
}

/* The recorder does not record padding. Padding does not overtake held messages. */
TEST_WITH(test_padding, set_up, tear_down)
{
	channel_set_rtt(bank, 0.2);
	assert_ok(send_masked(8));
	assert_ok(channel_warm(bank, 5000));
	assert_int_equal(book.commits, 1);
	assert_int_equal(book.kept, 1);
	assert_int_equal(book.last, MSG_MASKED);
	assert_int_equal(arrived(MSG_MASKED), 1);
	assert_int_equal(arrived(MSG_PADDING), 1);
	assert_ok(send_masked(8));
	assert_ok(channel_touch(bank));
	assert_int_equal(book.commits, 2);
	assert_int_equal(arrived(MSG_MASKED), 2);
	/* the link is too short for padding, but the held message still leaves */
	channel_set_rtt(bank, 0.0001);
	assert_ok(send_masked(8));
	assert_ok(channel_warm(bank, 5000));
	assert_int_equal(arrived(MSG_MASKED), 3);
}

/* A message that cannot be recorded does not leave. The ABORT that ends the job leaves. */
TEST_WITH(test_record_is_not_given_up, set_up, tear_down)
{
	struct msg bye = { .type = MSG_ABORT, .abort = { .code = ERR_JOB } };
	struct msg *m;

	ALLOC(m, 1);
	assert_ok(send_masked(8));
	book.commit_fails = ERR_JOB;
	assert_err(channel_recv(bank, MSG_DONE, m), ERR_JOB, "ledger.db: disk full");
	assert_err(channel_release(bank), ERR_JOB, "ledger.db: disk full");
	assert_err(channel_flush(bank, 5), ERR_JOB, "ledger.db: disk full");
	assert_int_equal(arrived(MSG_MASKED), 0);
	assert_ok(channel_send(bank, &bye));
	assert_ok(channel_flush(bank, 5));
	assert_int_equal(arrived(MSG_MASKED), 0);
	assert_int_equal(arrived(MSG_ABORT), 1);
	free(m);
}

/* Unlike ABORT, a DECLINE does not clear the queue, but it leaves without the unrecorded message,
 * too. */
TEST_WITH(test_decline_takes_nothing_along, set_up, tear_down)
{
	struct msg no = { .type = MSG_DECLINE,
			  .decline = { .code = ERR_JOB, .ending = ENDING_POLICY } };

	assert_ok(send_masked(8));
	book.commit_fails = ERR_JOB;
	assert_ok(channel_send(bank, &no));
	assert_ok(channel_flush(bank, 5));
	assert_int_equal(arrived(MSG_MASKED), 0);
	assert_int_equal(arrived(MSG_DECLINE), 1);
}

/* The record does not include a message that was noted and then dropped for an ABORT. */
TEST_WITH(test_abort_forgets, set_up, tear_down)
{
	struct msg bye = { .type = MSG_ABORT, .abort = { .code = ERR_JOB } };

	assert_ok(send_masked(8));
	assert_ok(send_masked(8));
	assert_ok(channel_send(bank, &bye));
	assert_int_equal(book.kept, 1);
	assert_int_equal(book.last, MSG_ABORT);
	assert_int_equal(arrived(MSG_MASKED), 0);
	assert_int_equal(arrived(MSG_ABORT), 1);
}

/* A message that the recorder refuses (a budget is spent) is not queued. */
TEST_WITH(test_refused, set_up, tear_down)
{
	assert_ok(send_masked(8));
	book.note_fails = ERR_PEER;
	assert_err(send_masked(8), ERR_PEER, "max_words");
	assert_ok(channel_release(bank));
	assert_int_equal(arrived(MSG_MASKED), 1);
}

/* A pause ends when the job ends. */
TEST_WITH(test_pause_ends_with_the_job, set_up, tear_down)
{
	double start = clock_now_s();

	assert_ok(channel_pause(bank, 0.02));
	assert_true(clock_now_s() - start >= 0.02);
	mailbox_cancel(bank_post, ERR_CANCELLED, "bank was stopped");
	assert_err(channel_pause(bank, 3600), ERR_CANCELLED, "bank was stopped");
}

/* Receives either of two types, and refuses a third. */
TEST_WITH(test_either_of_two_types, set_up, tear_down)
{
	struct msg ask = { .type = MSG_ASKING, .asking = { 7 } }, m;
	size_t which = 9;

	assert_ok(channel_send(bank, &ask));
	assert_ok(send_masked(8));
	assert_ok(channel_release(bank));
	assert_ok(channel_recv_either(&hub, NULL, 1, MSG_ACCEPT, MSG_ASKING, &which, &m));
	assert_int_equal(which, 0);
	assert_int_equal(m.type, MSG_ASKING);
	assert_int_equal(m.asking.within_s, 7);
	assert_err(channel_recv_either(&hub, NULL, 1, MSG_ACCEPT, MSG_ASKING, &which, &m), ERR_PEER,
		   "bank sent MASKED, expected ACCEPT");
}
