#include "server/daemon/coordinator.h"
#include "common/base/clock.h"
#include "common/base/log.h"

#include <stdio.h>
#include <string.h>

enum { AWAY_TICK_MS = 100 };

/* Ends the attempt, as when the party crashed. */
static void lose(struct coordinator *c, struct seat *seat, enum err code, const char *why)
{
	if (c->run.more)
		channel_fail_again(seat->channel, code, why);
	else
		channel_fail(seat->channel, code, why);
}

static void take_back(struct seat *seat, struct conn *conn)
{
	struct channel_link link;

	seat->conn = conn;
	conn_attach(conn, seat->channel, channel_job(seat->channel));
	channel_link(seat->channel, &link);
	log_info("%s is back, from %s, after %.1f s (%llu bytes sent again so far)", seat->name,
		 conn_address(conn), clock_now_s() - seat->lost_s, (unsigned long long)link.resent);
}

/* A party goes on with the job over a new connection. If its old one still seems to stand, the new
 * one counts: a second process with the same key would not know the job's id. */
void coordinator_on_resume(struct visitor *v, struct conn *conn, const struct msg_resume *r)
{
	struct coordinator *c = v->c;
	struct seat *seat = v->seat;
	struct conn *old = seat->conn;
	bool same_job = memcmp(r->job_id, c->run.job_id, JOB_ID_LEN) == 0;
	struct msg m;

	if (coordinator_goes_on(c) ||
	    (c->phase == JOINING && c->again && same_job && r->attempt < c->run.attempt)) {
		coordinator_send_again(v, conn);
		return;
	}
	if (c->phase != RUNNING || channel_resume_check(seat->channel, r) != ERR_OK) {
		if (coordinator_is_done(c) && same_job && r->attempt == c->run.attempt)
			coordinator_say_done(v, conn);
		else
			coordinator_turn_away(conn, "%s",
					      c->phase == RUNNING ? err_detail()
								  : "no such job is under way");
		return;
	}
	if (old) {
		seat->conn = NULL;
		seat->lost_s = clock_now_s();
		conn_attach(old, NULL, 0);
		conn_close(old, ERR_OK, NULL, 0);
	}
	if (!channel_is_away(seat->channel) && !channel_lost(seat->channel)) {
		coordinator_turn_away(conn, "the job is over");
		return;
	}
	if (channel_resume(seat->channel, r) != ERR_OK) {
		coordinator_turn_away(conn, "%s", err_detail());
		return;
	}
	channel_resume_say(seat->channel, &m);
	conn_send(conn, &m);
	conn_welcome(conn, c->config->common.heartbeat_s);
	take_back(seat, conn);
}

/* HELLO from a party while a job runs. If it was lost before it received anything of the job, it
 * joins now. Otherwise it was restarted and has lost its state: this attempt is over, and it takes
 * part in the next; or, if all have their results, it is told so. */
void coordinator_on_hello_again(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	struct seat *seat = v->seat;
	struct msg_resume r = { .attempt = c->run.attempt };
	bool speaks = h->version_min <= PROTO_VERSION_MAX && h->version_max >= PROTO_VERSION_MIN;
	char why[256];

	if (coordinator_goes_on(c)) {
		coordinator_send_again(v, conn);
		return;
	}
	if (c->phase == JOINING && !seat->conn) { /* it was there before this attempt was */
		seat->conn = conn;
		coordinator_on_hello(v, conn, h);
		return;
	}
	if (c->phase == TELLING) {
		coordinator_say_done(v, conn);
		return;
	}
	if (c->phase != RUNNING && !seat->conn) {
		coordinator_turn_away(conn, "the job is over");
		return;
	}
	memcpy(r.job_id, c->run.job_id, JOB_ID_LEN);
	if (seat->conn) {
		coordinator_turn_away(conn, "%s is already connected, from %s", seat->name,
				      conn_address(seat->conn));
	} else if (speaks && channel_is_away(seat->channel) &&
		   channel_is_untouched(seat->channel) &&
		   channel_resume(seat->channel, &r) == ERR_OK) {
		coordinator_welcome(c, conn);
		take_back(seat, conn);
	} else {
		if (channel_is_away(seat->channel)) {
			snprintf(why, sizeof(why), "%s was started again and has lost the job",
				 seat->name);
			lose(c, seat, ERR_PEER, why);
		}
		if (coordinator_goes_on(c))
			coordinator_send_again(v, conn);
		else if (coordinator_is_done(c))
			coordinator_say_done(v, conn);
		else
			coordinator_turn_away(conn, "a job is under way");
	}
}

/* Ends the attempt if a party was away for longer than reconnect_s. */
static void on_away(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	unsigned limit_s = c->config->common.reconnect_s;
	char why[2 * ERR_DETAIL_MAX];
	bool any = false;

	for (size_t l = 0; l < c->L; l++) {
		struct seat *seat = &c->seat[l];

		if (!channel_is_away(seat->channel))
			continue;
		any = true;
		if (clock_now_s() - seat->lost_s < limit_s)
			continue;
		snprintf(why, sizeof(why), "%s did not come back within reconnect_s, %u s: %s",
			 seat->name, limit_s, seat->lost_why);
		lose(c, seat, ERR_DEADLINE, why);
	}
	if (!any)
		uv_timer_stop(timer);
}

void coordinator_on_lost(struct coordinator *c, struct seat *seat, const char *why)
{
	seat->lost_s = clock_now_s();
	snprintf(seat->lost_why, sizeof(seat->lost_why), "%s", why);
	log_warn("%s; %s is awaited for %u s", why, seat->name, c->config->common.reconnect_s);
	uv_timer_start(&c->away_timer, on_away, AWAY_TICK_MS, AWAY_TICK_MS);
}
