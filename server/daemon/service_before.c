#include "common/base/log.h"
#include "common/job/hook.h"
#include "server/daemon/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void requeue(struct service *s, struct entry *e, const char *why)
{
	unsigned most = s->config->common.rejoin_s ? s->config->max_attempts : 1;
	char cause[ERR_DETAIL_MAX];

	if (e->job.attempts >= most) {
		snprintf(cause, sizeof(cause),
			 "%s was started again after attempt %u of the job, and there are no more: "
			 "%.600s",
			 s->config->common.name, e->job.attempts, why);
		hook_raise(HOOK_JOB_FAILED, e->job.job_id, "job failed: %s", cause);
		entry_end(s, e, ERR_PEER, cause);
		return;
	}
	log_warn("job %" PRId64 " was under way when %s ended, and starts again: %s", e->job.id,
		 s->config->common.name, why);
	e->job.state = STORE_QUEUED;
	snprintf(e->job.cause, sizeof(e->job.cause), "started again: %.900s", why);
	entry_save(s, e);
}

static void take_up(struct service *s, struct entry *e, const struct attempt_state *state,
		    const struct job *job)
{
	struct running *r = entry_running(s, e, job);
	time_t began = e->job.began;
	enum err result;

	running_set(r, state->job_id);
	result = running_take_up(r, state);
	if (result != ERR_OK) /* otherwise running_take_up() has started the record */
		record_start(&r->record, job, state->job_id, state->attempt, r->name, r->L);
	entry_mark(s, e, r);
	e->job.began = began;
	e->job.attempts = state->attempt + (result == ERR_OK);
	entry_save(s, e);
	entry_open_log(s, e);
	if (result == ERR_OK)
		result = running_begin_results(r);
	log_set_job_here("");
	if (result == ERR_OK)
		running_await(r);
	else
		running_close(r, result, err_detail());
}

static void recover(struct service *s, struct entry *e)
{
	const struct daemon_common *c = &s->config->common;
	double limit_s = (double)c->rejoin_s + c->reconnect_s;
	char *path = entry_path(s, e, "job.state"), why[ERR_DETAIL_MAX];
	struct attempt_state state = { 0 };
	const char *name[PARTIES_MAX];
	uint8_t what[HASH_LEN];
	struct job job;
	bool found = *e->job.directory && attempt_find(path, limit_s, &state, why);

	free(path);
	if (state.done) {
		entry_end(s, e, ERR_OK, "");
		return;
	}
	if (entry_read(&job, e) != ERR_OK) {
		entry_end(s, e, ERR_INPUT, err_detail());
		return;
	}
	for (size_t l = 0; l < e->job.parties; l++)
		name[l] = e->job.party[l];
	attempt_hash(&job, name, e->job.parties, what);
	if (found && queue_has_room(s) && c->rejoin_s && s->config->max_attempts > 1 &&
	    !memcmp(what, state.what, HASH_LEN))
		take_up(s, e, &state, &job);
	else
		requeue(s, e, *why ? why : "it had not reached a state from which it can continue");
}

enum err queue_load(struct service *s)
{
	struct store_rows rows;
	enum err result = store_open_jobs(s->store, &rows);

	for (size_t i = 0; i < rows.n && result == ERR_OK; i++) {
		struct entry *e;
		bool ours = queue_append(s, &rows.job[i], &e) == ERR_OK;

		rows.job[i].text = NULL; /* the entry has taken over the text */
		if (!ours)
			entry_end(s, e, ERR_INPUT, err_detail());
		else if (e->job.state == STORE_RUNNING)
			recover(s, e);
	}
	store_rows_release(&rows);
	return result;
}
