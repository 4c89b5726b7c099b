#include "party/daemon/daemon_own.h"
#include "common/base/log.h"

#include <stdio.h>
#include <string.h>

static void stop_returning(struct daemon *d)
{
	struct conn *conn = d->conn;

	daemon_set_phase(d, SERVING);
	d->conn = NULL;
	uv_timer_stop(&d->retry_timer);
	if (conn)
		conn_close(conn, ERR_OK, NULL, 0);
}

/* The coordinator is not reached again: the job thread ends with this error. */
void daemon_give_up(struct daemon *d, enum err code, const char *why, bool again)
{
	if (again && d->config->common.rejoin_s)
		channel_fail_again(d->channel, code, why);
	else
		channel_fail(d->channel, code, why);
	stop_returning(d);
}

/* The job thread decides whether to believe that. */
void daemon_is_done(struct daemon *d, const char *why)
{
	stop_returning(d);
	channel_fail_done(d->channel, ERR_PEER, why);
}

void daemon_say_resume(struct daemon *d, struct conn *conn)
{
	struct msg m;

	if (strcmp(conn_name(conn), channel_peer(d->channel)) != 0) {
		conn_close(conn, ERR_PEER, "another coordinator than the one of the job answers",
			   0);
		return;
	}
	channel_resume_say(d->channel, &m);
	conn_send(conn, &m);
}

void daemon_wait_to_return(struct daemon *d, const char *why)
{
	snprintf(d->lost_why, sizeof(d->lost_why), "%s", why);
	log_debug("%s", why);
	uv_timer_start(&d->retry_timer, daemon_on_retry, backoff_next_ms(&d->backoff), 0);
}

void daemon_begin_return(struct daemon *d, const char *why)
{
	unsigned limit_s = d->config->common.reconnect_s;

	daemon_set_phase(d, RETURNING);
	log_warn("%s; dialling again for %u s", why, limit_s);
	backoff_begin(&d->backoff, limit_s);
	daemon_wait_to_return(d, why);
}

/* The timer also ends a dialling that hangs. */
void daemon_dial_back(struct daemon *d)
{
	uint64_t left_ms = backoff_left_ms(&d->backoff);
	struct conn *conn = d->conn;

	if (left_ms == 0 || conn) {
		/* The coordinator may have taken a RESUME on a connection that came too late.
		 * Closing it in order would say that this party leaves the job for good. */
		if (conn && d->config->common.rejoin_s) {
			d->conn = NULL;
			conn_cut(conn);
		}
		err_set(ERR_DEADLINE,
			"%s could not be reached again within reconnect_s, %u s: %.300s",
			channel_peer(d->channel), d->config->common.reconnect_s, d->lost_why);
		daemon_give_up(d, ERR_DEADLINE, err_detail(), true);
		return;
	}
	uv_timer_start(&d->retry_timer, daemon_on_retry, left_ms, 0);
	if (conn_dial(d->host, d->config->coordinator.host, d->config->coordinator.port,
		      &daemon_events, d, &d->conn) != ERR_OK)
		daemon_wait_to_return(d, err_detail());
}

void daemon_on_resume(struct daemon *d, const struct msg_resume *r)
{
	struct channel_link link;

	if (channel_resume(d->channel, r) != ERR_OK) {
		err_set(ERR_PEER, "%s sent RESUME: %.400s", conn_name(d->conn), err_detail());
		daemon_give_up(d, ERR_PEER, err_detail(), false);
		return;
	}
	daemon_set_phase(d, SERVING);
	uv_timer_stop(&d->retry_timer);
	conn_welcome(d->conn, d->heartbeat_s);
	channel_link(d->channel, &link);
	log_info("%s at %s is there again after %.1f s (%llu bytes sent again so far)",
		 conn_name(d->conn), conn_address(d->conn), backoff_passed_s(&d->backoff),
		 (unsigned long long)link.resent);
	conn_attach(d->conn, d->channel, channel_job(d->channel));
}
