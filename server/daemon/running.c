#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/base/service.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "common/job/results.h"
#include "common/job/startup.h"
#include "crypto/secret.h"
#include "server/daemon/coordinator.h"
#include "server/daemon/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CANCEL_TIMEOUT_S 1.0

enum { LINGER_MS = 1000, CANCEL_GRACE_MS = 2500, OVERDUE_S = 30, HANDLES = 6 };

const char *const phase_name[] = {
	[JOINING] = "joining", [RUNNING] = "running", [TELLING] = "telling", [CLOSING] = "closing"
};

void running_set_phase(struct running *r, enum phase phase)
{
	log_debug("from %s to %s", phase_name[r->phase], phase_name[phase]);
	if (!r->c->queue) {
		service_status("%s, %zu parties", phase_name[phase], r->L);
		live_phase(phase_name[phase]);
	}
	r->phase = phase;
}

/* -- the end -------------------------------------------------------------------------------- */

static void on_handle_closed(uv_handle_t *handle)
{
	struct running *r = handle->data;

	r->handles--;
	running_look(r);
}

void running_look(struct running *r)
{
	if (r->c->queue && !r->handles && !r->links)
		r->c->queue->over(r->c->queue->arg, r);
}

static void close_timer(uv_timer_t *timer)
{
	uv_close((uv_handle_t *)timer, on_handle_closed);
}

static void close_thread(struct running *r)
{
	close_timer(&r->last_timer);
	uv_close((uv_handle_t *)&r->job_done, on_handle_closed);
}

void running_let_go(struct running *r, struct slot *slot)
{
	for (struct visitor *v = r->c->visitors; v; v = v->next)
		if (slot->conn && v->conn == slot->conn) {
			v->of = r;
			v->slot = NULL;
			r->links++;
		}
	if (slot->conn)
		watch_lost(&r->c->watch, slot->name);
	if (r->again && r->result != ERR_OK && !r->left && (r->phase != JOINING || !slot->conn)) {
		slot->owed = r->result;
		snprintf(slot->owed_why, sizeof(slot->owed_why), "%s", r->why);
	}
	slot->job = NULL;
	slot->conn = NULL;
	slot->channel = NULL;
	slot->joined = slot->known = slot->knows = false;
}

static void close_slots(struct running *r)
{
	for (size_t l = 0; l < r->L; l++) {
		struct conn *conn = r->slot[l]->conn;

		if (conn && r->phase == JOINING)
			coordinator_refuse(conn, r->left ? MSG_AGAIN : (uint16_t)r->result, r->why);
		/* A job that was cancelled while it ran has already sent ABORT, so its connections
		 * have less time to send what is left. */
		if (conn)
			conn_close(conn, ERR_OK, NULL,
				   r->result == ERR_CANCELLED ? CANCEL_TIMEOUT_S : CLOSE_TIMEOUT_S);
		if (r->c->queue)
			running_let_go(r, r->slot[l]);
	}
}

void running_close(struct running *r, enum err result, const char *why)
{
	bool done;

	if (r->phase == CLOSING)
		return;
	r->result = result;
	if (why)
		snprintf(r->why, sizeof(r->why), "%s", why);
	close_slots(r);
	if (r->phase == JOINING && r->record.has_job && !r->record.ended && !r->left) {
		record_end(&r->record, result, r->why);
		if (record_write(&r->record, r->output) != ERR_OK)
			log_warn("%s", err_detail());
	}
	if (r->record.has_job && result != ERR_OK && !r->thread_started && !r->left)
		live_job_ended(&r->record); /* otherwise the job's thread reports the end */
	if (r->record.has_job && result != ERR_OK && result != ERR_CANCELLED)
		hook_raise(HOOK_JOB_FAILED, r->record.job_id, "job failed: %s", r->why);
	done = running_is_done(r) && result == ERR_OK;
	running_set_phase(r, CLOSING);
	close_timer(&r->join_timer);
	close_timer(&r->cancel_timer);
	close_timer(&r->lost_timer);
	close_timer(&r->state_timer);
	if (!r->thread_started)
		close_thread(r);
	/* If the job is done, running_free() removes job.state; for a queue, jobs.db must first
	 * have the end. If the job is left to the next process, the file stays. */
	if (!done && !r->left && !r->c->queue)
		attempt_forget(r->state);
	if (r->c->queue)
		r->c->queue->closed(r->c->queue->arg, r);
	else
		coordinator_close(r->c, result, r->why,
				  r->again && result != ERR_OK ? r->linger_ms : 0);
}

