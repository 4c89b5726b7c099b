/* Tests a channel from the loop thread's side, and the times that a mailbox measures. */
#include "joined.h"

#include "common/base/clock.h"
#include "proto/frame.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void count_wake(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static void test_full_and_wake(void **state)
{
	struct channel *alone = channel_new(hub_post, COORD, "bank-c");
	struct buf body = { 0 }, wire = { 0 };
	atomic_int wakes = 0;
	int delivered = 0;

	(void)state;
	channel_on_wake(alone, count_wake, &wakes);
	m->type = MSG_MASKED;
	m->masked = (struct msg_masked){ .words = filler(CHANNEL_CHUNK) };
	msg_encode(&wire, m);
	while (!channel_is_full(alone)) {
		buf_add(&body, wire.p, wire.n);
		channel_deliver(alone, MSG_MASKED, &body, clock_now_s());
		assert_int_equal(body.n, 0);
		delivered++;
	}
	assert_int_equal(delivered, CHANNEL_IN_MAX / CHANNEL_CHUNK);
	assert_int_equal(wakes, 0);
	for (int i = 0; i < delivered; i++)
		assert_ok(channel_recv(alone, MSG_MASKED, m));
	assert_int_equal(wakes, 1); /* the queue has room again */
	assert_false(channel_is_full(alone));
	assert_ok(send_empty(alone));
	assert_int_equal(wakes, 2); /* the queue has a message to send */
	channel_on_wake(alone, NULL, NULL);
	assert_ok(send_empty(alone));
	assert_int_equal(wakes, 2);
	channel_on_wake(alone, count_wake, &wakes); /* wakes at once: two messages wait to leave */
	assert_int_equal(wakes, 3);
	buf_release(&body);
	buf_release(&wire);
	channel_free(alone);
}

/* Empty messages fill the queue, too. */
static void test_full_of_nothing(void **state)
{
	struct channel *alone = channel_new(hub_post, COORD, "bank-c");
	struct buf body = { 0 };
	size_t delivered = 0;

	(void)state;
	while (!channel_is_full(alone) && delivered < 10 * CHANNEL_IN_MAX) {
		channel_deliver(alone, MSG_DONE, &body, clock_now_s());
		delivered++;
	}
	assert_true(delivered <= CHANNEL_IN_MAX / 32);
	buf_release(&body);
	channel_free(alone);
}

/* Delivers DONE, whose first byte arrives at the given time. */
static void deliver_done(struct channel *ch, double first_byte_s)
{
	struct buf body = { 0 };

	msg_encode(&body, &(struct msg){ .type = MSG_DONE });
	channel_deliver(ch, MSG_DONE, &body, first_byte_s);
	buf_release(&body);
}

static struct channel *late_one;
static double first_byte_after_s;

static void *deliver_late(void *arg)
{
	double start = clock_now_s();

	usleep(200000);
	deliver_done(late_one, start + first_byte_after_s);
	return arg;
}

static void wait_for_it(double first_after_s, struct link_times *t, double *blocked_s)
{
	pthread_t thread;
	double start;

	first_byte_after_s = first_after_s;
	mailbox_times(hub_post, t);
	start = clock_now_s();
	pthread_create(&thread, NULL, deliver_late, NULL);
	assert_ok(channel_recv(late_one, MSG_DONE, m));
	pthread_join(thread, NULL);
	*blocked_s = clock_now_s() - start;
	mailbox_times(hub_post, t);
}

/* Sends a message, then waits for DONE. *t gets the wait, divided into computing and transport. */
static void times_of(double rtt_s, double first_after_s, struct link_times *t, double *blocked_s)
{
	channel_set_rtt(late_one, rtt_s);
	assert_ok(send_empty(late_one));
	wait_for_it(first_after_s, t, blocked_s);
}

