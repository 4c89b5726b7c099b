#include "party/daemon/daemon.h"
#include "common/base/file.h"
#include "common/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a connection was lost ---- */

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

/* ---- an attempt was cut short ---- */

void daemon_stop_waiting(struct daemon *d)
{
	if (!d->awaiting)
		return;
	d->awaiting = false;
	if (!uv_is_closing((uv_handle_t *)&d->again_timer))
		uv_timer_stop(&d->again_timer);
	record_release(&d->past);
	free(d->past_output);
	d->past_output = NULL;
}

enum err daemon_add_cause(const struct daemon *d, enum err code, const char *why)
{
	return err_set(code, "%.450s; attempt %u ended: %.450s", why, d->awaited.attempt, d->cause);
}

void daemon_fail_waiting(struct daemon *d, enum err code, bool stop)
{
	struct err_saved end = err_save(code);

	record_end(&d->past, code, end.why);
	if (record_write(&d->past, d->past_output) != ERR_OK)
		log_warn("%s", err_detail());
	job_forget(&d->means);
	daemon_stop_waiting(d);
	if (stop || d->options.once) {
		daemon_close(d, code, end.why);
		return;
	}
	log_error("job failed: %s", end.why);
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

/* Nothing to do if the offer has just come. */
static void on_too_late(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	char why[160];

	if (d->thread_started && d->work.offered)
		return;
	snprintf(why, sizeof(why), "attempt %u of the job was not offered within rejoin_s, %u s",
		 d->awaited.attempt + 1, d->config->common.rejoin_s);
	daemon_fail_waiting(d, daemon_add_cause(d, ERR_DEADLINE, why), false);
}

void daemon_await_again(struct daemon *d)
{
	unsigned limit_s = d->config->common.rejoin_s;
	struct work *work = &d->work;

	d->awaiting = true;
	d->awaited.attempt = work->attempt;
	memcpy(d->awaited.job_id, work->job_id, JOB_ID_LEN);
	memcpy(d->awaited.params_hash, work->params_hash, sizeof(work->params_hash));
	snprintf(d->cause, sizeof(d->cause), "%s", d->job_why);
	d->past_output = job_output(work, &d->means);
	d->past = d->record;
	d->record = (struct record){ 0 };
	record_past(&d->past, work->attempt, d->past.elapsed_s, d->cause);
	d->retry_ms = RETRY_FIRST_MS;
	log_warn("attempt %u is over: %s; the next is awaited for %u s", work->attempt, d->cause,
		 limit_s);
	uv_timer_start(&d->again_timer, on_too_late, (uint64_t)limit_s * 1000, 0);
}
