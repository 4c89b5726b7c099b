#include "party/daemon/daemon.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/base/service.h"
#include "common/job/confine.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "common/job/prune.h"
#include "common/job/startup.h"
#include "crypto/sign.h"
#include "crypto/secret.h"
#include "party/consent/leaving.h"
#include "party/daemon/served.h"
#include "party/daemon/dashboard.h"
#include "party/ranks/workers.h"
#include "proto/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CANCEL_TIMEOUT_S 1.0

enum {
	CANCEL_GRACE_MS = 2500,
	LAST_WORD_MS = 6500, /* LAST_WORD_MS + CANCEL_GRACE_MS must be less than LAST_MS */
	LAST_MS = 10000,
	GRACE_MS = 5000,
	OVERDUE_S = 30,
	ALONE_S = 600 /* limit for writing the profile; its data may be on a slow disk */
};

void daemon_set_phase(struct daemon *d, enum phase phase)
{
	static const char *const name[] = {
		[RESTING] = "resting",     [DIALLING] = "dialling",     [SERVING] = "serving",
		[RETURNING] = "returning", [HANGING_UP] = "hanging up", [CLOSING] = "closing"
	};

	log_debug("from %s to %s", name[d->phase], name[phase]);
	if (phase != d->phase)
		service_status("%s %s", name[phase], d->config->coordinator_text);
	live_phase(name[phase]);
	d->phase = phase;
}

/* -- the end -------------------------------------------------------------------------------- */

static void forget_cache(const struct daemon *d)
{
	job_forget(d->config->state);
}

static void daemon_leave_job(const struct daemon *d, enum err e)
{
	file_cancel();
	forget_cache(d);
	daemon_leave(e);
}

/* Ends the process even if a job's thread does not return (for example because a library loops for
 * ever) or if a name lookup hangs. */
static void daemon_on_last(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	log_warn("a thread of this process does not end, so the process exits without waiting "
		 "for it");
	daemon_leave_job(d, d->result == ERR_OK ? ERR_OK : err_set(d->result, "%s", d->why));
}

void daemon_close(struct daemon *d, enum err result, const char *why)
{
	if (d->phase == CLOSING)
		return;
	daemon_set_phase(d, CLOSING);
	d->result = result;
	snprintf(d->why, sizeof(d->why), "%s", why);
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL,
			   result == ERR_CANCELLED ? CANCEL_TIMEOUT_S : CLOSE_TIMEOUT_S);
	watch_close(&d->watch);
	party_status_close(d->status);
	party_api_close(d->api);
	uv_close((uv_handle_t *)&d->retry_timer, NULL);
	uv_close((uv_handle_t *)&d->cancel_timer, NULL);
	uv_close((uv_handle_t *)&d->again_timer, NULL);
	uv_timer_start(&d->last_timer, daemon_on_last, LAST_MS, 0);
	/* Waits for the job's thread, unless the thread was abandoned while it still computed. */
	if (!d->thread_started || d->abandoned)
		uv_unref((uv_handle_t *)&d->job_done);
}

/* -- an attempt was cut short --------------------------------------------------------------- */

static void stop_waiting(struct daemon *d)
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

/* Sets the error text "<why>; attempt 1 ended: ...". */
static enum err daemon_add_cause(const struct daemon *d, enum err code, const char *why)
{
	return err_set(code, "%.450s; attempt %u ended: %.450s", why, d->awaited.attempt, d->cause);
}

/* Raises the hook for a failed job, unless a user cancelled the job. */
static void failed(enum err code, const char *job_id, const char *why)
{
	if (code != ERR_OK && code != ERR_CANCELLED)
		hook_raise(HOOK_JOB_FAILED, job_id, "job failed: %s", why);
}

