#include "server/daemon/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/service.h"
#include "common/job/confine.h"
#include "common/job/hook.h"
#include "common/job/results.h"
#include "common/job/roles.h"
#include "common/job/startup.h"
#include "crypto/sign.h"
#include "crypto/secret.h"
#include "proto/tls.h"
#include "server/daemon/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CANCEL_TIMEOUT_S 1.0

enum { LINGER_MS = 1000, CANCEL_GRACE_MS = 2500, LAST_MS = 10000, OVERDUE_S = 30 };

void coordinator_set_phase(struct coordinator *c, enum phase phase)
{
	static const char *const name[] = { [JOINING] = "joining",
					    [RUNNING] = "running",
					    [TELLING] = "telling",
					    [CLOSING] = "closing" };

	log_debug("from %s to %s", name[c->phase], name[phase]);
	service_status("%s, %zu parties", name[phase], c->L);
	c->phase = phase;
}

/* ---- the end: one way out of every phase ---- */

void coordinator_refuse(struct conn *conn, uint16_t code, const char *why)
{
	struct msg m = { .type = MSG_REFUSED,
			 .refused = { .code = code,
				      .text = { (const uint8_t *)why, strlen(why) } } };

	conn_send(conn, &m);
}

/* Until then parties that were told to come again could dial, to hear that the job has failed. */
static void on_linger(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;

	conn_listen_stop(c->listener);
	uv_close((uv_handle_t *)timer, NULL);
}

/* As in a party: what does not end must not keep the process. */
static void on_last(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;

	log_warn("something in this process does not end: it is left to itself");
	attempt_forget(c->state);
	daemon_leave(c->result == ERR_OK ? ERR_OK : err_set(c->result, "%s", c->why));
}

