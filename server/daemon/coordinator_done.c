#include "server/daemon/coordinator_own.h"
#include "common/base/log.h"
#include "server/daemon/attempt.h"

#include <stdio.h>
#include <string.h>

enum { TELLING_MS = 5000 }; /* as long as a party waits at most between two tries to come back */

bool coordinator_is_done(const struct coordinator *c)
{
	return c->phase == TELLING || post_settled(c->post);
}

static void on_told_enough(uv_timer_t *timer)
{
	coordinator_close(timer->data, ERR_OK, NULL);
}

/* The results are on disk; all that is left is to tell parties that come back. */
void coordinator_take_up_done(struct coordinator *c, const struct attempt_state *s)
{
	memcpy(c->run.job_id, s->job_id, JOB_ID_LEN);
	c->run.attempt = s->attempt;
	record_offer(&c->record, s->job_id, s->attempt);
	coordinator_set_phase(c, TELLING);
	log_warn(
	    "the job was done when %s ended: results are in %s. Parties that come back hear so "
	    "for up to %d s; then the same command begins a new job",
	    c->config->common.name, c->config->common.output, TELLING_MS / 1000);
	uv_timer_start(&c->join_timer, on_told_enough, TELLING_MS, 0);
}

/* Only a restarted coordinator ends here; the one that ran the job ends with its job thread. */
static void end_if_all_know(struct coordinator *c)
{
	for (size_t l = 0; l < c->L; l++)
		if (!c->seat[l].knows)
			return;
	if (c->phase == TELLING)
		coordinator_close(c, ERR_OK, NULL);
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
	end_if_all_know(c);
}
