#include "party/daemon/daemon.h"
#include "common/base/clock.h"
#include "common/job/live.h"
#include "common/base/log.h"
#include "crypto/sign.h"
#include "party/consent/policy.h"
#include "proto/version.h"

#include <stdio.h>
#include <string.h>

enum { RETRY_MAX_MS = 5000, RETRY_AGAIN_MS = 250 };
#define COMPLAIN_EVERY_S 60.0

static const struct conn_events events;
static void on_retry(uv_timer_t *timer);

void daemon_rest(struct daemon *d, enum err code, const char *why)
{
	double tried_s = clock_now_s() - d->dialling_since_s;

	if (d->phase == CLOSING)
		return;
	daemon_set_phase(d, RESTING);
	if (!d->awaiting && d->config->retry_s && tried_s > d->config->retry_s) {
		char text[ERR_DETAIL_MAX];

		snprintf(text, sizeof(text), "%s was tried for retry_s, %u s; the last time: %s",
			 d->config->coordinator_text, d->config->retry_s, why);
		daemon_close(d, code == ERR_OK ? ERR_PEER : code, text);
		return;
	}
	uv_timer_start(&d->retry_timer, on_retry, d->retry_ms, 0);
	if (d->awaiting && d->retry_ms > RETRY_AGAIN_MS)
		d->retry_ms = RETRY_AGAIN_MS;
	d->retry_ms = d->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : d->retry_ms * 2;
}

/* -- a connection lost during the job ------------------------------------------------------- */

static void stop_returning(struct daemon *d)
{
	struct conn *conn = d->conn;

	daemon_set_phase(d, SERVING);
	d->conn = NULL;
	uv_timer_stop(&d->retry_timer);
	if (conn)
		conn_close(conn, ERR_OK, NULL, 0);
}

static void daemon_dial_give_up(struct daemon *d, enum err code, const char *why, bool again)
{
	if (again && d->config->common.rejoin_s)
		channel_fail_again(d->channel, code, why);
	else
		channel_fail(d->channel, code, why);
	stop_returning(d);
}

static void wait_to_return(struct daemon *d, const char *why)
{
	snprintf(d->lost_why, sizeof(d->lost_why), "%s", why);
	log_debug("%s", why);
	uv_timer_start(&d->retry_timer, on_retry, backoff_next_ms(&d->backoff), 0);
}

/* Dials again. The timer also ends an attempt to dial that hangs. */
static void dial_back(struct daemon *d)
{
	uint64_t left_ms = backoff_left_ms(&d->backoff);
	struct conn *conn = d->conn;

	if (left_ms == 0 || conn) {
		/* This connection came too late, but the coordinator may have accepted its RESUME.
		 * A regular close would signal that this party leaves the job for good. */
		if (conn && d->config->common.rejoin_s) {
			d->conn = NULL;
			conn_cut(conn);
		}
		err_set(ERR_DEADLINE,
			"%s could not be reached again within reconnect_s, %u s: %.300s",
			channel_peer(d->channel), d->config->common.reconnect_s, d->lost_why);
		daemon_dial_give_up(d, ERR_DEADLINE, err_detail(), true);
		return;
	}
	uv_timer_start(&d->retry_timer, on_retry, left_ms, 0);
	if (conn_dial(d->host, d->config->coordinator.host, d->config->coordinator.port, &events, d,
		      &d->conn) != ERR_OK)
		wait_to_return(d, err_detail());
}

static void daemon_dial_on_resume(struct daemon *d, const struct msg_resume *r)
{
	struct link_state link;

	if (channel_resume(d->channel, r) != ERR_OK) {
		err_set(ERR_PEER, "%s sent RESUME: %.400s", conn_name(d->conn), err_detail());
		daemon_dial_give_up(d, ERR_PEER, err_detail(), false);
		return;
	}
	daemon_set_phase(d, SERVING);
	watch_back(&d->watch, d->config->coordinator_text);
	uv_timer_stop(&d->retry_timer);
	conn_welcome(d->conn, d->heartbeat_s);
	channel_link(d->channel, &link);
	log_info("reconnected to %s at %s after %.1f s (%llu bytes sent again so far)",
		 conn_name(d->conn), conn_address(d->conn), backoff_passed_s(&d->backoff),
		 (unsigned long long)link.resent);
	conn_attach(d->conn, d->channel, channel_job(d->channel));
}

static void on_retry(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	if (d->phase == RETURNING)
		dial_back(d);
	else
		daemon_dial(d);
}