void daemon_fail_waiting(struct daemon *d, enum err code, bool stop)
{
	struct err_saved end = err_save(code);

	record_end(&d->past, code, end.why);
	live_job_ended(&d->past);
	failed(code, d->past.job_id, end.why);
	if (record_write(&d->past, d->past_output) != ERR_OK)
		log_warn("%s", err_detail());
	forget_cache(d);
	stop_waiting(d);
	if (stop || d->options.once) {
		daemon_close(d, code, end.why);
		return;
	}
	log_error("job failed: %s", end.why);
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

/* Ends the wait for the next attempt. If an offer has just arrived, does nothing. */
static void on_too_late(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	char why[160];

	if (d->thread_started && d->work.offered)
		return;
	/* The coordinator is connected. It waits for other parties, and will report which are
	 * missing. If this party left just before that report, the report would name this party as
	 * missing. So it waits GRACE_MS more. */
	if (d->thread_started && !d->graced) {
		d->graced = true;
		uv_timer_start(timer, on_too_late, GRACE_MS, 0);
		return;
	}
	snprintf(why, sizeof(why), "attempt %u of the job was not offered within rejoin_s, %u s",
		 d->awaited.attempt + 1, d->config->common.rejoin_s);
	daemon_fail_waiting(d, daemon_add_cause(d, ERR_DEADLINE, why), false);
}

static void await_again(struct daemon *d)
{
	unsigned limit_s = d->config->common.rejoin_s;
	struct work *work = &d->work;

	d->awaiting = true;
	d->graced = false;
	d->awaited.attempt = work->attempt;
	memcpy(d->awaited.job_id, work->job_id, JOB_ID_LEN);
	memcpy(d->awaited.params_hash, work->params_hash, sizeof(work->params_hash));
	snprintf(d->awaited.step, sizeof(d->awaited.step), "%s", record_at(&d->record));
	snprintf(d->cause, sizeof(d->cause), "%s", d->job_why);
	d->past_output = job_output(work, &d->means);
	d->past = d->record;
	d->record = (struct record){ 0 };
	record_past(&d->past, work->attempt, d->past.elapsed_s, d->cause);
	d->retry_ms = RETRY_FIRST_MS;
	log_warn("attempt %u is over: %s; waiting up to %u s for the next", work->attempt, d->cause,
		 limit_s);
	uv_timer_start(&d->again_timer, on_too_late, (uint64_t)limit_s * 1000, 0);
}

/* -- signals -------------------------------------------------------------------------------- */

static void daemon_on_cancel_timeout(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	char why[128];

	if (!d->work.offered) { /* this party was only waiting for an offer when the stop arrived */
		uv_timer_start(timer, daemon_on_cancel_timeout, CANCEL_GRACE_MS, 0);
		return;
	}
	snprintf(why, sizeof(why), "%s was stopped", d->config->common.name);
	if (d->conn)
		conn_abort(d->conn, ERR_PEER, ENDING_STOPPED, "");
	d->abandoned = true;
	daemon_close(d, ERR_CANCELLED, why);
}

/* Cancels the job. The party has confirmed its results, but the other parties' confirmation does
 * not arrive. */
static void on_last_word_late(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	mailbox_cancel(d->mailbox, ERR_CANCELLED, d->watch.stopped);
	uv_timer_start(timer, daemon_on_cancel_timeout, CANCEL_GRACE_MS, 0);
}

static void daemon_on_signal(void *daemon, const char *why)
{
	struct daemon *d = daemon;

	if (d->awaiting && !(d->thread_started && d->work.offered)) {
		if (d->mailbox)
			mailbox_cancel(d->mailbox, ERR_CANCELLED, why);
		daemon_fail_waiting(d, daemon_add_cause(d, ERR_CANCELLED, why), true);
	} else if (!d->thread_started) {
		log_info("stopped while idle");
		daemon_close(d, ERR_OK, "");
	} else if (!uv_is_active((uv_handle_t *)&d->cancel_timer)) {
		d->options.once = true; /* the process ends after this job, with any result */
		if (mailbox_cancel_unless_last(d->mailbox, ERR_CANCELLED, why))
			uv_timer_start(&d->cancel_timer, daemon_on_cancel_timeout, CANCEL_GRACE_MS,
				       0);
		else
			uv_timer_start(&d->cancel_timer, on_last_word_late, LAST_WORD_MS, 0);
	}
}

/* -- the job thread ------------------------------------------------------------------------- */

static void daemon_on_watchdog(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	struct err_saved end;

	d->overdue_s = mailbox_overdue(d->mailbox, &end) ? d->overdue_s + 1 : 0;
	if (d->overdue_s > (d->work.alone ? ALONE_S : OVERDUE_S))
		daemon_leave_job(
		    d,
		    err_set(ERR_INTERNAL,
			    "the job is over (%.400s), but its computation has not ended for %u s",
			    end.why, d->overdue_s - 1));
}

static void daemon_job_thread(void *arg)
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
				 .mailbox = d->mailbox,
				 .record = &d->record,
				 .numbering = &d->numbering,
				 .threads = c->threads ? c->threads : machine_cores() };
	d->means = (struct job_means){ .config = d->config,
				       .identity = d->identity,
				       .agreed = d->options.agreed,
				       .awaited = d->awaiting ? &d->awaited : NULL,
				       .psks = d->psks,
				       .served = d->served,
				       .declines = &d->declines,
				       .data = &d->data,
				       .output_per_job = !d->options.once };
	if (uv_thread_create(&d->job_thread, daemon_job_thread, d) != 0)
		return err_set(ERR_INTERNAL, "the job thread could not be started");
	d->thread_started = true;
	d->overdue_s = 0;
	uv_timer_start(&d->last_timer, daemon_on_watchdog, 1000, 1000);
	return ERR_OK;
}

