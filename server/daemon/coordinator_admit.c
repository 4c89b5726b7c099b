#include "server/daemon/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/job/live.h"
#include "crypto/sign.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AWAY_TICK_MS = 100 };

/* ---- admission ---- */

static void turn_away(struct conn *conn, const char *fmt, ...) PRINTF(2, 3);
static void turn_away(struct conn *conn, const char *fmt, ...)
{
	char why[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	coordinator_refuse(conn, ERR_PEER, why);
	conn_close(conn, ERR_PEER, why, CLOSE_TIMEOUT_S);
}

/* coterie doctor asks who this is. It takes no seat, and nothing waits for it. */
static void answer(struct coordinator *c, struct conn *conn)
{
	char now[32], text[256];

	clock_utc(now, sizeof(now));
	snprintf(text, sizeof(text), PROTO_ANSWER, c->config->common.name, COTERIE_VERSION,
		 PROTO_VERSION_MIN, PROTO_VERSION_MAX, now);
	log_info("%s asked from %s: %s", conn_name(conn), conn_address(conn), text);
	coordinator_refuse(conn, ERR_CANCELLED, text);
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

static void on_ready(struct conn *conn, void *arg)
{
	struct visitor *v = arg;
	struct coordinator *c = v->c;
	const char *pin = config_map_get(&c->config->pins, conn_name(conn));
	uint8_t pinned[FINGERPRINT_LEN], shown[HASH_LEN];
	struct seat *seat = NULL;
	bool same_key; /* as the one with which this party joined */

	for (size_t l = 0; l < c->L; l++)
		if (strcmp(c->seat[l].name, conn_name(conn)) == 0)
			seat = &c->seat[l];
	conn_fingerprint(conn, shown);
	same_key = seat && memcmp(seat->key, shown, sizeof(shown)) == 0;
	if (!seat) {
		turn_away(conn, "%s is not among the parties of %s", conn_name(conn),
			  c->config->common.name);
	} else if (pin &&
		   (!fingerprint_parse(pin, pinned) || memcmp(pinned, shown, sizeof(shown)) != 0)) {
		turn_away(conn, "the key of %s is not the one pinned at %s", seat->name,
			  c->config->common.name);
	} else if (conn_is_question(conn)) {
		answer(c, conn);
	} else if (c->phase == JOINING && c->again && seat->known && !same_key) {
		turn_away(conn, "the key of %s is not the one with which the job began",
			  seat->name);
	} else if (c->phase == CLOSING && c->again && c->result != ERR_OK) {
		coordinator_refuse(conn, (uint16_t)c->result, c->why);
		conn_close(conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
	} else if (c->phase == TELLING || (c->phase == RUNNING && same_key)) {
		v->seat = seat; /* its first message says whether it goes on with the job */
	} else if (seat->conn) {
		turn_away(conn, "%s is already connected, from %s", seat->name,
			  conn_address(seat->conn));
	} else if (c->phase != JOINING) {
		turn_away(conn, c->phase == RUNNING ? "a job is under way" : "the job is over");
	} else {
		memcpy(seat->key, shown, sizeof(shown));
		seat->conn = conn;
		v->seat = seat;
	}
}

static void welcome(struct coordinator *c, struct conn *conn)
{
	static const char software[] = "coterie " COTERIE_VERSION;
	struct msg m = { .type = MSG_WELCOME,
			 .welcome = {
			     .version = PROTO_VERSION_MAX,
			     .software = { (const uint8_t *)software, sizeof(software) - 1 },
			     .heartbeat_ms = c->config->common.heartbeat_s * 1000 } };

	conn_send(conn, &m);
	conn_welcome(conn, c->config->common.heartbeat_s);
	watch_back(&c->watch, conn_name(conn));
}

static void on_hello(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	char why[256];

	if (h->version_min > PROTO_VERSION_MAX || h->version_max < PROTO_VERSION_MIN) {
		snprintf(
		    why, sizeof(why),
		    "%s speaks protocol versions %u to %u, %s speaks %d to %d: bring both to the "
		    "same release of coterie",
		    v->seat->name, h->version_min, h->version_max, c->config->common.name,
		    PROTO_VERSION_MIN, PROTO_VERSION_MAX);
		log_error("%s", why);
		coordinator_close(c, ERR_PEER, why);
		return;
	}
	welcome(c, conn);
	v->seat->joined = true;
	snprintf(why, sizeof(why), "%.*s", (int)h->software.n, (const char *)h->software.p);
	live_peer_says(v->seat->name, v->seat->name, conn_address(conn), why);
	log_info("%s joined from %s (%.*s)", v->seat->name, conn_address(conn), (int)h->software.n,
		 (const char *)h->software.p);
	for (size_t l = 0; l < c->L; l++)
		if (!c->seat[l].joined)
			return;
	coordinator_start_job(c);
}

/* ---- a party that was lost in the job ---- */

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
static void on_resume(struct visitor *v, struct conn *conn, const struct msg_resume *r)
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
			turn_away(conn, "%s",
				  c->phase == RUNNING ? err_detail() : "no such job is under way");
		return;
	}
	if (old) {
		seat->conn = NULL;
		seat->lost_s = clock_now_s();
		conn_attach(old, NULL, 0);
		conn_close(old, ERR_OK, NULL, 0);
	}
	if (!channel_is_away(seat->channel) && !channel_lost(seat->channel)) {
		turn_away(conn, "the job is over");
		return;
	}
	if (channel_resume(seat->channel, r) != ERR_OK) {
		turn_away(conn, "%s", err_detail());
		return;
	}
	channel_resume_say(seat->channel, &m);
	conn_send(conn, &m);
	conn_welcome(conn, c->config->common.heartbeat_s);
	watch_back(&c->watch, seat->name);
	take_back(seat, conn);
}

/* HELLO from a party while a job runs. If it was lost before it received anything of the job, it
 * joins now. Otherwise it was restarted and has lost its state: this attempt is over, and it takes
 * part in the next; or, if all have their results, it is told so. */
static void on_hello_again(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	struct seat *seat = v->seat;
	struct msg_resume r = { .attempt = c->run.attempt };
	bool speaks = h->version_min <= PROTO_VERSION_MAX && h->version_max >= PROTO_VERSION_MIN;
	char why[256];

	memcpy(r.job_id, c->run.job_id, JOB_ID_LEN);
	if (coordinator_goes_on(c)) {
		coordinator_send_again(v, conn);
	} else if (c->phase == JOINING && !seat->conn) { /* it was there before this attempt was */
		seat->conn = conn;
		on_hello(v, conn, h);
	} else if (c->phase == TELLING) {
		coordinator_say_done(v, conn);
	} else if (c->phase != RUNNING && !seat->conn) {
		turn_away(conn, "the job is over");
	} else if (seat->conn) {
		turn_away(conn, "%s is already connected, from %s", seat->name,
			  conn_address(seat->conn));
	} else if (speaks && channel_is_away(seat->channel) &&
		   channel_is_untouched(seat->channel) &&
		   channel_resume(seat->channel, &r) == ERR_OK) {
		welcome(c, conn);
		take_back(seat, conn);
	} else {
		if (channel_is_away(seat->channel)) {
			snprintf(why, sizeof(why),
				 "%s was started again, or gave up after its own reconnect_s: it "
				 "has lost "
				 "the job",
				 seat->name);
			lose(c, seat, ERR_PEER, why);
		}
		if (coordinator_goes_on(c))
			coordinator_send_again(v, conn);
		else if (coordinator_is_done(c))
			coordinator_say_done(v, conn);
		else
			turn_away(conn, "a job is under way");
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
		if (seat->conn) /* its closing has not been seen to the end: lost_s is not set */
			continue;
		if (clock_now_s() - seat->lost_s < limit_s)
			continue;
		snprintf(why, sizeof(why), "%s did not come back within reconnect_s, %u s: %s",
			 seat->name, limit_s, seat->lost_why);
		lose(c, seat, ERR_DEADLINE, why);
	}
	if (!any)
		uv_timer_stop(timer);
}

static void on_lost(struct coordinator *c, struct seat *seat, const char *why)
{
	seat->lost_s = clock_now_s();
	snprintf(seat->lost_why, sizeof(seat->lost_why), "%s", why);
	log_warn("%s; %s is awaited for %u s", why, seat->name, c->config->common.reconnect_s);
	uv_timer_start(&c->away_timer, on_away, AWAY_TICK_MS, AWAY_TICK_MS);
}

/* ---- what comes from connections ---- */

static void on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct visitor *v = arg;
	bool newcomer = v->seat && v->seat->conn != conn;
	char why[128];

	if (m->type == MSG_HELLO && v->seat && !newcomer && !v->seat->joined &&
	    v->c->phase == JOINING) {
		on_hello(v, conn, &m->hello);
	} else if (m->type == MSG_HELLO && newcomer) {
		on_hello_again(v, conn, &m->hello);
	} else if (m->type == MSG_RESUME && v->seat && (newcomer || !v->seat->joined)) {
		on_resume(v, conn, &m->resume);
	} else {
		snprintf(why, sizeof(why), "%s sent %s, which was not expected", conn_name(conn),
			 msg_name(m->type));
		conn_close(conn, ERR_PEER, why, 0);
	}
}