static void test_times(void **state)
{
	struct link_times t;
	double blocked;

	(void)state;
	late_one = channel_new(hub_post, COORD, "bank-c");
	/* the whole message arrives at the last moment, without a known round trip: the peer
	 * computed */
	times_of(-1, 10, &t, &blocked);
	assert_true(t.wait_s > 0 && t.wait_s <= blocked && t.wire_s == 0);
	/* a known round trip of 50 ms counts as transport */
	times_of(0.05, 10, &t, &blocked);
	assert_true(t.wire_s > 0.0499 && t.wire_s < 0.0501);
	assert_true(t.wait_s > 0 && t.wait_s + t.wire_s <= blocked);
	/* the round trip is already counted: the wait for the next message is the peer's
	 * computing */
	wait_for_it(10, &t, &blocked);
	assert_true(t.wait_s > 0 && t.wire_s == 0);
	/* a round trip longer than the blocked time counts as that time, and no more */
	times_of(5, 10, &t, &blocked);
	assert_true(t.wait_s == 0 && t.wire_s > 0 && t.wire_s <= blocked);
	/* the message's own transfer counts; half of the transfer happened during the wait */
	times_of(-1, 0.1, &t, &blocked);
	assert_true(t.wire_s > 0 && t.wait_s > 0 && t.wire_s + t.wait_s <= blocked);
	/* the first byte of the message had arrived before the wait */
	times_of(-1, -10, &t, &blocked);
	assert_true(t.wait_s == 0 && t.wire_s > 0 && t.wire_s <= blocked);
	/* without a wait there is nothing to count */
	deliver_done(late_one, clock_now_s());
	assert_ok(channel_recv(late_one, MSG_DONE, m));
	mailbox_times(hub_post, &t);
	assert_true(t.wait_s == 0 && t.wire_s == 0);
	channel_free(late_one);
}

static void test_traffic(void **state)
{
	static const uint8_t id[JOB_ID_LEN] = { 0x0a, 0xff };
	struct link_state link;
	const struct link_type *t = link.type;

	(void)state;
	channel_link(hub[A], &link);
	assert_int_equal(link.types, 0);
	assert_string_equal(link.peer, channel_peer(hub[A]));
	assert_string_equal(link.job, "");
	channel_of_job(hub[A], id, 1);
	assert_ok(send_accept(party[A], 1));
	assert_ok(send_accept(party[A], 2));
	assert_ok(send_empty(hub[A]));
	channel_count(hub[A], MSG_HEARTBEAT, true, 3, 84);
	channel_link(hub[A], &link);
	assert_string_equal(link.job, "0aff0000000000000000000000000000");
	assert_int_equal(link.types, 3);
	assert_int_equal(t[0].number, MSG_HEARTBEAT);
	assert_string_equal(t[0].name, "HEARTBEAT");
	assert_int_equal(t[0].messages_sent, 3);
	assert_int_equal(t[0].bytes_sent, 84);
	assert_int_equal(t[1].number, MSG_ACCEPT);
	assert_int_equal(t[1].messages_received, 2);
	assert_int_equal(t[1].bytes_received, 2 * (FRAME_HEADER_LEN + 3 * HASH_LEN + 12));
	assert_int_equal(t[1].messages_sent, 0);
	assert_int_equal(t[2].number, MSG_DONE);
	assert_int_equal(t[2].messages_sent, 1);
	assert_int_equal(t[2].bytes_sent, FRAME_HEADER_LEN + 4);
	assert_int_equal(channel_bytes(hub[A]),
			 t[0].bytes_sent + t[1].bytes_received + t[2].bytes_sent);
	assert_true(link.rtt_s < 0);
	assert_string_equal(link.congestion, "");
	channel_set_rtt(hub[A], 0.25);
	channel_set_congestion(hub[A], "cubic");
	channel_link(hub[A], &link);
	assert_true(link.rtt_s == 0.25);
	assert_string_equal(link.congestion, "cubic");
	channel_link(party[A], &link);
	assert_int_equal(link.types, 2);
	assert_int_equal(t[0].messages_sent, 2);
}

static void observe(void *arg, enum msg_type type, struct bytes body)
{
	struct buf *seen = arg;

	buf_printf(seen, "%s", msg_name(type));
	buf_add(seen, body.p, body.n);
}

static void test_observer(void **state)
{
	static const uint8_t packed[] = { 0xe4, 0x09 };
	struct msg cells = { .type = MSG_CELLS, .labels = { 5, 3, 6, 0, { packed, 2 } } };
	struct buf seen = { 0 }, expect = { 0 };

	(void)state;
	channel_observe(party[A], observe, &seen);
	assert_ok(channel_send(hub[A], &cells));
	assert_ok(send_empty(hub[A]));
	assert_ok(channel_recv(party[A], MSG_CELLS, m));
	buf_add(&expect, "CELLS", 5);
	msg_encode(&expect, &cells);
	buf_add(&expect, "", 0);
	assert_int_equal(seen.n, expect.n);
	assert_memory_equal(seen.p, expect.p, seen.n);
	channel_observe(party[A], NULL, NULL);
	assert_ok(channel_recv(party[A], MSG_DONE, m));
	assert_int_equal(seen.n, expect.n);
	buf_release(&seen);
	buf_release(&expect);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_full_and_wake), IN(set_up, test_full_of_nothing),
		IN(set_up, test_times),         IN(set_up, test_traffic),
		IN(set_up, test_observer),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
