/* channel_drain() waits until the peer has acknowledged all frames. A channel reuses emptied
 * buffers. */
#include "tests/unit/proto/cut_wire.h"
#include "common/base/progress.h"

#include <pthread.h>
#include <unistd.h>

/* ---- computing on after the peer has left ---- */

/* If a peer has left, a computation is stopped until mailbox_alone() is called, and not after. If
 * the job is cancelled, it is stopped in both cases. */
static void test_alone(void **state)
{
	(void)state;
	for (int left_first = 0; left_first < 2; left_first++)
		for (int cancelled = 0; cancelled < 2; cancelled++) {
			struct mailbox *mailbox = mailbox_new(1);
			struct channel *ch = channel_new(mailbox, PARTY, "hub");

			mailbox_enter(mailbox);
			if (left_first) {
				channel_fail(ch, ERR_PEER, "hub closed the connection");
				assert_true(progress_stopped());
				if (cancelled)
					mailbox_cancel(mailbox, ERR_CANCELLED,
						       "bank-a was stopped");
			}
			mailbox_alone(mailbox);
			assert_int_equal(progress_stopped(), left_first && cancelled);
			if (!left_first) {
				channel_fail(ch, ERR_PEER, "hub closed the connection");
				assert_false(progress_stopped());
				if (cancelled)
					mailbox_cancel(mailbox, ERR_CANCELLED,
						       "bank-a was stopped");
			}
			assert_int_equal(progress_stopped(), cancelled);
			mailbox_enter(NULL);
			channel_free(ch);
			mailbox_free(mailbox);
		}
}

/* ---- waiting until all has arrived ---- */

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

/* A channel keeps emptied buffers for later messages, up to a bound. If the bound becomes smaller,
 * the channel frees the buffers above it. */
static void test_spares(void **state)
{
	enum { MIB = 1 << 20 };
	struct mailbox *mailbox = mailbox_new(1);
	struct channel *ch = channel_new(mailbox, PARTY, "hub");

	(void)state;
	recycle_many(ch);
	assert_in_range(room_of_spares(ch), 2 * MIB, 4 * MIB);
	channel_spare_little(ch, true);
	assert_in_range(room_of_spares(ch), MIB / 2, MIB);
	recycle_many(ch);
	assert_in_range(room_of_spares(ch), MIB / 2, MIB);
	channel_free(ch);
	mailbox_free(mailbox);
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
	channel_resume_fill(hub.ch, &m);
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
	mailbox_cancel(bank.mailbox, ERR_CANCELLED, "bank-a was stopped");
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

/* channel_drain()'s timeout excludes the time while the connection is lost. The wait then ends when
 * the connection resumes, or fails when the loop thread gives up or the job is cancelled. */
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
	bool is = mailbox_overdue(bank.mailbox, &end);

	assert_string_equal(end.code == ERR_OK ? "" : end.why, why);
	return is;
}

/* The job has failed, and its thread drains a channel whose peer is away. During this wait the job
 * must not be overdue. */
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
	struct channel *other = channel_new(bank.mailbox, PARTY, "bank-b");

	(void)state;
	assert_false(overdue(""));
	say(&bank);
	connection(&bank, &hub, ALL, 0);
	assert_true(channel_lost(bank.ch));
	channel_fail(other, ERR_PEER, "bank-b left");
	assert_true(overdue("bank-b left")); /* this thread is not waiting */
	assert_err(drain_while(look_then_fail, 20), ERR_PEER, "hub did not come back");
	assert_true(overdue("bank-b left"));
	channel_free(other);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_spares),
		IN(test_drain),
		IN(test_drain_while_away),
		IN(test_overdue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