void coordinator_close(struct coordinator *c, enum err result, const char *why)
{
	bool done;

	if (c->phase == CLOSING)
		return;
	c->result = result;
	if (why)
		snprintf(c->why, sizeof(c->why), "%s", why);
	for (size_t l = 0; l < c->L; l++) {
		if (!c->seat[l].conn)
			continue;
		if (c->phase == JOINING)
			coordinator_refuse(c->seat[l].conn, (uint16_t)result, c->why);
		/* Stopped by a signal: the others were told before, as far as possible. */
		conn_close(c->seat[l].conn, ERR_OK, NULL,
			   result == ERR_CANCELLED ? CANCEL_TIMEOUT_S : CLOSE_TIMEOUT_S);
	}
	for (struct visitor *v = c->visitors; v; v = v->next)
		if (!v->seat || v->seat->conn != v->conn)
			conn_close(v->conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
	if (c->phase == JOINING && c->record.has_job && !c->record.ended) {
		record_end(&c->record, result, c->why);
		if (record_write(&c->record, c->config->common.output) != ERR_OK)
			log_warn("%s", err_detail());
	}
	if (c->record.has_job && result != ERR_OK && result != ERR_CANCELLED)
		hook_raise(HOOK_JOB_FAILED, c->record.job_id, "job failed: %s", c->why);
	done = coordinator_is_done(c) && result == ERR_OK;
	coordinator_set_phase(c, CLOSING);
	if (c->again && result != ERR_OK && c->listener) {
		uv_timer_start(&c->join_timer, on_linger, c->linger_ms, 0);
	} else {
		conn_listen_stop(c->listener);
		uv_close((uv_handle_t *)&c->join_timer, NULL);
	}
	watch_close(&c->watch);
	uv_close((uv_handle_t *)&c->cancel_timer, NULL);
	uv_close((uv_handle_t *)&c->away_timer, NULL);
	uv_close((uv_handle_t *)&c->state_timer, NULL);
	uv_timer_start(&c->last_timer, on_last, LAST_MS, 0);
	if (!done)
		attempt_forget(c->state);      /* otherwise last of all: coordinator_run() */
	uv_unref((uv_handle_t *)&c->job_done); /* the job thread is over, or is left to itself */
}

/* The job thread still computes: this thread tells the parties, and the process ends without it. */
static void on_cancel_timeout(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped", c->config->common.name);
	for (size_t l = 0; l < c->L; l++)
		if (c->seat[l].conn)
			conn_abort(c->seat[l].conn, ERR_PEER, 0, why);
	coordinator_close(c, ERR_CANCELLED, why);
}

/* SIGTERM or SIGINT came. */
static void on_signal(void *coordinator, const char *why)
{
	struct coordinator *c = coordinator;

	if (c->phase == JOINING && c->again) {
		coordinator_fail(c, ERR_CANCELLED, why);
	} else if (c->phase == JOINING) {
		coordinator_close(c, ERR_CANCELLED, why);
	} else if (c->phase == TELLING) {
		coordinator_close(c, ERR_OK, NULL);
	} else if (c->phase == RUNNING && !uv_is_active((uv_handle_t *)&c->cancel_timer)) {
		post_cancel(c->post, ERR_CANCELLED, why);
		uv_timer_start(&c->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}

/* ---- the job thread ---- */

/* A job thread that does not come back although its job is over, as from a library that spins,
 * would keep the process for ever: computations end within 2 s. */
static void on_watchdog(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	struct err_saved end;

	c->overdue_s = post_overdue(c->post, &end) ? c->overdue_s + 1 : 0;
	if (c->overdue_s <= OVERDUE_S)
		return;
	attempt_forget(c->state);
	daemon_leave(
	    err_set(ERR_INTERNAL,
		    "the job is over (%.400s), but its computation has not come back for %u s",
		    end.why, c->overdue_s - 1));
}

static void job_thread(void *arg)
{
	struct coordinator *c = arg;

	c->result = job_serve(&c->run, c->config->common.output);
	snprintf(c->why, sizeof(c->why), "%s", c->result == ERR_OK ? "" : err_detail());
	uv_async_send(&c->job_done);
}

/* Channels are made only now: a party that leaves before has broken nothing. */
void coordinator_start_job(struct coordinator *c)
{
	coordinator_set_phase(c, RUNNING);
	uv_timer_stop(&c->join_timer);
	coordinator_keep_state(c);
	for (size_t l = 0; l < c->L; l++) {
		struct seat *seat = &c->seat[l];

		seat->channel = c->channel[l] = channel_new(c->post, COORD, seat->name);
		channel_of_job(seat->channel, c->run.job_id, c->run.attempt);
		if (c->config->common.reconnect_s)
			channel_keep(seat->channel);
		conn_attach(seat->conn, seat->channel, channel_job(seat->channel));
	}
	c->run.L = c->L;
	c->run.name = c->name;
	c->run.channel = c->channel;
	c->run.post = c->post;
	c->run.record = &c->record;
	if (c->again)
		log_info("all %zu parties are there, attempt %u begins", c->L, c->run.attempt);
	else
		log_info("all %zu parties are there, the job begins", c->L);
	if (uv_thread_create(&c->job_thread, job_thread, c) != 0) {
		coordinator_close(c, ERR_INTERNAL, "the job thread could not be started");
		return;
	}
	c->thread_started = true;
	c->overdue_s = 0;
	uv_timer_start(&c->last_timer, on_watchdog, 1000, 1000);
}

static void on_job_done(uv_async_t *async)
{
	struct coordinator *c = async->data;

	uv_thread_join(&c->job_thread);
	c->thread_started = false;
	if (c->phase != CLOSING)
		uv_timer_stop(&c->last_timer);
	if (c->phase == RUNNING && c->result != ERR_OK && *c->watch.stopped && c->run.more) {
		c->again = true; /* parties may have been told to come again */
		coordinator_close(c, ERR_CANCELLED, c->watch.stopped);
		return;
	}
	if (c->phase == RUNNING && c->result != ERR_OK && coordinator_goes_on(c)) {
		coordinator_begin_again(c);
		return;
	}
	coordinator_close(c, c->result, NULL);
}

/* ---- start ---- */

enum err coordinator_check(const struct coordinator_config *config)
{
	const struct identity_paths *p = &config->common.identity;
	struct tls_files files = tls_files_of(p);
	struct numbering unused;

	TRY(identity_check(p->certificate, p->key, p->passphrase, config->common.name));
	TRY(numbering_read(&unused, config->common.numbering_key));
	wipe(&unused, sizeof(unused));
	return tls_check(TLS_SERVER, &files);
}

static enum err check_again(void *coordinator)
{
	return coordinator_check(((struct coordinator *)coordinator)->config);
}

/* From here on run.json is of this job, which waits for its parties; until then it was of the last.
 */
static enum err begin_results(struct coordinator *c)
{
	const char *output = c->config->common.output;

	if (!c->again) {
		TRY(results_begin(output));
		record_start(&c->record, &c->run.job, c->run.job_id, c->run.attempt, c->name, c->L);
	}
	return record_write(&c->record, output);
}

static enum err start(struct coordinator *c)
{
	const struct coordinator_config *config = c->config;
	struct conn_options o = { .files = tls_files_of(&config->common.identity),
				  .tcp_congestion = config->common.tcp_congestion };
	char bound[80], line[96];

	TRY(numbering_read(&c->numbering, config->common.numbering_key));
	c->run.numbering = &c->numbering;
	TRY(conn_host_new(&c->host, &c->loop, &o));
	conn_host_limit(c->host, config->greetings_per_address);
	TRY(conn_listen(c->host, config->listen.host, config->listen.port, &coordinator_events,
			coordinator_on_accepted, c, &c->listener, bound));
	TRY(confine(&config->common)); /* the loop has not run: nobody has been accepted yet */
	TRY(coordinator_find_job(c));
	watch_start(&c->watch, &config->common, c->host, on_signal, check_again, c);
	if (c->phase == JOINING) {
		TRY(begin_results(c));
		coordinator_await(c);
	}
	for (size_t l = 0; l < c->L; l++)
		watch_away(&c->watch, c->seat[l].name);
	log_info("listening on %s for %zu parties", bound, c->L);
	service_status("joining, %zu parties, on %s", c->L, bound);
	service_ready();
	if (!config->ready_file)
		return ERR_OK;
	snprintf(line, sizeof(line), "%s\n", bound);
	return file_write(config->ready_file, (struct bytes){ (uint8_t *)line, strlen(line) },
			  FILE_PUBLIC);
}

enum err coordinator_run(const struct coordinator_config *config, const struct job *job,
			 bool *before)
{
	struct coordinator *c = alloc(1, sizeof(*c));
	int status = uv_loop_init(&c->loop);
	enum err e;

	if (status < 0) {
		free(c);
		return err_set(ERR_INTERNAL, "no event loop can be made: %s", uv_strerror(status));
	}
	c->config = config;
	c->linger_ms = LINGER_MS;
	c->L = config->parties.count;
	for (size_t l = 0; l < c->L; l++)
		c->seat[l].name = c->name[l] = config->parties.item[l];
	c->run.job = *job;
	roles_name_of(getuid(), c->submitter);
	c->run.submitter = c->submitter;
	c->run.threads = config->common.threads ? config->common.threads
						: (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	c->run.max_memory = config->max_memory;
	c->run.job_timeout_s = config->common.job_timeout_s;
	record_init(&c->record, "coordinator", config->common.name);
	snprintf(c->record.submitter, sizeof(c->record.submitter), "%s", c->submitter);
	c->post = post_new(config->common.step_timeout_s);
	watch_init(&c->watch, &c->loop);
	uv_timer_init(&c->loop, &c->join_timer);
	uv_timer_init(&c->loop, &c->cancel_timer);
	uv_timer_init(&c->loop, &c->away_timer);
	uv_timer_init(&c->loop, &c->state_timer);
	uv_timer_init(&c->loop, &c->last_timer);
	uv_unref((uv_handle_t *)&c->last_timer);
	uv_async_init(&c->loop, &c->job_done, on_job_done);
	c->join_timer.data = c->cancel_timer.data = c->away_timer.data = c->job_done.data = c;
	c->state_timer.data = c->last_timer.data = c;
	e = start(c);
	if (e != ERR_OK)
		coordinator_close(c, e, err_detail());
	*before = c->phase == TELLING;
	uv_run(&c->loop, UV_RUN_DEFAULT);
	e = c->result == ERR_OK ? ERR_OK : err_set(c->result, "%s", c->why);
	if (c->thread_started) {
		attempt_forget(c->state);
		daemon_leave(e);
	}
	for (size_t l = 0; l < c->L; l++)
		channel_free(c->seat[l].channel);
	conn_host_free(c->host);
	uv_close((uv_handle_t *)&c->job_done, NULL);
	uv_close((uv_handle_t *)&c->last_timer, NULL);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	uv_loop_close(&c->loop);
	post_free(c->post);
	record_release(&c->record);
	attempt_forget(c->state);
	free(c->state);
	wipe(&c->numbering, sizeof(c->numbering));
	free(c);
	return e;
}
