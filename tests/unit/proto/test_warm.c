/* Tests the amount and the time of padding, and which links need it. The window is the number of
 * bytes that TCP sends before an answer; it doubles if it is filled. A turn is all messages before
 * an answer. */
#include "tests/test.h"

#include "common/base/alloc.h"
#include "proto/channel_own.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 14000, MOST = 512 << 10 };

static struct mailbox *mailbox;
static struct channel *ch;

static int set_up(void **state)
{
	(void)state;
	mailbox = mailbox_new(5);
	ch = channel_new(mailbox, PARTY, "hub");
	channel_set_rtt(ch, 0.2);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	channel_free(ch);
	mailbox_free(mailbox);
	return 0;
}

static void say(size_t bytes) /* sends a frame of this size */
{
	struct msg m = { .type = MSG_MASKED };
	uint8_t *words = alloc(bytes, 1);

	m.masked.words = (struct bytes){ words, bytes - FRAME_HEADER_LEN - 36 };
	assert_ok(channel_send(ch, &m));
	free(words);
}

/* Returns the bytes of padding in the queue, and empties the queue. */
static size_t padding(void)
{
	struct buf body = { 0 };
	enum msg_type type;
	size_t bytes = 0;

	while (channel_take(ch, &type, &body)) {
		for (size_t i = 0; type == MSG_PADDING && i < body.n; i++)
			assert_true(i < 4 || body.p[i] == 0);
		bytes += type == MSG_PADDING ? body.n - 4 : 0;
		channel_sent(ch, FRAME_HEADER_LEN + body.n);
	}
	buf_release(&body);
	return bytes;
}

/* Each call of channel_warm() fills the window that the call before has opened. */
TEST_WITH(test_doubles, set_up, tear_down)
{
	size_t window = FIRST;

	for (int turn = 0; turn < 4; turn++) {
		size_t said = (size_t)1000 << turn;

		say(said);
		assert_ok(channel_warm(ch, MOST));
		assert_int_equal(padding(), window - said);
		window *= 2;
	}
}

/* channel_warm() sends no more padding than `need`, and none if the message itself opens the
 * window. */
TEST_WITH(test_opens_no_more_than_needed, set_up, tear_down)
{
	assert_ok(channel_warm(ch, 0));
	assert_int_equal(padding(), 0);
	assert_ok(channel_warm(ch, 5000));
	assert_int_equal(padding(), 5000);
	say(5000);
	assert_ok(channel_warm(ch, 5000));
	assert_int_equal(padding(), 0);
	say(100 << 10); /* a message of 100 KiB opens the window by itself */
	assert_ok(channel_warm(ch, 100 << 10));
	assert_int_equal(padding(), 0);
	assert_ok(channel_warm(ch, 100 << 10));
	assert_int_equal(padding(), 100 << 10); /* padding keeps the window open */
}

TEST_WITH(test_at_most, set_up, tear_down)
{
	for (int turn = 0; turn < 10; turn++) {
		assert_ok(channel_warm(ch, SIZE_MAX));
		assert_true(padding() <= MOST);
	}
	assert_ok(channel_warm(ch, SIZE_MAX));
	assert_int_equal(padding(), MOST);
}

/* channel_warm_on() fills the window that this turn opens, less the bytes already sent and the
 * bytes that the next turn sends. */
TEST_WITH(test_opens_a_turn_ahead, set_up, tear_down)
{
	say(2000);
	assert_ok(channel_warm(ch, MOST));
	assert_int_equal(padding(), FIRST - 2000);
	say(500);
	assert_ok(channel_warm_on(ch, MOST, 1000));
	assert_int_equal(padding(), 2 * FIRST - 500 - 1000);
	assert_ok(channel_warm(ch, MOST));
	assert_int_equal(padding(), 4 * FIRST - 1500);
	assert_ok(channel_warm_on(ch, 3000, 3000));
	assert_int_equal(padding(), 0);
	channel_set_rtt(ch, 0.001);
	assert_ok(channel_warm_on(ch, MOST, 0));
	assert_int_equal(padding(), 0);
}

/* Sends no padding on a short link, or on a link with unknown round trip. */
TEST_WITH(test_short_links, set_up, tear_down)
{
	static const double rtt[] = { -1, 0, 0.0002, 0.019 };

	for (size_t i = 0; i < sizeof(rtt) / sizeof(*rtt); i++) {
		channel_set_rtt(ch, rtt[i]);
		assert_ok(channel_warm(ch, MOST));
		assert_ok(channel_touch(ch));
		assert_int_equal(padding(), 0);
	}
}

TEST_WITH(test_touch, set_up, tear_down)
{
	assert_ok(channel_touch(ch));
	assert_int_equal(padding(), 1);
}

TEST_WITH(test_broken, set_up, tear_down)
{
	channel_fail(ch, ERR_PEER, "hub left");
	assert_err(channel_warm(ch, MOST), ERR_PEER, "hub left");
}