static void send_resume(struct daemon *d, struct conn *conn)
{
	struct msg m;

	if (strcmp(conn_name(conn), channel_peer(d->channel)) != 0) {
		conn_close(conn, ERR_PEER, "another coordinator than the one of the job answers",
			   0);
		return;
	}
	channel_resume_fill(d->channel, &m);
	conn_send(conn, &m);
}

/* -- messages of the connection ------------------------------------------------------------- */

static void daemon_dial_on_ready(struct conn *conn, void *arg)
{
	struct daemon *d = arg;
	struct msg hello = { .type = MSG_HELLO,
			     .hello = { .version_min = PROTO_VERSION_MIN,
					.version_max = PROTO_VERSION_MAX,
					.software = msg_text(version_software()) } };
	char seen[FINGERPRINT_TEXT_LEN], expected[FINGERPRINT_TEXT_LEN], why[512];
	uint8_t pin[SECAGG_HASH_LEN], shown[HASH_LEN];

	conn_fingerprint(conn, shown);
	if (policy_pin(d->config, conn_name(conn), pin) != ERR_OK) {
		log_error("%s", err_detail());
		conn_close(conn, ERR_PEER, err_detail(), 0);
	} else if (memcmp(pin, shown, sizeof(pin)) != 0) {
		/* An operator must see this even if the party dials often. Either another host
		 * poses as the coordinator, or the coordinator's key was renewed and the pin was
		 * not. */
		fingerprint_text(shown, seen);
		fingerprint_text(pin, expected);
		snprintf(why, sizeof(why),
			 "the key of %s is not the one that peers.%s pins: it is %s, pinned is %s",
			 conn_name(conn), conn_name(conn), seen, expected);
		log_error("%s", why);
		conn_close(conn, ERR_PEER, why, 0);
	} else if (d->phase == RETURNING) {
		send_resume(d, conn);
	} else {
		conn_send(conn, &hello);
	}
}

static void on_welcome(struct daemon *d, const struct msg_welcome *w)
{
	double heartbeat_s = d->config->common.heartbeat_s;
	char why[256], software[64];

	if (w->version < PROTO_VERSION_MIN || w->version > PROTO_VERSION_MAX) {
		snprintf(why, sizeof(why),
			 "%s speaks protocol version %u, %s speaks %d to %d: bring both to the "
			 "same release of coterie",
			 conn_name(d->conn), w->version, d->config->common.name, PROTO_VERSION_MIN,
			 PROTO_VERSION_MAX);
		conn_close(d->conn, ERR_PEER, why, 0);
		return;
	}
	if (w->heartbeat_ms < 1e3 * heartbeat_s)
		heartbeat_s = 1e-3 * w->heartbeat_ms;
	log_info("admitted by %s at %s", conn_name(d->conn), conn_address(d->conn));
	daemon_set_phase(d, SERVING);
	snprintf(software, sizeof(software), "%.*s", (int)w->software.n,
		 (const char *)w->software.p);
	live_peer_hello(d->config->coordinator_text, conn_name(d->conn), conn_address(d->conn),
			software);
	watch_back(&d->watch, d->config->coordinator_text);
	d->retry_ms = RETRY_FIRST_MS;
	d->complained_s = 0;
	d->heartbeat_s = heartbeat_s;
	d->mailbox = mailbox_new(d->config->common.step_timeout_s);
	d->channel = channel_new(d->mailbox, PARTY, conn_name(d->conn));
	if (d->config->common.reconnect_s)
		channel_keep(d->channel);
	conn_welcome(d->conn, heartbeat_s);
	conn_attach(d->conn, d->channel, 0);
	if (daemon_start_job(d) != ERR_OK)
		daemon_close(d, ERR_INTERNAL, err_detail());
}

/* Handles REFUSED. MSG_AGAIN: an attempt is just ending, so the party returns later. MSG_ALL_DONE:
 * the job is done. Other codes are errors. */
