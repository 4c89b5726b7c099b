/* A connection without its TLS: any bytes a peer may send inside TLS, in any pieces, to a listening
 * owner with a job behind it. It ends or it does not; it is closed exactly once, nothing leaks, and
 * its queue keeps its bound.
 *
 * conn_in.c is compiled in here a second time, with a TLS that hands on what it gets.
 */
#include "common/base/clock.h"
#include "proto/channel_own.h"
#include "proto/conn_own.h"

#include <stdlib.h>
#include <string.h>

static struct bytes plain; /* arrived and not read yet */

static void plain_input(struct tls *t, const uint8_t *p, size_t n)
{
	(void)t;
	plain = (struct bytes){ p, n };
}

static enum err plain_read(struct tls *t, uint8_t *out, size_t room, size_t *got)
{
	(void)t;
	*got = room < plain.n ? room : plain.n;
	if (*got)
		memcpy(out, plain.p, *got);
	plain.p += *got;
	plain.n -= *got;
	return ERR_OK;
}

static enum tls_state plain_state(const struct tls *t)
{
	(void)t;
	return TLS_OPEN;
}

#define tls_input       plain_input
#define tls_read        plain_read
#define tls_state       plain_state
#define conn_read_start plain_read_start
#include "proto/conn_in.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOB = 7 };
static struct post *post;
static struct channel *channel;
static enum sender own;
static int closed;

static void on_ready(struct conn *c, void *arg)
{
	(void)c;
	(void)arg;
	abort(); /* there was no handshake */
}

static void on_message(struct conn *c, const struct msg *m, void *arg)
{
	(void)arg;
	if (channel || (m->type != MSG_HELLO && m->type != MSG_WELCOME)) {
		conn_close(c, ERR_PEER, "not expected", 0);
		return;
	}
	conn_welcome(c, 10);
	channel = channel_new(post, own, "peer");
	conn_attach(c, channel, own == COORD ? JOB : 0);
}

static void on_closed(struct conn *c, enum err code, const char *why, void *arg)
{
	(void)c;
	(void)arg;
	if ((code == ERR_OK) != (why == NULL))
		abort();
	closed++;
}

/* What a job thread would do, as far as messages are there: with this post no wait lasts. */
static void run_job(void)
{
	static struct msg m;
	uint32_t label[20];
	enum err e;

	if (channel->in.bytes > CHANNEL_IN_MAX + 2 * CONN_READ)
		abort();
	if (own == COORD) {
		e = channel_recv(channel, MSG_ACCEPT, &m);
		if (e == ERR_OK)
			e = channel_recv_labels(channel, MSG_LOCAL_CLUSTERS, 0, 5, label, 20);
		for (int i = 0; i < 100 && e == ERR_OK; i++)
			e = channel_recv(channel, MSG_MASKED, &m);
	} else {
		e = channel_recv(channel, MSG_OFFER, &m);
		if (e == ERR_OK)
			e = channel_recv(channel, MSG_KEYS, &m);
		if (e == ERR_OK)
			e = channel_recv_labels(channel, MSG_CELLS, 3, 300, label, 20);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct conn_events events = { on_ready, on_message, on_closed };
	static uv_loop_t loop;
	static struct conn_host host = { .loop = &loop };
	struct conn *c;
	size_t piece;

	if (size < 2)
		return 0;
	if (!loop.data) {
		uv_loop_init(&loop);
		loop.data = &loop; /* once */
	}
	post = post_new(1e-9);
	channel = NULL;
	closed = 0;
	own = data[0] & 1 ? COORD : PARTY;
	piece = 1 + data[1];
	c = conn_new(&host, &events, NULL);
	c->phase = CONN_GREETING;
	for (size_t at = 2; at < size && c->phase < CONN_FLUSHING; at += piece)
		received(c, data + at, size - at < piece ? size - at : piece);
	if (channel)
		run_job();
	conn_close(c, ERR_OK, NULL, 0);
	conn_over(c, ERR_OK, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	if (closed != 1 || host.greeting != 0)
		abort();
	channel_free(channel);
	post_free(post);
	return 0;
}