void running_drop(struct running *r)
{
	for (size_t l = 0; l < r->L; l++)
		r->slot[l]->job = NULL;
	live_job_dropped(&r->record);
	r->phase = CLOSING;
	close_timer(&r->join_timer);
	close_timer(&r->cancel_timer);
	close_timer(&r->lost_timer);
	close_timer(&r->state_timer);
	close_thread(r);
}

/* Informs the parties from the loop, because the job's thread still computes. */
static void running_on_cancel_timeout(uv_timer_t *timer)
{
	struct running *r = timer->data;

	if (running_is_done(r)) /* the job's thread informs the parties, and ends */
		return;
	for (size_t l = 0; l < r->L; l++)
		if (r->slot[l]->conn)
			conn_abort(r->slot[l]->conn, r->left ? (enum err)MSG_AGAIN : ERR_PEER, 0,
				   r->asked);
	running_close(r, ERR_CANCELLED, r->asked);
}

static void running_ask_to_stop(struct running *r, const char *why)
{
	snprintf(r->asked, sizeof(r->asked), "%s", why);
	uv_timer_start(&r->cancel_timer, running_on_cancel_timeout, CANCEL_GRACE_MS, 0);
}

void running_cancel(struct running *r, const char *why)
{
	if (r->phase == JOINING && r->again) {
		running_fail(r, ERR_CANCELLED, why);
	} else if (r->phase == JOINING) {
		running_close(r, ERR_CANCELLED, why);
	} else if (r->phase == TELLING) {
		running_close(r, ERR_OK, NULL);
	} else if (r->phase == RUNNING && !uv_is_active((uv_handle_t *)&r->cancel_timer)) {
		mailbox_cancel(r->mailbox, ERR_CANCELLED, why);
		running_ask_to_stop(r, why);
	}
}

void running_leave(struct running *r, const char *why)
{
	if (r->phase == CLOSING || (r->phase == RUNNING && running_is_done(r)))
		return;
	r->left = r->phase == JOINING || r->run.more;
	if (!r->left) {
		running_cancel(r, why);
	} else if (r->phase == JOINING) {
		running_close(r, ERR_CANCELLED, why);
	} else if (!uv_is_active((uv_handle_t *)&r->cancel_timer)) {
		mailbox_interrupt(r->mailbox, ERR_PEER, why);
		running_ask_to_stop(r, why);
	}
}

/* -- the job thread ------------------------------------------------------------------------- */

/* Exits the process if a job's thread does not return although its job is over, for example because
 * a library loops for ever. Computations normally end within 2 s. */
static void running_on_watchdog(uv_timer_t *timer)
{
	struct running *r = timer->data;
	struct err_saved end;

	r->overdue_s = mailbox_overdue(r->mailbox, &end) ? r->overdue_s + 1 : 0;
	if (r->overdue_s <= OVERDUE_S)
		return;
	attempt_forget(r->state);
	daemon_leave(err_set(ERR_INTERNAL,
			     "the job is over (%.400s), but its computation has not ended for %u s",
			     end.why, r->overdue_s - 1));
}

static void running_job_thread(void *arg)
{
	struct running *r = arg;
	enum err e = job_serve(&r->run, r->output);

	r->thread_result = e;
	snprintf(r->thread_why, sizeof(r->thread_why), "%s", e == ERR_OK ? "" : err_detail());
	uv_async_send(&r->job_done);
}

/* Creates the channels only now, so that a party that leaves earlier does not end the job. */
void running_start(struct running *r)
{
	running_set_phase(r, RUNNING);
	uv_timer_stop(&r->join_timer);
	running_keep_state(r);
	for (size_t l = 0; l < r->L; l++) {
		struct slot *slot = r->slot[l];

		slot->channel = r->channel[l] = channel_new(r->mailbox, COORD, slot->name);
		channel_of_job(slot->channel, r->run.job_id, r->run.attempt);
		if (r->c->config->common.reconnect_s)
			channel_keep(slot->channel);
		conn_attach(slot->conn, slot->channel, channel_job(slot->channel));
	}
	if (r->again)
		log_info("all %zu parties are connected, attempt %u begins", r->L, r->run.attempt);
	else
		log_info("all %zu parties are connected, the job begins", r->L);
	if (uv_thread_create(&r->job_thread, running_job_thread, r) != 0) {
		running_close(r, ERR_INTERNAL, "the job thread could not be started");
		return;
	}
	r->thread_started = true;
	r->overdue_s = 0;
	uv_timer_start(&r->last_timer, running_on_watchdog, 1000, 1000);
}