static void on_refused(struct daemon *d, const struct msg_refused *r)
{
	enum err code = r->code > ERR_OK && r->code <= ERR_CANCELLED ? (enum err)r->code : ERR_PEER;
	bool again = r->code == MSG_AGAIN;
	char why[ERR_DETAIL_MAX];

	snprintf(why, sizeof(why), "refused by %s: %.*s", conn_name(d->conn), (int)r->text.n,
		 (const char *)r->text.p);
	if (r->code == MSG_ALL_DONE && d->phase == RETURNING) {
		stop_returning(d);
		/* The job's thread may need to know that the job is done. */
		channel_fail_done(d->channel, ERR_PEER, why);
		return;
	}
	if (r->code == MSG_ALL_DONE && !d->mailbox &&
	    !d->awaiting) /* the previous process took part in the job */
		job_forget(d->config->state);
	if (again && d->phase == RETURNING) {
		daemon_dial_give_up(d, ERR_PEER, why, true);
		return;
	}
	if (again && d->phase == DIALLING) {
		log_info("%s; dialling again", why);
		d->retry_ms = RETRY_FIRST_MS;
		conn_close(d->conn, ERR_OK, NULL, 0);
		return;
	}
	if (code == ERR_CANCELLED)
		code = ERR_PEER;
	if (d->mailbox)
		mailbox_cancel(d->mailbox, code, why);
	if (d->phase == RETURNING) {
		daemon_dial_give_up(d, code, why, false);
		return;
	}
	if (d->awaiting && !(d->thread_started && d->work.offered)) {
		/* `why` is the coordinator's, and explains how all attempts ended. So this party
		 * does not add the cause of its own attempt. */
		daemon_fail_waiting(d, err_set(code, "%s", why), false);
		return;
	}
	if (d->mailbox && *d->watch.stopped)
		return; /* the job's thread ends, and daemon_on_job_done() reports the result */
	if (d->options.once)
		daemon_close(d, code, why);
	else if (!d->mailbox)
		conn_close(d->conn, code, why, 0);
}

static void daemon_dial_on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct daemon *d = arg;
	char why[128];

	if (m->type == MSG_WELCOME && d->phase == DIALLING) {
		on_welcome(d, &m->welcome);
	} else if (m->type == MSG_RESUME && d->phase == RETURNING) {
		daemon_dial_on_resume(d, &m->resume);
	} else if (m->type == MSG_REFUSED) {
		on_refused(d, &m->refused);
	} else {
		snprintf(why, sizeof(why), "%s sent %s, which was not expected", conn_name(conn),
			 msg_name(m->type));
		conn_close(conn, ERR_PEER, why, 0);
	}
}

/* Logs an error of dialling. If no coordinator answers, logs only the first tries, since a party
 * normally waits for a coordinator that does not run. If a coordinator rejects this party, or this
 * party rejects a coordinator, logs at once, then every minute: a user must act, possibly days
 * later. */
static void complain(struct daemon *d, const struct conn *conn, const char *why)
{
	double now_s = clock_now_s();

	if (!conn_was_answered(conn)) {
		if (d->retry_ms <= 4 * RETRY_FIRST_MS)
			log_info("%s; trying again", why);
	} else if (!d->complained_s || now_s - d->complained_s >= COMPLAIN_EVERY_S) {
		d->complained_s = now_s;
		log_error("%s; trying again, eventually every %d s", why, RETRY_MAX_MS / 1000);
	}
}

/* Handles the close of a connection. If it was lost while a job runs, this party dials again. If
 * the channel has failed, the job's thread ends, and daemon_on_job_done() continues. */
static void daemon_dial_on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct daemon *d = arg;
	bool dialling = d->phase == DIALLING;

	if (d->conn != conn)
		return;
	d->conn = NULL;
	watch_lost(&d->watch, d->config->coordinator_text);
	if (d->phase == RETURNING) {
		wait_to_return(d, why ? why : "closed");
		return;
	}
	if (d->phase == SERVING && channel_is_lost(d->channel)) {
		daemon_set_phase(d, RETURNING);
		log_warn("%s; dialling again for %u s", why, d->config->common.reconnect_s);
		backoff_begin(&d->backoff, d->config->common.reconnect_s);
		wait_to_return(d, why);
		return;
	}
	if (code != ERR_OK && dialling)
		complain(d, conn, why);
	if (d->phase == HANGING_UP || dialling)
		daemon_rest(d, code, why ? why : "closed");
}

static const struct conn_events events = { .ready = daemon_dial_on_ready,
					   .message = daemon_dial_on_message,
					   .closed = daemon_dial_on_closed };

void daemon_dial(struct daemon *d)
{
	daemon_set_phase(d, DIALLING);
	if (conn_dial(d->host, d->config->coordinator.host, d->config->coordinator.port, &events, d,
		      &d->conn) != ERR_OK)
		daemon_rest(d, ERR_PEER, err_detail());
}
