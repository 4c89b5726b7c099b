#include "party/daemon/daemon.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "crypto/sign.h"
#include "party/consent/policy.h"

#include <stdio.h>
#include <string.h>

enum { RETRY_MAX_MS = 5000, RETRY_AGAIN_MS = 250 };

void daemon_on_retry(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	if (d->phase == RETURNING)
		daemon_dial_back(d);
	else
		daemon_dial(d);
}

/* Tries again after a while, up to retry_s in a row. */
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
	uv_timer_start(&d->retry_timer, daemon_on_retry, d->retry_ms, 0);
	if (d->awaiting && d->retry_ms > RETRY_AGAIN_MS)
		d->retry_ms = RETRY_AGAIN_MS;
	d->retry_ms = d->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : d->retry_ms * 2;
}

static void on_ready(struct conn *conn, void *arg)
{
	struct daemon *d = arg;
	static const char software[] = "coterie " COTERIE_VERSION;
	struct msg hello = { .type = MSG_HELLO,
			     .hello = { .version_min = PROTO_VERSION_MIN,
					.version_max = PROTO_VERSION_MAX,
					.software = { (const uint8_t *)software,
						      sizeof(software) - 1 } } };
	char seen[FINGERPRINT_TEXT_LEN], expected[FINGERPRINT_TEXT_LEN], why[512];
	uint8_t pin[SECAGG_HASH_LEN], shown[HASH_LEN];

	conn_fingerprint(conn, shown);
	if (policy_pin(d->config, conn_name(conn), pin) != ERR_OK) {
		log_error("%s", err_detail());
		conn_close(conn, ERR_PEER, err_detail(), 0);
	} else if (memcmp(pin, shown, sizeof(pin)) != 0) {
		/* However often the party dials, an operator must see this: somebody else answers
		 * for the coordinator, or its key was renewed and the pin was not. */
		fingerprint_text(shown, seen);
		fingerprint_text(pin, expected);
		snprintf(why, sizeof(why),
			 "the key of %s is not the one that peers.%s pins: it is %s, pinned is %s",
			 conn_name(conn), conn_name(conn), seen, expected);
		log_error("%s", why);
		conn_close(conn, ERR_PEER, why, 0);
	} else if (d->phase == RETURNING) {
		daemon_say_resume(d, conn);
	} else {
		conn_send(conn, &hello);
	}
}

static void on_welcome(struct daemon *d, const struct msg_welcome *w)
{
	double heartbeat_s = d->config->common.heartbeat_s;

	/* The shorter of the two: what the coordinator expects of us, and what we expect of it. */
	if (w->heartbeat_ms < 1e3 * heartbeat_s)
		heartbeat_s = 1e-3 * w->heartbeat_ms;
	log_info("welcomed by %s at %s", conn_name(d->conn), conn_address(d->conn));
	daemon_set_phase(d, SERVING);
	d->retry_ms = RETRY_FIRST_MS;
	d->heartbeat_s = heartbeat_s;
	d->post = post_new(d->config->common.step_timeout_s);
	d->channel = channel_new(d->post, PARTY, conn_name(d->conn));
	if (d->config->common.reconnect_s)
		channel_keep(d->channel);
	conn_welcome(d->conn, heartbeat_s);
	conn_attach(d->conn, d->channel, 0);
	if (daemon_start_job(d) != ERR_OK)
		daemon_close(d, ERR_INTERNAL, err_detail());
}

/* REFUSED: come again, as an attempt is just ending (MSG_AGAIN); the job is done (MSG_ALL_DONE); or
 * an error. */
static void on_refused(struct daemon *d, const struct msg_refused *r)
{
	enum err code = r->code > ERR_OK && r->code <= ERR_CANCELLED ? (enum err)r->code : ERR_PEER;
	bool again = r->code == MSG_AGAIN;
	/* It has failed there too, and the coordinator's sentence says how the attempts ended. */
	bool told = code == ERR_DEADLINE || code == ERR_CANCELLED;
	char why[ERR_DETAIL_MAX];

	snprintf(why, sizeof(why), "refused by %s: %.*s", conn_name(d->conn), (int)r->text.n,
		 (const char *)r->text.p);
	if (r->code == MSG_ALL_DONE && d->phase == RETURNING) {
		daemon_is_done(d, why);
		return;
	}
	if (r->code == MSG_ALL_DONE && !d->post &&
	    !d->awaiting) /* a process before this one had its part */
		job_forget(&(struct job_means){ .config = d->config });
	if (again && d->phase == RETURNING) {
		daemon_give_up(d, ERR_PEER, why, true);
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
	if (d->post)
		post_cancel(d->post, code, why);
	if (d->phase == RETURNING) {
		daemon_give_up(d, code, why, false);
		return;
	}
	if (d->awaiting && !(d->thread_started && d->work.offered)) {
		code = told ? err_set(code, "%s", why) : daemon_add_cause(d, code, why);
		daemon_fail_waiting(d, code, false);
		return;
	}
	if (d->options.once)
		daemon_close(d, code, why);
	else if (!d->post)
		conn_close(d->conn, code, why, 0);
}

static void on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct daemon *d = arg;
	char why[128];

	if (m->type == MSG_WELCOME && d->phase == DIALLING) {
		on_welcome(d, &m->welcome);
	} else if (m->type == MSG_RESUME && d->phase == RETURNING) {
		daemon_on_resume(d, &m->resume);
	} else if (m->type == MSG_REFUSED) {
		on_refused(d, &m->refused);
	} else {
		snprintf(why, sizeof(why), "%s sent %s, which was not expected", conn_name(conn),
			 msg_name(m->type));
		conn_close(conn, ERR_PEER, why, 0);
	}
}

/* If a job runs, either the connection was lost and we dial again; or the channel has failed, the
 * job thread ends, and daemon_on_job_done() goes on. */
static void on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct daemon *d = arg;
	bool dialling = d->phase == DIALLING;

	if (d->conn != conn)
		return; /* given up already */
	d->conn = NULL;
	if (d->phase == RETURNING) {
		daemon_wait_to_return(d, why ? why : "closed");
		return;
	}
	if (d->phase == SERVING && channel_is_away(d->channel)) {
		daemon_begin_return(d, why);
		return;
	}
	if (code != ERR_OK && dialling && d->retry_ms <= 4 * RETRY_FIRST_MS)
		log_info("%s; trying again", why);
	if (d->phase == HANGING_UP || dialling)
		daemon_rest(d, code, why ? why : "closed");
}

const struct conn_events daemon_events = { .ready = on_ready,
					   .message = on_message,
					   .closed = on_closed };

void daemon_dial(struct daemon *d)
{
	daemon_set_phase(d, DIALLING);
	if (!d->data.loaded && party_data_load(&d->data, d->config) != ERR_OK) {
		daemon_close(d, ERR_INPUT, err_detail());
		return;
	}
	if (conn_dial(d->host, d->config->coordinator.host, d->config->coordinator.port,
		      &daemon_events, d, &d->conn) != ERR_OK)
		daemon_rest(d, ERR_PEER, err_detail());
}