static void running_on_job_done(uv_async_t *async)
{
	struct running *r = async->data;

	uv_thread_join(&r->job_thread);
	r->thread_started = false;
	uv_timer_stop(&r->last_timer);
	if (r->phase == CLOSING) { /* the job was closed before its thread ended */
		close_thread(r);
		return;
	}
	r->result = r->thread_result;
	memcpy(r->why, r->thread_why, sizeof(r->why));
	if (r->phase == RUNNING && r->left && running_continues(r)) {
		running_close(r, ERR_CANCELLED, r->asked);
		return;
	}
	r->left = false;
	if (r->phase == RUNNING && r->result != ERR_OK && *r->asked && r->run.more) {
		r->again = true; /* so that parties that were told to return get the error */
		running_close(r, ERR_CANCELLED, r->asked);
		return;
	}
	if (r->phase == RUNNING && r->result != ERR_OK && running_continues(r)) {
		running_begin_again(r);
		return;
	}
	running_close(r, r->result, NULL);
}

/* -- start ---------------------------------------------------------------------------------- */

static void init_handles(struct running *r)
{
	uv_loop_t *loop = &r->c->loop;

	uv_timer_init(loop, &r->join_timer);
	uv_timer_init(loop, &r->cancel_timer);
	uv_timer_init(loop, &r->lost_timer);
	uv_timer_init(loop, &r->state_timer);
	uv_timer_init(loop, &r->last_timer);
	uv_unref((uv_handle_t *)&r->last_timer);
	uv_async_init(loop, &r->job_done, running_on_job_done);
	r->join_timer.data = r->cancel_timer.data = r->lost_timer.data = r->job_done.data = r;
	r->state_timer.data = r->last_timer.data = r;
	r->handles = HANDLES;
}

struct running *running_new(struct coordinator *c, const struct job *job, struct slot *const *slot,
			    size_t L, const char *submitter, const char *output)
{
	const struct coordinator_config *config = c->config;
	struct running *r = alloc(1, sizeof(*r));

	r->c = c;
	r->output = alloc_copy(output);
	r->linger_ms = LINGER_MS;
	r->L = L;
	for (size_t l = 0; l < L; l++) {
		r->slot[l] = slot[l];
		r->name[l] = slot[l]->name;
		slot[l]->job = r;
	}
	snprintf(r->submitter, sizeof(r->submitter), "%s", submitter);
	record_init(&r->record, "coordinator", config->common.name);
	snprintf(r->record.submitter, sizeof(r->record.submitter), "%s", r->submitter);
	r->mailbox = mailbox_new(config->common.step_timeout_s);
	r->run = (struct run){ .job = *job,
			       .submitter = r->submitter,
			       .L = L,
			       .name = r->name,
			       .channel = r->channel,
			       .mailbox = r->mailbox,
			       .record = &r->record,
			       .threads = config->common.threads ? config->common.threads
								 : machine_cores(),
			       .max_memory = config->max_memory,
			       .job_timeout_s = config->common.job_timeout_s,
			       .numbering = &c->numbering,
			       .numbers = r->numbers };
	init_handles(r);
	r->next = c->jobs;
	c->jobs = r;
	return r;
}

/* Afterwards run.json describes this job, which waits for its parties, and no longer an earlier job
 * in the same directory. */
enum err running_begin_results(struct running *r)
{
	if (!r->again) {
		TRY(results_begin(r->output));
		record_start(&r->record, &r->run.job, r->run.job_id, r->run.attempt, r->name, r->L);
	}
	return record_write(&r->record, r->output);
}

void running_free_channel(struct running *r, size_t l)
{
	struct link_state link;

	if (!r->channel[l])
		return;
	channel_link(r->channel[l], &link);
	live_link_ends(&link);
	channel_free(r->channel[l]);
	r->channel[l] = NULL;
}

void running_free(struct running *r)
{
	for (struct running **at = &r->c->jobs; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	for (size_t l = 0; l < r->L; l++)
		running_free_channel(r, l);
	mailbox_free(r->mailbox);
	record_release(&r->record);
	if (!r->left)
		attempt_forget(r->state);
	free(r->state);
	free(r->output);
	wipe(r->numbers, sizeof(r->numbers));
	free(r);
}
