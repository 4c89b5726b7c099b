/* Sending: frames -> records -> TLS -> socket.
 *
 * Small frames are gathered into one record, and many records into one write. Only the ends of a
 * large body are copied; the rest is encrypted in place.
 */
#include "proto/conn_own.h"

#include "common/base/clock.h"

#include <stdio.h>

#define CUT_GRACE_S 1.0 /* wait for the peer's last messages after writing failed */

static void conn_out_on_written(uv_write_t *request, int status);

/* Call when writing failed. The kernel may still have the peer's ABORT, whose text explains more
 * than "broken pipe". So reading continues for CUT_GRACE_S, unless this end is closing already. */
static void write_failed(struct conn *c, int status)
{
	char who[160], why[256];

	if (c->cut || c->phase == CONN_OVER)
		return;
	snprintf(why, sizeof(why), "the connection to %s broke: %s", conn_who(c, who),
		 uv_strerror(status));
	if (c->phase >= CONN_FLUSHING) {
		conn_over(c, ERR_PEER, why);
		return;
	}
	c->cut = c->lost = true;
	conn_reason(c, ERR_PEER, why);
	conn_alarm(c, CUT_GRACE_S);
}

/* ---- plaintext into records ---- */

static enum err flush_record(struct conn *c)
{
	enum err e = c->record.n ? tls_write(c->tls, c->record.p, c->record.n) : ERR_OK;

	c->record.n = 0;
	return e;
}

static enum err conn_out_put(struct conn *c, const uint8_t *p, size_t n)
{
	while (n) {
		size_t now = TLS_RECORD - c->record.n;

		if (c->record.n == 0 && n >= TLS_RECORD) {
			now = n - n % TLS_RECORD;
			TRY(tls_write(c->tls, p, now));
		} else {
			now = now < n ? now : n;
			buf_add(&c->record, p, now);
			if (c->record.n == TLS_RECORD)
				TRY(flush_record(c));
		}
		p += now;
		n -= now;
	}
	return ERR_OK;
}

/* Makes the channel's next message the current frame. */
static bool next_frame(struct conn *c)
{
	struct frame f;
	enum msg_type type;

	if (!c->channel || c->job == 0 || c->aborted)
		return false;
	if (!channel_next(c->channel, &type, &f.seq, &c->body)) {
		/* If sending waits for acknowledgements, this end must read again. */
		if (c->paused && !channel_is_full(c->channel))
			uv_async_send(&c->async);
		return false;
	}
	f.type = (uint16_t)type;
	f.job = c->job;
	frame_header(c->header, &f, c->body.n);
	conn_log(c, type, true, FRAME_HEADER_LEN + c->body.n);
	c->in_frame = c->body_counts = true;
	c->body_done = 0;
	c->padding = type == MSG_PADDING;
	c->aborted = type == MSG_ABORT;
	return true;
}

/* Writes the next part of the current frame, about as much as fits into a batch. */
static enum err put_frame(struct conn *c)
{
	size_t left = c->body.n - c->body_done, now = left < CONN_BATCH ? left : CONN_BATCH;

	if (c->body_done == 0)
		TRY(conn_out_put(c, c->header, FRAME_HEADER_LEN));
	TRY(conn_out_put(c, c->body.p + c->body_done, now));
	if (c->body_counts)
		c->channel_bytes += now + (c->body_done == 0 ? FRAME_HEADER_LEN : 0);
	c->body_done += now;
	c->in_frame = c->body_done < c->body.n;
	if (c->body_counts && !c->in_frame)
		channel_went(c->channel);
	return ERR_OK;
}

/* Fills the cipher buffer up to a batch, or until there is nothing more to send. */
static enum err conn_out_fill(struct conn *c)
{
	struct buf *cipher = tls_output(c->tls);

	if (tls_state(c->tls) == TLS_HANDSHAKE || c->end_said)
		return ERR_OK;
	while (cipher->n < CONN_BATCH) {
		if (c->in_frame || (!c->link.n && next_frame(c))) {
			/* Bytes that wait before padding are written separately. If they were in
			 * one record with the padding, the peer could read them only after all of
			 * the padding had arrived. If they were in one write with it, the kernel
			 * might delay them to send more at once. */
			if (c->padding && c->body_done == 0 && (c->record.n || cipher->n))
				return flush_record(c);
			TRY(put_frame(c));
		} else if (c->link.n) {
			TRY(conn_out_put(c, c->link.p, c->link.n));
			c->link.n = 0;
		} else {
			return flush_record(c);
		}
	}
	return ERR_OK;
}

/* ---- ciphertext into the socket ---- */

/* Called when the kernel has the whole cipher buffer. The bytes in c->record are not in the kernel
 * yet. */
static void batch_sent(struct conn *c)
{
	size_t held = c->record.n < c->channel_bytes ? c->record.n : c->channel_bytes;

	tls_output(c->tls)->n = 0;
	c->spoke_s = clock_now_s();
	if (c->channel && c->channel_bytes > held)
		channel_sent(c->channel, c->channel_bytes - held);
	c->channel_bytes = held;
}

/* Writes the ciphertext. Returns true if the kernel took all of it, so that more can be written
 * now. */
static bool conn_out_write_batch(struct conn *c)
{
	struct buf *cipher = tls_output(c->tls);
	uv_buf_t b = uv_buf_init((char *)cipher->p, (unsigned)cipher->n);
	int n = uv_try_write((uv_stream_t *)&c->tcp, &b, 1);

	if (n < 0 && n != UV_EAGAIN) {
		write_failed(c, n);
		return false;
	}
	if (n == (int)cipher->n) {
		batch_sent(c);
		return true;
	}
	if (n > 0) {
		b.base += n;
		b.len -= (size_t)n;
		c->spoke_s = clock_now_s();
	}
	n = uv_write(&c->write, (uv_stream_t *)&c->tcp, &b, 1, conn_out_on_written);
	if (n < 0)
		write_failed(c, n);
	else
		c->writing = true;
	return false;
}

static void conn_out_on_written(uv_write_t *request, int status)
{
	struct conn *c = request->data;

	c->writing = false;
	if (c->phase == CONN_OVER)
		return;
	if (status < 0) {
		write_failed(c, status);
		return;
	}
	batch_sent(c);
	conn_pump(c);
}

static void on_shut_down(uv_shutdown_t *request, int status)
{
	struct conn *c = request->data;

	if (status < 0 && c->phase != CONN_OVER)
		conn_over(c, ERR_OK, "");
}

void conn_pump(struct conn *c)
{
	struct buf *cipher;

	if (c->writing || c->cut || !c->tls || c->phase >= CONN_LINGERING)
		return;
	cipher = tls_output(c->tls);
	for (int turn = 0; !c->writing; turn++) {
		if (turn == CONN_TURN) {
			uv_async_send(&c->async); /* writing continues in the loop's next round */
			return;
		}
		if (conn_out_fill(c) != ERR_OK) {
			char who[160];

			err_set(ERR_PEER, "%s %s", conn_who(c, who), err_detail());
			conn_over(c, ERR_PEER, err_detail());
			return;
		}
		if (cipher->n == 0)
			break;
		if (!conn_out_write_batch(c))
			return;
	}
	if (c->phase != CONN_FLUSHING)
		return;
	if (!c->end_said) {
		c->end_said = true;
		tls_end(c->tls);
		conn_pump(c);
		return;
	}
	c->phase = CONN_LINGERING; /* waits until the peer has read all bytes */
	if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shut_down) < 0)
		conn_over(c, ERR_OK, "");
}
