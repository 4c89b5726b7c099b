#include "common/base/file.h"
#include "common/base/log.h"
#include "party/daemon/daemon_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
