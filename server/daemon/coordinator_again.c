#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "crypto/secret.h"
#include "server/daemon/coordinator.h"
#include "server/daemon/job.h"

#include <stdio.h>
#include <string.h>

enum {
	TOUCH_MS = 500,
	COME_BACK_MS = 5000, /* as long as a party waits at most between two tries to come back */
};

/* ---- across restarts of this process ---- */

static bool repeats(const struct coordinator *c)
{
	return c->config->common.rejoin_s > 0 && c->config->max_attempts > 1;
}

static void on_touch(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;

	attempt_touch(c->state);
}

/* Goes on with a job that this coordinator left unfinished when it ended. */
static enum err take_up(struct coordinator *c, const struct attempt_state *s)
{
	char cause[MSG_NAME_MAX + 32];

	if (s->attempt >= c->config->max_attempts) {
		c->again = true;
		c->linger_ms = COME_BACK_MS;
		return err_set(ERR_PEER,
			       "%s was started again after attempt %u of a job, and max_attempts "
			       "is %u: the job has failed",
			       c->config->common.name, s->attempt, c->config->max_attempts);
	}
	memcpy(c->run.job_id, s->job_id, JOB_ID_LEN);
	c->run.attempt = s->attempt + 1;
	c->again = true;
	record_start(&c->record, &c->run.job, c->run.job_id, c->run.attempt, c->name, c->L);
	snprintf(cause, sizeof(cause), "%s was started again", c->config->common.name);
	record_past(&c->record, s->attempt, -1, cause);
	uv_timer_start(&c->state_timer, on_touch, TOUCH_MS, TOUCH_MS);
	log_warn("attempt %u of a job was under way when %s ended: attempt %u begins when all "
		 "parties are there again, within rejoin_s, %u s",
		 s->attempt, c->config->common.name, c->run.attempt, c->config->common.rejoin_s);
	return ERR_OK;
}

static void on_told_enough(uv_timer_t *timer)
{
	coordinator_close(timer->data, ERR_OK, NULL);
}

enum err coordinator_find_job(struct coordinator *c)
{
	double limit_s = (double)c->config->common.rejoin_s + c->config->common.reconnect_s;
	struct attempt_state s = { 0 };
	char why[ERR_DETAIL_MAX];
	bool found;

	c->state = file_join(c->config->common.output, "job.state");
	attempt_hash(&c->run.job, c->name, c->L, c->what);
	found = attempt_find(c->state, limit_s, &s, why);
	if (found && memcmp(s.what, c->what, HASH_LEN) != 0) {
		snprintf(why, sizeof(why), "%.200s is of another job or other parties", c->state);
	} else if (found && !s.done && repeats(c)) {
		return take_up(c, &s);
	} else if (found && s.done) {
		/* The results are on disk; what is left is to tell parties that come back. */
		memcpy(c->run.job_id, s.job_id, JOB_ID_LEN);
		c->run.attempt = s.attempt;
		record_offer(&c->record, s.job_id, s.attempt);
		coordinator_set_phase(c, TELLING);
		log_warn("the job was done when %s ended: results are in %s. Parties that come "
			 "back hear so for up to %d s; then the same command begins a new job",
			 c->config->common.name, c->config->common.output, COME_BACK_MS / 1000);
		uv_timer_start(&c->join_timer, on_told_enough, COME_BACK_MS, 0);
		return ERR_OK;
	}
	if (*why && s.done)
		log_info("a new job begins, that of the last start was done: %s", why);
	else if (*why)
		log_warn("a job was not finished, and cannot be gone on with: %s", why);
	attempt_forget(c->state);
	c->run.attempt = 1;
	return random_secret(c->run.job_id, JOB_ID_LEN);
}

void coordinator_keep_state(struct coordinator *c)
{
	struct attempt_state s = { .attempt = c->run.attempt };

	c->run.more = repeats(c) && c->run.attempt < c->config->max_attempts;
	if (!repeats(c))
		return;
	c->run.state = c->state;
	memcpy(s.job_id, c->run.job_id, JOB_ID_LEN);
	memcpy(s.what, c->what, HASH_LEN);
	if (attempt_keep(c->state, &s) != ERR_OK)
		log_warn("if this process dies, the job is lost: %s", err_detail());
	uv_timer_start(&c->state_timer, on_touch, TOUCH_MS, TOUCH_MS);
}

/* ---- a party crashed ---- */

bool coordinator_goes_on(const struct coordinator *c)
{
	return c->phase == RUNNING && job_goes_on(&c->run);
}

void coordinator_send_again(struct visitor *v, struct conn *conn)
{
	struct coordinator *c = v->c;
	char why[ERR_DETAIL_MAX];

	if (c->phase == RUNNING)
		snprintf(why, sizeof(why), "attempt %u is over, and another one follows",
			 c->run.attempt);
	else
		snprintf(why, sizeof(why), "attempt %u follows: %.800s", c->run.attempt,
			 c->record.attempts.past[c->record.attempts.count - 1].cause);
	coordinator_refuse(conn, MSG_AGAIN, why);
	if (v->seat && v->seat->conn == conn) { /* it comes again at once */
		v->seat->conn = NULL;
		v->seat->joined = false;
	}
	v->seat = NULL;
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

void coordinator_begin_again(struct coordinator *c)
{
	uv_timer_stop(&c->away_timer);
	uv_timer_stop(&c->cancel_timer);
	for (size_t l = 0; l < c->L; l++) {
		struct seat *seat = &c->seat[l];

		if (seat->conn) {
			conn_attach(seat->conn, NULL, 0);
			conn_close(seat->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
		}
		seat->conn = NULL;
		seat->joined = false;
		seat->known = true;
		channel_free(seat->channel);
		seat->channel = c->channel[l] = NULL;
	}
	post_free(c->post);
	c->post = post_new(c->config->common.step_timeout_s);
	record_past(&c->record, c->run.attempt, c->record.elapsed_s, c->why);
	c->record.ended = false;
	log_warn("attempt %u of %u is over: %s; the next begins when all parties are there again, "
		 "within rejoin_s, %u s",
		 c->run.attempt, c->config->max_attempts, c->why, c->config->common.rejoin_s);
	c->run.attempt++;
	c->run.n = c->run.columns = 0;
	c->result = ERR_OK;
	c->why[0] = '\0';
	c->again = true;
	coordinator_set_phase(c, JOINING);
	coordinator_await(c);
}

void coordinator_fail(struct coordinator *c, enum err code, const char *why)
{
	const struct record_attempts *a = &c->record.attempts;
	char text[ERR_DETAIL_MAX];

	snprintf(text, sizeof(text), "%.450s; attempt %u ended: %.450s", why,
		 a->past[a->count - 1].attempt, a->past[a->count - 1].cause);
	coordinator_close(c, code, text);
}

/* ---- parties that come back to a job that is done ---- */

bool coordinator_is_done(const struct coordinator *c)
{
	return c->phase == TELLING || post_settled(c->post);
}

void coordinator_say_done(struct visitor *v, struct conn *conn)
{
	struct coordinator *c = v->c;
	char why[256];

	snprintf(why, sizeof(why),
		 "the job is done; %s said that its results were written, to its output directory",
		 v->seat->name);
	log_info("%s came back: %s", v->seat->name, why);
	coordinator_refuse(conn, MSG_ALL_DONE, why);
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
	v->seat->knows = true;
	for (size_t l = 0; l < c->L; l++)
		if (!c->seat[l].knows)
			return;
	if (c->phase == TELLING) /* else the job thread's end is ours */
		coordinator_close(c, ERR_OK, NULL);
}
