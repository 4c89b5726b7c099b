/* Fuzzes a connection without its TLS. A peer sends any bytes in any pieces to a coordinator or a
 * party in a job. The connection is closed exactly once, nothing leaks, and its queue has a limit.
 * The first byte selects the side, and whether the rest are frames; the second the size of pieces.
 *
 * This file compiles conn_in.c a second time, with a TLS that passes its input on. */
#include "common/base/clock.h"
#include "common/parties/choice.h"
#include "proto/channel_own.h"
#include "proto/conn_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct bytes plain; /* arrived, but not read yet */

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
static struct mailbox *mailbox;
static struct channel *channel;
static enum sender own;
static int closed;

static void on_ready(struct conn *c, void *arg)
{
	(void)c;
	(void)arg;
	abort(); /* only a handshake calls this, and there is none */
}

static void on_message(struct conn *c, const struct msg *m, void *arg)
{
	(void)arg;
	if (channel || (m->type != MSG_HELLO && m->type != MSG_WELCOME)) {
		conn_close(c, ERR_PEER, "not expected", 0);
		return;
	}
	conn_welcome(c, 10);
	channel = channel_new(mailbox, own, "peer");
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

/* Returns whether a job thread of this side may wait for this type of message. */
static bool may_come(enum msg_type type)
{
	return msg_sender(type) & (own ^ BOTH) && !msg_is_link(type);
}

/* Accepted numbers are finite. */
static enum err take_reals(enum msg_type type)
{
	double x[3];

	TRY(channel_recv_reals(channel, type, 0, x, 3));
	if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
		abort();
	return ERR_OK;
}

static enum err take_choice(void)
{
	uint64_t value;

	TRY(channel_recv_choice(channel, CHOICE_ORDER, 15, &value));
	if (value > 15)
		abort();
	return ERR_OK;
}

/* Returns whether messages.def gives this type this body. */
static bool has_body(enum msg_type type, const char *body)
{
	switch (type) {
#define MSG(NAME, number, sender, of)                                                              \
	case MSG_##NAME:                                                                           \
		return !strcmp(#of, body);
#include "proto/messages.def"
#undef MSG
	}
	return false;
}

/* Receives messages as a job thread does, as long as the queue has any; this mailbox never waits.
 * It asks for the first message of the queue, or for MSG_DONE if that type is not permitted. */
static void run_job(void)
{
	static struct msg m;
	uint32_t label[20], values = 300;
	enum err e = ERR_OK;

	if (channel->in.bytes > CHANNEL_IN_MAX + 2 * CONN_READ)
		abort();
	while (e == ERR_OK && channel->in.count) {
		enum msg_type type = channel->in.item[channel->in.first].type;

		if (!may_come(type))
			e = channel_recv(channel, MSG_DONE, &m);
		else if (has_body(type, "labels"))
			e = channel_recv_labels_upto(channel, type, 0, 1, &values, label, 20);
		else if (has_body(type, "reals"))
			e = take_reals(type);
		else if (has_body(type, "choice"))
			e = take_choice();
		else
			e = channel_recv(channel, type, &m);
	}
	if (e == ERR_OK && channel_recv(channel, MSG_DONE, &m) == ERR_OK)
		abort(); /* the queue was empty */
}

static void add_frame(struct buf *out, struct frame f, const uint8_t *body, size_t n)
{
	frame_header(buf_extend(out, FRAME_HEADER_LEN), &f, n);
	buf_add(out, body, n);
}

/* Makes well-formed frames of the input: a greeting, then the type, length and body of each
 * frame. */
static void frame_up(const uint8_t *p, size_t n, struct buf *out)
{
	static const uint8_t hello[8] = { 0, 1, 0, 1 },
			     welcome[10] = { 0, 1, 0, 0, 0, 0, 0, 0, 3, 232 };
	uint32_t seq = 0;

	if (own == COORD)
		add_frame(out, (struct frame){ MSG_HELLO, 0, 0 }, hello, sizeof(hello));
	else
		add_frame(out, (struct frame){ MSG_WELCOME, 0, 0 }, welcome, sizeof(welcome));
	while (n >= 2) {
		size_t len = p[1] < n - 2 ? p[1] : n - 2;
		bool link = msg_is_link(p[0]);

		add_frame(out, (struct frame){ p[0], link ? 0 : JOB, link ? 0 : ++seq }, p + 2,
			  len);
		p += 2 + len;
		n -= 2 + len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct conn_events events = { on_ready, on_message, on_closed };
	static uv_loop_t loop;
	static struct conn_host host = { .loop = &loop };
	struct buf framed = { 0 };
	struct conn *c;
	size_t piece;

	if (size < 2)
		return 0;
	if (!loop.data) {
		uv_loop_init(&loop);
		loop.data = &loop; /* once per process */
	}
	mailbox = mailbox_new(1e-9);
	channel = NULL;
	closed = 0;
	own = data[0] & 1 ? COORD : PARTY;
	piece = 1 + data[1];
	c = conn_new(&host, &events, NULL);
	c->phase = CONN_GREETING;
	if (data[0] & 2)
		frame_up(data + 2, size - 2, &framed);
	else
		buf_add(&framed, data + 2, size - 2);
	for (size_t at = 0; at < framed.n && c->phase < CONN_FLUSHING; at += piece)
		received(c, framed.p + at, framed.n - at < piece ? framed.n - at : piece);
	if (channel)
		run_job();
	conn_close(c, ERR_OK, NULL, 0);
	conn_over(c, ERR_OK, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	if (closed != 1 || host.greeting != 0)
		abort();
	channel_free(channel);
	mailbox_free(mailbox);
	buf_release(&framed);
	return 0;
}
