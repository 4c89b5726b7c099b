#include "common/base/file.h"
#include "common/base/log.h"
#include "crypto/secret.h"
#include "server/daemon/coordinator.h"
#include "server/daemon/job.h"

#include <stdio.h>
#include <string.h>

enum {
	TOUCH_MS = 500,
	COME_BACK_MS = 5000, /* longest pause of a party between two tries to return */
};

/* -- across restarts of this process -------------------------------------------------------- */

static bool repeats(const struct running *r)
{
	const struct coordinator_config *config = r->c->config;

	return config->common.rejoin_s > 0 && config->max_attempts > 1;
}

static void on_touch(uv_timer_t *timer)
{
	struct running *r = timer->data;

	attempt_touch(r->state);
}

static void leave_out(struct running *r, size_t l, bool done)
{
	struct slot *slot = r->slot[l];
	struct conn *conn = slot->conn;
	char why[256];

	snprintf(why, sizeof(why),
		 done ? "the job is done without %s, which dropped out: it has no results"
		      : "the job continues without %s, which did not reconnect within rejoin_s",
		 slot->name);
	running_let_go(r, slot);
	slot->owed = ERR_DEADLINE;
	snprintf(slot->owed_why, sizeof(slot->owed_why), "%s", why);
	if (conn) { /* the party has not sent HELLO */
		coordinator_refuse(conn, ERR_DEADLINE, why);
		conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
	}
	for (r->L--; l < r->L; l++) {
		r->slot[l] = r->slot[l + 1];
		r->name[l] = r->name[l + 1];
	}
	r->run.L = r->L;
}

bool running_continues_without(struct running *r)
{
	const char *step = record_at(&r->record);
	size_t there = 0;

	for (size_t l = 0; l < r->L; l++)
		there += r->slot[l]->joined;
	if (!r->again || r->run.job.on_loss == LOSS_END || there < 2)
		return false;
	for (size_t l = 0; l < r->L;) {
		if (r->slot[l]->joined) {
			l++;
			continue;
		}
		record_left(&r->record, r->slot[l]->name, r->run.attempt, step);
		log_warn("%s did not reconnect for attempt %u within rejoin_s, %u s: the job "
			 "continues without it",
			 r->slot[l]->name, r->run.attempt, r->c->config->common.rejoin_s);
		leave_out(r, l, false);
	}
	return true;
}

static void leave_out_again(struct running *r, const struct attempt_state *s)
{
	for (size_t i = 0; i < s->lefts; i++)
		for (size_t l = 0; l < r->L; l++)
			if (!strcmp(r->slot[l]->name, s->left[i].name)) {
				record_left(&r->record, s->left[i].name, s->left[i].attempt,
					    s->left[i].step);
				leave_out(r, l, s->done);
				break;
			}
}

enum err running_take_up(struct running *r, const struct attempt_state *s)
{
	char cause[MSG_NAME_MAX + 32];

	if (s->attempt >= r->c->config->max_attempts) {
		r->again = true;
		r->linger_ms = COME_BACK_MS;
		return err_set(ERR_PEER,
			       "%s was started again after attempt %u of a job, and max_attempts "
			       "is %u: the job has failed",
			       r->c->config->common.name, s->attempt, r->c->config->max_attempts);
	}
	memcpy(r->run.job_id, s->job_id, JOB_ID_LEN);
	memcpy(r->numbers, s->numbers, sizeof(r->numbers));
	r->run.attempt = s->attempt + 1;
	r->again = true;
	leave_out_again(r, s);
	record_start(&r->record, &r->run.job, r->run.job_id, r->run.attempt, r->name, r->L);
	snprintf(cause, sizeof(cause), "%s was started again", r->c->config->common.name);
	record_past(&r->record, s->attempt, -1, cause);
	uv_timer_start(&r->state_timer, on_touch, TOUCH_MS, TOUCH_MS);
	log_warn("attempt %u of a job was under way when %s ended: attempt %u begins when all "
		 "parties have reconnected, within rejoin_s, %u s",
		 s->attempt, r->c->config->common.name, r->run.attempt,
		 r->c->config->common.rejoin_s);
	return ERR_OK;
}

static void on_join_end(uv_timer_t *timer)
{
	running_close(timer->data, ERR_OK, NULL);
}

void running_set(struct running *r, const uint8_t job_id[static JOB_ID_LEN])
{
	if (!r->state)
		r->state = file_join(r->output, "job.state");
	attempt_hash(&r->run.job, r->name, r->L, r->what);
	memcpy(r->run.job_id, job_id, JOB_ID_LEN);
	r->run.attempt = 1;
}

enum err running_draw(struct running *r)
{
	uint8_t job_id[JOB_ID_LEN];

	TRY(random_secret(job_id, JOB_ID_LEN));
	TRY(random_secret(r->numbers, sizeof(r->numbers)));
	running_set(r, job_id);
	return ERR_OK;
}

enum err running_find(struct running *r)
{
	double limit_s = (double)r->c->config->common.rejoin_s + r->c->config->common.reconnect_s;
	struct attempt_state s = { 0 };
	char why[ERR_DETAIL_MAX];
	bool found;

