/* Receiving: socket -> TLS -> frames -> owner or channel. */
#include "proto/conn_own.h"

#include "common/base/clock.h"

/* Ends the connection because of a fault of the peer: "bank-a at 192.0.2.1:43210 <this thread's
 * sentence>". Closes after timeout_s at the latest, so that an alert that explains the fault can
 * still leave. */
static void end_for_peer(struct conn *c, const char *verb, double timeout_s)
{
	char who[160];

	c->lost = false; /* the peer closed on purpose or failed, so it will not reconnect */
	err_set(ERR_PEER, "%s %s%s", conn_who(c, who), verb, err_detail());
	conn_close(c, ERR_PEER, err_detail(), timeout_s);
}

/* Ends the connection as lost. Bytes were damaged in transit, for example by a faulty router, so
 * another connection may work. */
static void conn_in_lose_damaged(struct conn *c)
{
	char who[160];

	c->lost = true;
	err_set(ERR_PEER, "%s: %.400s", conn_who(c, who), err_detail());
	conn_over(c, ERR_PEER, err_detail());
}

static void link_message(struct conn *c)
{
	struct msg *m = &c->host->msg;

	conn_count(c, c->reader.frame.type, false, FRAME_HEADER_LEN + c->reader.body.n);
	if (msg_decode(m, c->reader.frame.type,
		       (struct bytes){ c->reader.body.p, c->reader.body.n }) != ERR_OK)
		end_for_peer(c, "sent a malformed message: ", 0);
	else if ((m->type != MSG_HEARTBEAT && m->type != MSG_ACK) || c->phase != CONN_WELCOMED)
		c->events->message(c, m, c->arg);
	else if (c->channel && m->type == MSG_HEARTBEAT)
		channel_note_progress(c->channel, m->heartbeat.progress);
	else if (c->channel && channel_acked(c->channel, m->ack.received) != ERR_OK)
		end_for_peer(c, "sent ", 0);
	else
		conn_pump(c); /* the channel may have space again */
}

static void job_message(struct conn *c)
{
	const struct frame *f = &c->reader.frame;
	size_t bytes;

	if (c->phase != CONN_WELCOMED) {
		err_set(ERR_PEER, "%s before the greeting was over", msg_name(f->type));
		end_for_peer(c, "sent ", 0);
		return;
	}
	if (c->channel && c->job == 0)
		c->job = f->job;
	/* Frames of a finished job may still arrive; ignore them. */
	if (!c->channel || c->job != f->job)
		return;
	bytes = FRAME_HEADER_LEN + c->reader.body.n;
	conn_log(c, f->type, false, bytes);
	if (f->type == MSG_PADDING) /* zeros, which are only counted */
		channel_count(c->channel, MSG_PADDING, false, 1, bytes);
	else
		channel_deliver(c->channel, f->type, &c->reader.body, c->first_byte_s);
	if (channel_came(c->channel, f->type, f->seq, bytes))
		conn_acknowledge(c);
	if (!c->paused && channel_is_full(c->channel)) {
		c->paused = true;
		uv_read_stop((uv_stream_t *)&c->tcp);
	}
}

/* Reads plaintext from TLS into the buffer of the frame reader, and handles each complete frame. */
static void read_frames(struct conn *c)
{
	while (c->phase == CONN_GREETING || c->phase == CONN_WELCOMED) {
		size_t room, got;
		uint8_t *to = frame_reader_space(&c->reader, &room);
		bool first = c->reader.got == 0, whole;

		if (tls_read(c->tls, to, room, &got) != ERR_OK) {
			if (c->phase == CONN_WELCOMED && tls_is_damaged(c->tls))
				conn_in_lose_damaged(c);
			else
				end_for_peer(c, "", 0.5);
			return;
		}
		if (got == 0)
			return;
		if (first)
			c->first_byte_s = c->received_s;
		if (frame_reader_filled(&c->reader, got, &whole) != ERR_OK) {
			end_for_peer(c, "sent ", 0);
			return;
		}
		if (!whole)
			continue;
		if (c->reader.frame.job)
			job_message(c);
		else
			link_message(c);
		frame_reader_next(&c->reader);
	}
}

static void received(struct conn *c, const uint8_t *p, size_t n)
{
	c->received_s = clock_now_s();
	if (c->phase >= CONN_FLUSHING)
		/* Bytes are read and discarded, because with unread bytes close() would send a
		 * reset. */
		return;
	if (c->phase == CONN_PROXY) {
		size_t own = conn_proxy_receive(c, p, n);

		p += own;
		n -= own;
		if (n == 0 || c->phase != CONN_TLS)
			return;
	}
	tls_input(c->tls, p, n);
	if (c->phase == CONN_TLS) {
		if (tls_handshake(c->tls) != ERR_OK) {
			/* Gives the peer time to read the alert, which explains the cause. */
			end_for_peer(c, "", 1);
			return;
		}
		conn_pump(c);
		if (c->phase == CONN_TLS && tls_state(c->tls) == TLS_OPEN)
			conn_authenticated(c);
	}
	read_frames(c);
	if (c->phase < CONN_FLUSHING && tls_state(c->tls) == TLS_ENDED) {
		err_set(ERR_PEER, "closed the connection");
		end_for_peer(c, "", 0);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct conn *c = handle->data;

	(void)suggested;
	*buf = uv_buf_init((char *)c->host->read_buffer, CONN_READ);
}

static void conn_in_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct conn *c = stream->data;
	char who[160];

	if (n > 0)
		received(c, (const uint8_t *)buf->base, (size_t)n);
	if (n >= 0)
		return;
	conn_who(c, who);
	if (n == UV_EOF)
		err_set(ERR_PEER, "the connection to %s was cut off%s", who,
			c->phase == CONN_TLS     ? " during the TLS handshake"
			: c->phase == CONN_PROXY ? " before the proxy answered"
						 : "");
	else
		err_set(ERR_PEER, "the connection to %s broke: %s", who, uv_strerror((int)n));
	/* from CONN_FLUSHING on, this end has chosen to close */
	c->lost = c->phase < CONN_FLUSHING;
	conn_over(c, ERR_PEER, err_detail());
}

int conn_read_start(struct conn *c)
{
	return uv_read_start((uv_stream_t *)&c->tcp, on_alloc, conn_in_on_read);
}
