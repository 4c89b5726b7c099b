/* A connection's life: its owner's requests, its timers, its end. */
#include "proto/conn_own.h"
#include "common/base/log.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/progress.h"

#include <assert.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS 12 /* number of checks of the clock per heartbeat interval */

/* ---- the peer ---- */

const char *conn_name(const struct conn *c)
{
	return c->name;
}

bool conn_was_lost(const struct conn *c)
{
	return c->lost;
}

bool conn_was_answered(const struct conn *c)
{
	return c->answered;
}

bool conn_began_tls(const struct conn *c)
{
	return c->tls != NULL;
}

bool conn_is_question(const struct conn *c)
{
	return tls_is_question(c->tls);
}

const char *conn_address(const struct conn *c)
{
	return c->address;
}

void conn_fingerprint(const struct conn *c, uint8_t fp[static HASH_LEN])
{
	assert(c->name[0]);
	tls_peer_fingerprint(c->tls, fp);
}

const char *conn_who(const struct conn *c, char text[static 160])
{
	snprintf(text, 160, "%s%s%s", c->name, c->name[0] ? " at " : "", c->address);
	return text;
}

void conn_address_text(char text[static 80], const struct sockaddr *a)
{
	char ip[64] = "?";

	if (a->sa_family == AF_INET6) {
		const struct sockaddr_in6 *a6 = (const struct sockaddr_in6 *)(const void *)a;

		uv_ip6_name(a6, ip, sizeof(ip));
		snprintf(text, 80, "[%s]:%u", ip, ntohs(a6->sin6_port));
	} else {
		const struct sockaddr_in *a4 = (const struct sockaddr_in *)(const void *)a;

		uv_ip4_name(a4, ip, sizeof(ip));
		snprintf(text, 80, "%s:%u", ip, ntohs(a4->sin_port));
	}
}

/* ---- birth and end ---- */

static void on_timer(uv_timer_t *timer);

/* Called when the job thread has queued a message or emptied the full queue, or when a long write
 * continues. */
static void on_async(uv_async_t *async)
{
	struct conn *c = async->data;

	if (c->phase == CONN_OVER)
		return;
	if (c->paused && !channel_is_full(c->channel)) {
		c->paused = false;
		/* Since then nothing was read, which does not mean that the peer was silent. */
		c->received_s = clock_now_s();
		conn_read_start(c);
	}
	conn_pump(c);
}

struct conn *conn_new(struct conn_host *h, const struct conn_events *events, void *arg)
{
	struct conn *c;

	ALLOC(c, 1);
	c->host = h;
	c->events = events;
	c->arg = arg;
	c->reader.max = FRAME_MAX_GREETING;
	c->counted = true;
	h->greeting++;
	uv_timer_init(h->loop, &c->timer);
	uv_async_init(h->loop, &c->async, on_async);
	c->timer.data = c->async.data = c->write.data = c->shutdown.data = c;
	c->handles = 2;
	return c;
}

void conn_add_tcp(struct conn *c, unsigned family)
{
	uv_tcp_init_ex(c->host->loop, &c->tcp, family);
	c->tcp.data = c;
	c->has_tcp = true;
	c->handles++;
}

void conn_give_back(struct conn *c)
{
	if (--c->handles > 0)
		return;
	c->events->closed(c, c->code, c->code == ERR_OK ? NULL : c->why, c->arg);
	tls_free(c->tls);
	frame_reader_release(&c->reader);
	buf_release(&c->link);
	buf_release(&c->orphan);
	buf_release(&c->record);
	if (c->dialling)
		buf_release(&c->dialling->request);
	free(c->dialling);
	free(c);
}

/* The close callback of all handles. */
static void closed_handle(uv_handle_t *handle)
{
	conn_give_back(handle->data);
}

/* Subtracts the connection from the number of those that are not accepted yet. */
static void uncount(struct conn *c)
{
	if (c->counted)
		c->host->greeting--;
	c->counted = false;
	conn_no_visitor(c);
}

void conn_reason(struct conn *c, enum err code, const char *why)
{
	if (c->reasoned)
		return;
	c->reasoned = true;
	c->code = code;
	snprintf(c->why, sizeof(c->why), "%s", why ? why : "");
}

/* Stops the channel from waking the loop. Then reports the reason to the job thread, unless the
 * connection was lost and the channel waits for another one. */
static void fail_channel(struct conn *c)
{
	struct channel *ch = c->channel;
	char who[160];

	if (!ch)
		return;
	c->channel = NULL;
	channel_on_wake(ch, NULL, NULL);
	if (c->lost && channel_lost(ch))
		return;
	if (c->code == ERR_OK)
		err_set(ERR_CANCELLED, "the connection to %s was closed here", conn_who(c, who));
	channel_fail(ch, c->code == ERR_OK ? ERR_CANCELLED : c->code,
		     c->code == ERR_OK ? err_detail() : c->why);
}

