/* joined.h -- joins a coordinator's channels to two parties' channels in memory. */
#ifndef TESTS_UNIT_PROTO_JOINED_H
#define TESTS_UNIT_PROTO_JOINED_H

#include "tests/test.h"

#include "common/base/alloc.h"
#include "proto/channel.h"

#include "samples.h"

enum { A, B, PARTIES };
static const char *const name[PARTIES] = { "bank-a", "bank-b" };
static struct mailbox *hub_post, *party_post[PARTIES];
static struct channel *hub[PARTIES], *party[PARTIES];
static struct msg *m; /* too large for the stack */

static inline void open_with(double step_timeout_s)
{
	hub_post = mailbox_new(step_timeout_s);
	for (int i = 0; i < PARTIES; i++) {
		party_post[i] = mailbox_new(step_timeout_s);
		hub[i] = channel_new(hub_post, COORD, name[i]);
		party[i] = channel_new(party_post[i], PARTY, "hub");
		channel_pair(hub[i], party[i]);
	}
}

static inline int set_up(void **state)
{
	(void)state;
	open_with(30);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < PARTIES; i++) {
		channel_free(hub[i]);
		channel_free(party[i]);
		hub[i] = party[i] = NULL;
		mailbox_free(party_post[i]);
	}
	mailbox_free(hub_post);
	return 0;
}

/* Sets up new channels after one has broken. */
static inline void again(void **state)
{
	tear_down(state);
	set_up(state);
}

/* Requires that a call on `from` returned the error `got` with this text, and that a later receive
 * on `from` fails with the same text. */
static inline void refused(struct channel *from, enum err got, const char *says)
{
	assert_err(got, ERR_PEER, says);
	assert_err(channel_recv(from, MSG_DONE, m), ERR_PEER, says);
}

static inline enum err send_accept(struct channel *ch, uint64_t rows)
{
	struct msg accept = { .type = MSG_ACCEPT, .accept.rows = rows };

	return channel_send(ch, &accept);
}

static inline enum err send_empty(struct channel *ch)
{
	struct msg done = { .type = MSG_DONE };

	return channel_send(ch, &done);
}

#define IN(set_up_, test) cmocka_unit_test_setup_teardown(test, set_up_, tear_down)

#endif
