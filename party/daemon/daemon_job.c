#include "party/daemon/daemon_own.h"
#include "common/base/clock.h"
#include "common/base/log.h"

#include <stdio.h>
#include <unistd.h>

static void job_thread(void *arg)
{
	struct daemon *d = arg;

	d->job_result = job_take_part(&d->work, &d->means);
	snprintf(d->job_why, sizeof(d->job_why), "%s", d->job_result == ERR_OK ? "" : err_detail());
	uv_async_send(&d->job_done);
}

enum err daemon_start_job(struct daemon *d)
{
	const struct daemon_common *c = &d->config->common;

	record_init(&d->record, "party", c->name);
	if (d->awaiting)
		d->record.attempts = d->past.attempts;
	d->work = (struct work){ .channel = d->channel,
				 .post = d->post,
				 .record = &d->record,
				 .threads = c->threads ? c->threads
						       : (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
	d->means = (struct job_means){ .config = d->config,
				       .identity = d->identity,
				       .agreed = d->options.agreed,
				       .awaited = d->awaiting ? &d->awaited : NULL,
				       .data = &d->data,
				       .output = c->output,
				       .output_per_job = !d->options.once };
	if (uv_thread_create(&d->job_thread, job_thread, d) != 0)
		return err_set(ERR_INTERNAL, "the job thread could not be started");
	d->thread_started = true;
	return ERR_OK;
}

void daemon_end_job(struct daemon *d)
{
	channel_free(d->channel);
	post_free(d->post);
	record_release(&d->record);
	log_set_job("");
	d->channel = NULL;
	d->post = NULL;
}

void daemon_on_job_done(uv_async_t *async)
{
	struct daemon *d = async->data;
	bool offered = d->work.offered, again;

	uv_thread_join(&d->job_thread);
	d->thread_started = false;
	if (d->phase == CLOSING) {
		uv_unref((uv_handle_t *)&d->job_done);
		return;
	}
	uv_timer_stop(&d->retry_timer);
	if (d->conn)
		conn_attach(d->conn, NULL, 0);
	if (offered && d->awaiting)
		daemon_stop_waiting(d);
	again = offered && d->work.again && d->config->common.rejoin_s && !*d->watch.stopped;
	if (again)
		daemon_await_again(d);
	else if (offered && d->job_result == ERR_OK)
		log_info("job done");
	else if (offered && !d->options.once) /* else it is the process's last word */
		log_error("job failed: %s", d->job_why);
	daemon_end_job(d);
	if (offered && !again && d->options.once) {
		if (*d->watch.stopped && d->work.again) { /* cut short, and not to go on */
			log_warn("attempt %u is over: %s", d->work.attempt, d->job_why);
			job_forget(&d->means);
			daemon_close(d, ERR_CANCELLED, d->watch.stopped);
		} else {
			daemon_close(d, d->job_result, d->job_why);
		}
		return;
	}
	party_data_release(&d->data); /* while nothing is offered, none is held */
	d->dialling_since_s = clock_now_s();
	daemon_set_phase(d, HANGING_UP);
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
	else
		daemon_rest(d, d->job_result, d->job_why);
}