void conn_over(struct conn *c, enum err code, const char *why)
{
	if (c->phase == CONN_OVER)
		return;
	conn_reason(c, code, why);
	c->phase = CONN_OVER;
	uncount(c);
	fail_channel(c);
	conn_stop_dialling(c);
	uv_close((uv_handle_t *)&c->timer, closed_handle);
	uv_close((uv_handle_t *)&c->async, closed_handle);
	if (c->has_tcp && !uv_is_closing((uv_handle_t *)&c->tcp))
		uv_close((uv_handle_t *)&c->tcp, closed_handle);
}

void conn_close(struct conn *c, enum err code, const char *why, double timeout_s)
{
	double end_s = clock_now_s() + timeout_s;

	if (c->phase == CONN_OVER || (c->phase >= CONN_FLUSHING && end_s >= c->end_s))
		return;
	if (c->phase < CONN_FLUSHING) {
		conn_reason(c, code, why);
		if (c->phase < CONN_TLS || c->cut) {
			conn_over(c, code, why);
			return;
		}
		c->phase = CONN_FLUSHING;
		uncount(c);
		if (c->paused)
			conn_read_start(c); /* later input is read and discarded */
		c->paused = false;
		conn_pump(c);
	}
	c->end_s = end_s;
	if (timeout_s <= 0)
		conn_over(c, c->code, c->why);
	else if (c->phase != CONN_OVER)
		conn_alarm(c, timeout_s);
}

void conn_cut(struct conn *c)
{
	conn_over(c, ERR_OK, NULL);
}

/* ---- from TCP to messages ---- */

void conn_start(struct conn *c, struct tls_context *ctx)
{
	c->phase = CONN_TLS;
	c->answered = true;
	c->tls = tls_new(ctx);
	c->received_s = c->spoke_s = clock_now_s();
	uv_tcp_nodelay(&c->tcp, 1);
	if (conn_read_start(c) < 0 || tls_handshake(c->tls) != ERR_OK) {
		conn_over(c, ERR_INTERNAL, "the TLS handshake could not be begun");
		return;
	}
	conn_pump(c);
}

void conn_authenticated(struct conn *c)
{
	c->phase = CONN_GREETING;
	snprintf(c->name, sizeof(c->name), "%s", tls_peer_name(c->tls));
	conn_alarm(c, c->host->handshake_timeout_s);
	c->events->ready(c, c->arg);
}

void conn_welcome(struct conn *c, double heartbeat_s)
{
	uint64_t tick_ms = (uint64_t)fmax(1, 1e3 * heartbeat_s / TICKS);

	assert(heartbeat_s > 0);
	if (c->phase != CONN_GREETING)
		return;
	c->phase = CONN_WELCOMED;
	c->reader.max = FRAME_MAX;
	uncount(c);
	c->heartbeat_s = heartbeat_s;
	c->received_s = c->ticked_s = clock_now_s();
	uv_timer_start(&c->timer, on_timer, tick_ms, tick_ms);
}

void conn_log(const struct conn *c, enum msg_type type, bool sent, size_t bytes)
{
	log_debug("%s %s %s, %zu bytes", msg_name(type), sent ? "to" : "from",
		  *conn_name(c) ? conn_name(c) : c->address, bytes);
}

void conn_count(struct conn *c, enum msg_type type, bool sent, size_t bytes)
{
	conn_log(c, type, sent, bytes);
	if (c->channel) {
		channel_count(c->channel, type, sent, 1, bytes);
	} else if (msg_is_link(type)) {
		c->early[sent][type].messages++;
		c->early[sent][type].bytes += bytes;
	}
}

void conn_send(struct conn *c, const struct msg *m)
{
	struct frame f = { .type = (uint16_t)m->type };
	size_t at = c->link.n;

	assert(m->type == MSG_ABORT || msg_is_link(m->type));
	if (c->phase != CONN_GREETING && c->phase != CONN_WELCOMED)
		return;
	if (m->type != MSG_ABORT) {
		buf_extend(&c->link, FRAME_HEADER_LEN);
		msg_encode(&c->link, m);
		frame_header(c->link.p + at, &f, c->link.n - at - FRAME_HEADER_LEN);
		conn_count(c, m->type, true, c->link.n - at);
	} else if (!c->channel || c->job == 0 || c->aborted ||
		   channel_send(c->channel, m) != ERR_OK) {
		return;
	}
	conn_pump(c);
}