static void on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct visitor *v = arg;
	struct seat *seat = v->seat;
	struct coordinator *c = v->c;
	bool its = seat && seat->conn == conn;
	bool away = its && c->phase == RUNNING && channel_is_away(seat->channel);
	bool left = its && c->phase == JOINING && c->again && seat->joined && !conn_was_lost(conn);
	char text[ERR_DETAIL_MAX];

	if (away)
		on_lost(c, seat, why);
	else if (code != ERR_OK && c->phase != CLOSING && !post_settled(c->post))
		log_warn("connection from %s closed: %s", conn_address(conn), why);
	if (its) {
		watch_away(&c->watch, seat->name);
		seat->conn = NULL;
		seat->joined = seat->joined && c->phase != JOINING;
	}
	for (struct visitor **at = &c->visitors; *at; at = &(*at)->next)
		if (*at == v) {
			*at = v->next;
			break;
		}
	free(v);
	if (!left)
		return;
	snprintf(text, sizeof(text), "%s left while attempt %u was awaited", seat->name,
		 c->run.attempt);
	coordinator_fail(c, ERR_PEER, text);
}

void *coordinator_on_accepted(struct conn *conn, void *arg)
{
	struct coordinator *c = arg;
	struct visitor *v;

	log_debug("connection from %s", conn_address(conn));
	ALLOC(v, 1);
	*v = (struct visitor){ .next = c->visitors, .c = c, .conn = conn };
	c->visitors = v;
	return v;
}

const struct conn_events coordinator_events = { on_ready, on_message, on_closed };

/* ---- who does not come ---- */

static void on_join_timeout(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	char missing[512] = "";
	char why[700];

	for (size_t l = 0; l < c->L; l++)
		if (!c->seat[l].joined &&
		    strlen(missing) + strlen(c->seat[l].name) + 3 < sizeof(missing))
			sprintf(missing + strlen(missing), "%s%s", *missing ? ", " : "",
				c->seat[l].name);
	if (c->again) {
		snprintf(why, sizeof(why), "did not come for attempt %u within rejoin_s, %u s: %s",
			 c->run.attempt, c->config->common.rejoin_s, missing);
		coordinator_fail(c, ERR_DEADLINE, why);
		return;
	}
	snprintf(why, sizeof(why), "did not join within join_timeout_s, %u s: %s",
		 c->config->join_timeout_s, missing);
	coordinator_close(c, ERR_DEADLINE, why);
}

void coordinator_await(struct coordinator *c)
{
	unsigned limit_s = c->again ? c->config->common.rejoin_s : c->config->join_timeout_s;

	uv_timer_start(&c->join_timer, on_join_timeout, (uint64_t)limit_s * 1000, 0);
}