/* -- old results ---------------------------------------------------------------------------- */

static void daemon_prune(uv_work_t *work)
{
	const struct daemon *d = work->data;

	prune_old(&d->config->common, d->config->state, NULL, NULL);
}

static void daemon_on_pruned(uv_work_t *work, int status)
{
	struct daemon *d = work->data;

	(void)status;
	d->prunes = false;
}

/* Removes old results, on a separate thread, since this may take long. Does nothing while an
 * attempt is awaited, because that attempt has results on disk. */
static void daemon_prune_now(struct daemon *d)
{
	if (d->prunes || d->awaiting || d->options.once || prune_never(&d->config->common) ||
	    (d->pruned_s > 0 && clock_now_s() - d->pruned_s < PRUNE_EVERY_S))
		return;
	d->pruned_s = clock_now_s();
	d->pruning.data = d;
	d->prunes = uv_queue_work(&d->loop, &d->pruning, daemon_prune, daemon_on_pruned) == 0;
}

static void end_job(struct daemon *d)
{
	struct link_state link;

	if (d->channel) {
		channel_link(d->channel, &link);
		live_link_ends(&link);
	}
	channel_free(d->channel);
	mailbox_free(d->mailbox);
	record_release(&d->record);
	/* With `once`, log lines name the job until the process ends, since its last message is
	 * about the job. */
	if (!d->options.once)
		log_set_job("");
	d->channel = NULL;
	d->mailbox = NULL;
}

static void daemon_log_done(const struct daemon *d)
{
	char *output = job_output(&d->work, &d->means);

	log_info("job done: results in %s", output);
	free(output);
}