void conn_abort(struct conn *c, enum err code, enum ending ending, const char *why)
{
	struct msg m = { .type = MSG_ABORT,
			 .abort = { (uint16_t)code, (uint16_t)ending, msg_text(why) } };

	conn_send(c, &m);
}

/* ---- the job ---- */

static void wake(void *arg)
{
	uv_async_send(arg);
}

/* Passes the round trip in TCP_INFO to the channel. */
static void update_link(struct conn *c)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	uv_os_fd_t fd;

	if (!c->channel || uv_fileno((uv_handle_t *)&c->tcp, &fd) != 0)
		return;
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0)
		channel_set_rtt(c->channel, 1e-6 * info.tcpi_rtt);
}

static void detach(struct conn *c)
{
	if (!c->channel)
		return;
	channel_on_wake(c->channel, NULL, NULL);
	c->channel = NULL;
	/* A partly sent frame is still sent to its end, but its remaining bytes count for no
	 * channel. */
	if (c->in_frame && c->body.p != c->orphan.p) {
		c->orphan.n = 0;
		buf_add(&c->orphan, c->body.p, c->body.n);
		c->body.p = c->orphan.p;
	}
	c->body_counts = false;
	c->channel_bytes = 0;
	if (c->paused) {
		c->paused = false;
		c->received_s = clock_now_s();
		conn_read_start(c);
	}
}

void conn_attach(struct conn *c, struct channel *ch, uint64_t job)
{
	char congestion[16] = "";
	socklen_t len = sizeof(congestion) - 1;
	uv_os_fd_t fd;

	detach(c);
	if (!ch)
		return;
	c->channel = ch;
	c->job = job;
	c->aborted = false;
	if (c->phase >= CONN_FLUSHING) {
		fail_channel(c);
		return;
	}
	for (int sent = 0; sent < 2; sent++)
		for (int type = 0; type < MSG_FIRST_OF_JOB; type++)
			channel_count(ch, (enum msg_type)type, sent, c->early[sent][type].messages,
				      c->early[sent][type].bytes);
	memset(c->early, 0, sizeof(c->early));
	if (channel_last(ch))
		c->reader.order = (struct frame_order){ job, channel_last(ch) };
	update_link(c);
	if (uv_fileno((uv_handle_t *)&c->tcp, &fd) == 0 &&
	    getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, &len) == 0)
		channel_set_congestion(ch, congestion);
	channel_on_wake(ch, wake, &c->async);
}

/* ---- time ---- */

void conn_acknowledge(struct conn *c)
{
	struct msg m;

	if (c->channel && channel_ack_due(c->channel, &m))
		conn_send(c, &m);
}

static void conn_tick(struct conn *c)
{
	double now = clock_now_s(), interval = c->heartbeat_s;
	/* If this process was suspended, bytes that arrived meanwhile have not been read yet. */
	bool stalled = now - c->ticked_s > interval / 2;
	struct msg beat = { .type = MSG_HEARTBEAT };
	char why[128];

	c->ticked_s = now;
	if (!c->paused && !stalled && now - c->received_s >= interval) {
		snprintf(why, sizeof(why), "no data from %s for %.1f s", c->name, interval);
		c->lost = true;
		/* Sends no close_notify: the peer then takes the connection as lost, and may
		 * return. */
		conn_over(c, ERR_DEADLINE, why);
		return;
	}
	update_link(c);
	if (now - c->spoke_s < interval / 3 || c->writing)
		return;
	conn_acknowledge(c);
	beat.heartbeat.progress = c->channel ? channel_progress(c->channel) : progress_count(NULL);
	conn_send(c, &beat);
}

void conn_alarm(struct conn *c, double after_s)
{
	uv_timer_start(&c->timer, on_timer, (uint64_t)fmax(0, 1e3 * after_s), 0);
}

static void on_timer(uv_timer_t *timer)
{
	static const char *const awaited[] = {
		[CONN_TCP] = "answer",
		[CONN_PROXY] = "answer",
		[CONN_TLS] = "finish the TLS handshake",
		[CONN_GREETING] = "finish the greeting",
	};
	struct conn *c = timer->data;
	char who[160], why[400];

	if (c->cut || c->phase >= CONN_FLUSHING) {
		conn_over(c, c->code, c->why);
		return;
	}
	if (c->phase == CONN_WELCOMED) {
		conn_tick(c);
		return;
	}
	snprintf(why, sizeof(why), "%s did not %s within %g s",
		 c->phase < CONN_TLS && c->host->proxy ? c->dialling->where : conn_who(c, who),
		 awaited[c->phase], c->host->handshake_timeout_s);
	conn_close(c, ERR_DEADLINE, why, 0);
}