	r->state = file_join(r->output, "job.state");
	attempt_hash(&r->run.job, r->name, r->L, r->what);
	found = attempt_find(r->state, limit_s, &s, why);
	if (found && memcmp(s.what, r->what, HASH_LEN) != 0) {
		snprintf(why, sizeof(why), "%.200s is of another job or other parties", r->state);
	} else if (found && !s.done && repeats(r)) {
		return running_take_up(r, &s);
	} else if (found && s.done) {
		/* The results are on disk. The coordinator only has to inform parties that
		 * return. */
		memcpy(r->run.job_id, s.job_id, JOB_ID_LEN);
		r->run.attempt = s.attempt;
		leave_out_again(r, &s);
		record_offer(&r->record, s.job_id, s.attempt);
		running_set_phase(r, TELLING);
		log_warn(
		    "the job was done when %s ended: results are in %s. Parties that reconnect "
		    "learn this for up to %d s. Then the same command begins a new job",
		    r->c->config->common.name, r->c->config->common.output, COME_BACK_MS / 1000);
		uv_timer_start(&r->join_timer, on_join_end, COME_BACK_MS, 0);
		return ERR_OK;
	}
	if (*why && s.done)
		log_info("a new job begins, since the previous one was done: %s", why);
	else if (*why)
		log_warn("an unfinished job cannot be continued: %s", why);
	attempt_forget(r->state);
	return running_draw(r);
}

void running_keep_state(struct running *r)
{
	struct attempt_state s = { .attempt = r->run.attempt };

	r->run.more = repeats(r) && r->run.attempt < r->c->config->max_attempts;
	if (!repeats(r))
		return;
	r->run.state = r->state;
	memcpy(s.job_id, r->run.job_id, JOB_ID_LEN);
	memcpy(s.what, r->what, HASH_LEN);
	memcpy(s.numbers, r->numbers, sizeof(s.numbers));
	s.lefts = r->record.attempts.lefts;
	memcpy(s.left, r->record.attempts.left, sizeof(s.left));
	if (attempt_keep(r->state, &s) != ERR_OK)
		log_warn("if this process dies, the job is lost: %s", err_detail());
	uv_timer_start(&r->state_timer, on_touch, TOUCH_MS, TOUCH_MS);
}

/* -- a party crashed ------------------------------------------------------------------------ */

bool running_continues(const struct running *r)
{
	return r->phase == RUNNING && job_continues(&r->run);
}

void running_send_again(struct running *r, struct visitor *v, struct conn *conn)
{
	char why[ERR_DETAIL_MAX];

	if (r->phase == RUNNING)
		snprintf(why, sizeof(why), "attempt %u is over, and another one follows",
			 r->run.attempt);
	else
		snprintf(why, sizeof(why), "attempt %u follows: %.800s", r->run.attempt,
			 r->record.attempts.past[r->record.attempts.count - 1].cause);
	coordinator_refuse(conn, MSG_AGAIN, why);
	if (v->slot && v->slot->conn == conn) { /* free for the party's next connection */
		v->slot->conn = NULL;
		v->slot->joined = false;
	}
	v->slot = NULL;
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

void running_begin_again(struct running *r)
{
	uv_timer_stop(&r->lost_timer);
	uv_timer_stop(&r->cancel_timer);
	for (size_t l = 0; l < r->L; l++) {
		struct slot *slot = r->slot[l];

		if (slot->conn) {
			watch_lost(&r->c->watch, slot->name);
			conn_attach(slot->conn, NULL, 0);
			conn_close(slot->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
		}
		slot->conn = NULL;
		slot->joined = false;
		slot->known = true;
		running_free_channel(r, l);
		slot->channel = NULL;
	}
	mailbox_free(r->mailbox);
	r->run.mailbox = r->mailbox = mailbox_new(r->c->config->common.step_timeout_s);
	record_past(&r->record, r->run.attempt, r->record.elapsed_s, r->why);
	r->record.ended = false;
	log_warn("attempt %u of %u is over: %s; the next begins when all parties have reconnected, "
		 "within rejoin_s, %u s",
		 r->run.attempt, r->c->config->max_attempts, r->why, r->c->config->common.rejoin_s);
	r->run.attempt++;
	r->run.n = r->run.columns = 0;
	r->result = ERR_OK;
	r->why[0] = '\0';
	r->again = true;
	running_set_phase(r, JOINING);
	running_await(r);
}

void running_fail(struct running *r, enum err code, const char *why)
{
	const struct record_attempts *a = &r->record.attempts;
	char text[ERR_DETAIL_MAX];

	snprintf(text, sizeof(text), "%.450s; attempt %u ended: %.450s", why,
		 a->past[a->count - 1].attempt, a->past[a->count - 1].cause);
	running_close(r, code, text);
}

/* -- parties that return to a finished job -------------------------------------------------- */

bool running_is_done(const struct running *r)
{
	return r->phase == TELLING || mailbox_settled(r->mailbox);
}

void running_send_done(struct running *r, struct visitor *v, struct conn *conn)
{
	char why[256];

	snprintf(why, sizeof(why),
		 "the job is done; %s reported that it wrote its results to its output directory",
		 v->slot->name);
	log_info("%s came back: %s", v->slot->name, why);
	coordinator_refuse(conn, MSG_ALL_DONE, why);
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
	v->slot->knows = true;
	for (size_t l = 0; l < r->L; l++)
		if (!r->slot[l]->knows)
			return;
	if (r->phase == TELLING) /* otherwise the end of the job thread closes the job */
		running_close(r, ERR_OK, NULL);
}