static void daemon_on_job_done(uv_async_t *async)
{
	struct daemon *d = async->data;
	bool offered = d->work.offered, again, died;

	uv_thread_join(&d->job_thread);
	died = workers_died(d->data.workers);
	d->thread_started = false;
	if (d->phase == CLOSING) {
		uv_unref((uv_handle_t *)&d->job_done);
		return;
	}
	uv_timer_stop(&d->last_timer);
	uv_timer_stop(&d->retry_timer);
	if (d->conn)
		conn_attach(d->conn, NULL, 0);
	if (offered && d->awaiting)
		stop_waiting(d);
	again = offered && d->work.again && d->config->common.rejoin_s && !*d->watch.stopped;
	if (again)
		await_again(d);
	else if (offered && d->job_result == ERR_OK)
		daemon_log_done(d);
	else if (offered && !d->options.once) /* with `once`, main() logs this at the end */
		log_error("job failed: %s", d->job_why);
	if (offered && !again)
		failed(d->job_result, d->record.job_id, d->job_why);
	end_job(d);
	/* if an offer came first, the job's thread has handled the stop */
	if (!offered && *d->watch.stopped) {
		log_info("stopped while idle");
		daemon_close(d, ERR_OK, "");
		return;
	}
	if (offered && !again && d->options.once) {
		if (*d->watch.stopped && d->work.again) {
			log_warn("attempt %u is over: %s", d->work.attempt, d->job_why);
			daemon_close(d, ERR_CANCELLED, d->watch.stopped);
		} else {
			daemon_close(d, d->job_result, d->job_why);
		}
		return;
	}
	party_data_release(&d->data); /* the process holds no data while there is no offer */
	daemon_prune_now(d);
	d->dialling_since_s = clock_now_s();
	daemon_set_phase(d, HANGING_UP);
	if (d->conn && died && again)
		/* An orderly close would end the job for all parties. */
		conn_cut(d->conn);
	else if (d->conn)
		conn_close(d->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
	else
		daemon_rest(d, d->job_result, d->job_why);
}

/* -- start ---------------------------------------------------------------------------------- */

enum err daemon_check(const struct party_config *config)
{
	const struct identity_files *p = &config->common.identity;
	struct numbering unused;

	TRY(identity_check(p->certificate, p->key, p->passphrase, config->common.name));
	TRY(numbering_read(&unused, config->common.numbering_key));
	wipe(&unused, sizeof(unused));
	TRY(psks_check(config));
	TRY(tls_check(TLS_CLIENT, p));
	return party_api_check(config);
}

static enum err daemon_check_again(void *daemon)
{
	return daemon_check(((struct daemon *)daemon)->config);
}

static void daemon_update_dashboard(void *daemon)
{
	struct daemon *d = daemon;

	struct link_state link;

	live_alive(WATCH_WITHIN_S);
	if (d->channel) {
		channel_link(d->channel, &link);
		live_link(&link);
	}
	dashboard_look(d->dashboard);
	party_api_look(d->api);
	hook_look();
}

static void daemon_reload(void *daemon)
{
	struct daemon *d = daemon;

	daemon_reload_level(&d->config->common);
	party_api_reload(d->api);
}

static void daemon_sweep_offers(const char *state)
{
	char *offers = file_join(state, "offers");

	file_sweep(state);
	file_sweep(offers);
	free(offers);
}

/* Removes the previous process's state/cache. No attempt that would use it was offered in time. */
static void on_stale(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	/* if a job is under way, its end removes the cache */
	if (!d->thread_started || !d->work.offered)
		forget_cache(d);
}

/* Waits for the next attempt at the previous process's job, up to the sum of rejoin_s and
 * reconnect_s. If rejoin_s is 0, no attempt can follow, so removes the cache at once. */
static void await_attempt(struct daemon *d)
{
	const struct daemon_common *c = &d->config->common;

	if (c->rejoin_s)
		uv_timer_start(&d->again_timer, on_stale,
			       1000 * ((uint64_t)c->rejoin_s + c->reconnect_s), 0);
	else
		forget_cache(d);
}

static enum err daemon_start(struct daemon *d)
{
	const struct daemon_common *c = &d->config->common;
	struct conn_options o = { .files = c->identity,
				  .proxy = d->config->proxy_text ? d->config->proxy.host : NULL,
				  .proxy_port = d->config->proxy.port };

	TRY(identity_load(&d->identity, c->identity.certificate, c->identity.key,
			  c->identity.passphrase));
	TRY(numbering_read(&d->numbering, c->numbering_key));
	TRY(psks_read(&d->psks, d->config));
	TRY(conn_host_new(&d->host, &d->loop, &o));
	TRY(dashboard_open(&d->dashboard, c, false));
	TRY(party_status_open(&d->status, d->config, &d->loop));
	TRY(party_api_open(&d->api, &d->loop, d->config));
	/* Confine the process before data are read, since files may be of any origin. */
	TRY(confine(c));
	daemon_sweep_offers(d->config->state);
	await_attempt(d);
	watch_start(&d->watch, &(struct watch_options){ .name = c->name,
							.files = &c->identity,
							.host = d->host,
							.stop = daemon_on_signal,
							.check = daemon_check_again,
							.reload = daemon_reload,
							.tick = daemon_update_dashboard,
							.certificate = live_certificate,
							.expires = hook_certificate,
							.peer = live_peer,
							.lost = hook_party_lost,
							.arg = d });
	TRY(party_dashboard_start(d->dashboard, d->config));
	TRY(party_api_start(d->api));
	/* The party reads the data again at each offer. It also reads them at start, so that the
	 * user sees errors at once. */
	TRY(party_data_bring(&d->data, d->config));
	if (!d->options.once)
		party_data_release(&d->data);
	leaving_prepare(d->config);
	/* Reading may have taken minutes, which must not count as dialling. Timers use the loop's
	 * clock, which stands still while the loop does not run. */
	uv_update_time(&d->loop);
	d->dialling_since_s = clock_now_s();
	log_info("dialling %s%s%s", d->config->coordinator_text,
		 d->config->proxy_text ? " through the proxy " : "",
		 d->config->proxy_text ? d->config->proxy_text : "");
	watch_lost(&d->watch, d->config->coordinator_text);
	service_ready();
	daemon_prune_now(d);
	daemon_dial(d);
	return ERR_OK;
}

enum err daemon_run(const struct party_config *config, const struct daemon_options *o)
{
	struct daemon *d = alloc(1, sizeof(*d));
	int status;
	enum err e;

	d->config = config;
	d->options = *o;
	d->retry_ms = RETRY_FIRST_MS;
	d->dialling_since_s = clock_now_s();
	status = uv_loop_init(&d->loop);
	if (status < 0) {
		free(d);
		return err_set(ERR_INTERNAL, "no event loop can be made: %s", uv_strerror(status));
	}
	d->served = served_new(config->state);
	watch_init(&d->watch, &d->loop);
	uv_timer_init(&d->loop, &d->retry_timer);
	uv_timer_init(&d->loop, &d->cancel_timer);
	uv_timer_init(&d->loop, &d->again_timer);
	uv_timer_init(&d->loop, &d->last_timer);
	uv_unref((uv_handle_t *)&d->last_timer);
	uv_async_init(&d->loop, &d->job_done, daemon_on_job_done);
	d->retry_timer.data = d->cancel_timer.data = d->again_timer.data = d->job_done.data = d;
	d->last_timer.data = d;
	e = daemon_start(d);
	if (e != ERR_OK)
		daemon_close(d, e, err_detail());
	uv_run(&d->loop, UV_RUN_DEFAULT);
	e = d->result == ERR_OK ? ERR_OK : err_set(d->result, "%s", d->why);
	if (d->thread_started)
		daemon_leave_job(d, e);
	forget_cache(d);
	if (d->mailbox)
		end_job(d);
	party_dashboard_close(d->dashboard, d->config);
	party_api_free(d->api);
	conn_host_free(d->host);
	uv_close((uv_handle_t *)&d->job_done, NULL);
	uv_close((uv_handle_t *)&d->last_timer, NULL);
	uv_run(&d->loop, UV_RUN_DEFAULT);
	uv_loop_close(&d->loop);
	party_data_release(&d->data);
	identity_free(d->identity);
	wipe(&d->numbering, sizeof(d->numbering));
	psks_free(d->psks);
	served_free(d->served);
	party_status_free(d->status);
	stop_waiting(d);
	free(d);
	return e;
}
