#include "server/daemon/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/job/live.h"
#include "crypto/sign.h"
#include "proto/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOST_TICK_MS = 100 };

/* -- admission ------------------------------------------------------------------------------ */

void coordinator_refuse(struct conn *conn, uint16_t code, const char *why)
{
	struct msg m = { .type = MSG_REFUSED,
			 .refused = { .code = code,
				      .text = { (const uint8_t *)why, strlen(why) } } };

	conn_send(conn, &m);
}

static void refuse_visit(struct conn *conn, const char *fmt, ...) PRINTF(2, 3);
static void refuse_visit(struct conn *conn, const char *fmt, ...)
{
	char why[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	coordinator_refuse(conn, ERR_PEER, why);
	conn_close(conn, ERR_PEER, why, CLOSE_TIMEOUT_S);
}

/* Answers a question of `coterie doctor`, which takes no slot. */
static void admit_answer_question(struct coordinator *c, struct conn *conn)
{
	char now[32], text[256];

	clock_utc(now, sizeof(now));
	snprintf(text, sizeof(text), PROTO_ANSWER, c->config->common.name, version_build(),
		 PROTO_VERSION_MIN, PROTO_VERSION_MAX, now);
	log_info("%s queried this coordinator from %s: %s", conn_name(conn), conn_address(conn),
		 text);
	coordinator_refuse(conn, ERR_CANCELLED, text);
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

/* Notes why a party was refused. Users see this as the reason why a job waits. */
static void note_refused(struct slot *slot, const char *why)
{
	snprintf(slot->refused, sizeof(slot->refused), "%s", why);
}

static void take_slot(struct visitor *v, struct slot *slot, const uint8_t *shown)
{
	memcpy(slot->key, shown, sizeof(slot->key));
	slot->conn = v->conn;
	v->slot = slot;
}

/* Admits a party to a slot lent to a job: sets v->slot. Returns the reason of a refusal, or NULL.
 * If it returns NULL and v->slot is still NULL, another connection has the slot. */
static const char *come_to_job(struct visitor *v, struct slot *slot, const uint8_t *shown)
{
	struct running *r = slot->job;
	bool same_key = memcmp(slot->key, shown, sizeof(slot->key)) == 0;

	if (r->phase == JOINING && r->again && slot->known && !same_key)
		return "its key is not the one with which the job began";
	if (r->phase == TELLING || (r->phase == RUNNING && same_key)) {
		v->slot = slot; /* the party's first message decides whether it resumes the job */
	} else if (!slot->conn && r->phase == JOINING) {
		take_slot(v, slot, shown);
	} else if (!slot->conn) {
		return r->phase == RUNNING ? "a job is under way" : "the job is over";
	}
	return NULL;
}

static bool is_pinned(const struct coordinator *c, const struct conn *conn, const uint8_t *shown)
{
	const char *pin = config_map_get(&c->config->pins, conn_name(conn));
	uint8_t pinned[FINGERPRINT_LEN];

	return !pin || (fingerprint_parse(pin, pinned) && !memcmp(pinned, shown, sizeof(pinned)));
}

static void send_owed(struct conn *conn, enum err code, const char *why)
{
	coordinator_refuse(conn, (uint16_t)code, why);
	conn_close(conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
}

static void admit_on_ready(struct conn *conn, void *arg)
{
	struct visitor *v = arg;
	struct coordinator *c = v->c;
	uint8_t shown[HASH_LEN];
	struct slot *slot = NULL;
	const struct running *r;
	const char *why = NULL;

	for (size_t l = 0; l < c->L; l++)
		if (strcmp(c->slot[l].name, conn_name(conn)) == 0)
			slot = &c->slot[l];
	r = slot ? slot->job : NULL;
	conn_fingerprint(conn, shown);
	if (!slot) {
		refuse_visit(conn, "%s is not among the parties of %s", conn_name(conn),
			     c->config->common.name);
	} else if (!is_pinned(c, conn, shown)) {
		refuse_visit(conn, "the key of %s is not the one pinned at %s", slot->name,
			     c->config->common.name);
		note_refused(slot, "its key is not the pinned one");
	} else if (conn_is_question(conn)) {
		admit_answer_question(c, conn);
	} else if (r && r->phase == CLOSING && r->again && r->result != ERR_OK) {
		send_owed(conn, r->result, r->why);
	} else if (!r && slot->owed != ERR_OK) {
		send_owed(conn, slot->owed, slot->owed_why);
		if (c->queue) /* the party may now join the queue's next job */
			slot->owed = ERR_OK;
	} else if (!r && c->stopping) {
		coordinator_refuse(conn, MSG_AGAIN, "the coordinator is stopping");
		conn_close(conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
	} else if (r && (why = come_to_job(v, slot, shown)) != NULL) {
		refuse_visit(conn, "%s: %s", slot->name, why);
	} else if (!v->slot && slot->conn) {
		refuse_visit(conn, "%s is already connected, from %s", slot->name,
			     conn_address(slot->conn));
	} else if (!v->slot) {
		take_slot(v, slot, shown);
	}
}

static void welcome(struct coordinator *c, struct conn *conn)
{
	struct msg m = { .type = MSG_WELCOME,
			 .welcome = { .version = PROTO_VERSION_MAX,
				      .software = msg_text(version_software()),
				      .heartbeat_ms = c->config->common.heartbeat_s * 1000 } };

	conn_send(conn, &m);
	conn_welcome(conn, c->config->common.heartbeat_s);
	watch_back(&c->watch, conn_name(conn));
}

static bool speaks(const struct msg_hello *h)
{
	return h->version_min <= PROTO_VERSION_MAX && h->version_max >= PROTO_VERSION_MIN;
}

static void note_joined(struct slot *slot, struct conn *conn, const struct msg_hello *h)
{
	size_t n = h->software.n < SOFTWARE_MAX ? h->software.n : SOFTWARE_MAX;

	memcpy(slot->software, h->software.p, n);
	slot->software[n] = '\0';
	slot->refused[0] = '\0';
	slot->joined = true;
	live_peer_hello(slot->name, slot->name, conn_address(conn), slot->software);
	log_info("%s joined from %s (%.*s)", slot->name, conn_address(conn), (int)h->software.n,
		 (const char *)h->software.p);
}

static bool running_is_joined(const struct running *r)
{
	for (size_t l = 0; l < r->L; l++)
		if (!r->slot[l]->joined)
			return false;
	return true;
}

static void on_hello(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	struct running *r = v->slot->job;
	char why[256];

	if (!speaks(h)) {
		snprintf(why, sizeof(why),
			 "%s speaks protocol versions %u to %u, %s speaks %d to %d: bring both to "
			 "the same release of coterie",
			 v->slot->name, h->version_min, h->version_max, c->config->common.name,
			 PROTO_VERSION_MIN, PROTO_VERSION_MAX);
		log_error("%s", why);
		note_refused(v->slot, why);
		if (r)
			running_close(r, ERR_PEER, why);
		else
			refuse_visit(conn, "%s", why);
		return;
	}
	welcome(c, conn);
	note_joined(v->slot, conn, h);
	if (r && running_is_joined(r))
		running_start(r);
	else if (c->queue && !r)
		c->queue->came(c->queue->arg, v->slot);
}

/* -- a party lost during the job ------------------------------------------------------------ */

static void admit_lose_party(struct running *r, struct slot *slot, enum err code, const char *why)
{
	if (r->run.more)
		channel_fail_again(slot->channel, code, why);
	else
		channel_fail(slot->channel, code, why);
}

static void admit_take_back(struct slot *slot, struct conn *conn)
{
	struct link_state link;

	slot->conn = conn;
	conn_attach(conn, slot->channel, channel_job(slot->channel));
	channel_link(slot->channel, &link);
	log_info("%s reconnected from %s after %.1f s (%llu bytes sent again so far)", slot->name,
		 conn_address(conn), clock_now_s() - slot->lost_s, (unsigned long long)link.resent);
}

static void resume_nothing(struct visitor *v, struct conn *conn, const struct msg_resume *r)
{
	struct coordinator *c = v->c;
	char why[ERR_DETAIL_MAX] = "no such job is under way";
	bool done = c->queue && c->queue->was_done(c->queue->arg, r, why);

	coordinator_refuse(conn, done ? MSG_ALL_DONE : ERR_PEER, why);
	log_info("%s came back: %s", conn_name(conn), why);
	if (v->slot->conn == conn) /* free for the party's next connection, which comes at once */
		v->slot->conn = NULL;
	v->slot = NULL;
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

/* A party resumes the job over a new connection. The new connection replaces an old one that still
 * seems to be open. A second process with the same key would not know the job's id, so the RESUME
 * comes from the same process. */
static void admit_on_resume(struct visitor *v, struct conn *conn, const struct msg_resume *m)
{
	struct slot *slot = v->slot;
	struct running *r = slot->job;
	struct conn *old = slot->conn;
	bool same_job = r && memcmp(m->job_id, r->run.job_id, JOB_ID_LEN) == 0;
	struct msg said;

	if (!r || (v->c->queue && !same_job)) {
		resume_nothing(v, conn, m);
		return;
	}
	if (running_continues(r) ||
	    (r->phase == JOINING && r->again && same_job && m->attempt < r->run.attempt)) {
		running_send_again(r, v, conn);
		return;
	}
	if (r->phase != RUNNING || channel_resume_check(slot->channel, m) != ERR_OK) {
		if (running_is_done(r) && same_job && m->attempt == r->run.attempt)
			running_send_done(r, v, conn);
		else
			refuse_visit(conn, "%s",
				     r->phase == RUNNING ? err_detail()
							 : "no such job is under way");
		return;
	}
	if (old) {
		slot->conn = NULL;
		slot->lost_s = clock_now_s();
		conn_attach(old, NULL, 0);
		conn_close(old, ERR_OK, NULL, 0);
	}
	if (!channel_is_lost(slot->channel) && !channel_lost(slot->channel)) {
		refuse_visit(conn, "the job is over");
		return;
	}
	if (channel_resume(slot->channel, m) != ERR_OK) {
		refuse_visit(conn, "%s", err_detail());
		return;
	}
	channel_resume_fill(slot->channel, &said);
	conn_send(conn, &said);
	conn_welcome(conn, v->c->config->common.heartbeat_s);
	watch_back(&v->c->watch, slot->name);
	admit_take_back(slot, conn);
}

/* Handles a party that restarted. Its connection of this attempt is lost, and its new process does
 * not have the job's state. */
static void lose_restarted(struct running *r, struct slot *slot)
{
	char why[256];

	snprintf(why, sizeof(why),
		 "%s was started again, or gave up after its own reconnect_s: it has lost the job",
		 slot->name);
	admit_lose_party(r, slot, ERR_PEER, why);
}

/* Refuses the party for now. It dials again until the previous job has ended at the coordinator,
 * too. */
static void come_later(struct conn *conn)
{
	coordinator_refuse(conn, MSG_AGAIN, "the previous job is still ending");
	conn_close(conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
}

/* Handles HELLO from a party while a job runs. If the party was lost before it received anything of
 * the job, it joins now. Otherwise it restarted and lost its state: this attempt is over, and the
 * party takes part in the next. If all parties have their results, the coordinator only informs it
 * of that. */
static void on_hello_again(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	struct slot *slot = v->slot;
	struct running *r = slot->job;
	struct msg_resume m = { .attempt = r ? r->run.attempt : 0 };

	if (!r) { /* the job has ended since the handshake of this connection */
		come_later(conn);
		return;
	}
	memcpy(m.job_id, r->run.job_id, JOB_ID_LEN);
	if (running_continues(r)) {
		running_send_again(r, v, conn);
	} else if (r->phase == JOINING && !slot->conn) { /* the connection precedes this attempt */
		slot->conn = conn;
		on_hello(v, conn, h);
	} else if (r->phase == TELLING) {
		running_send_done(r, v, conn);
	} else if (r->phase != RUNNING && !slot->conn) {
		refuse_visit(conn, "the job is over");
	} else if (c->queue && (*r->asked || running_is_done(r))) {
		come_later(conn); /* too early for the next job */
	} else if (slot->conn) {
		refuse_visit(conn, "%s is already connected, from %s", slot->name,
			     conn_address(slot->conn));
	} else if (speaks(h) && channel_is_lost(slot->channel) &&
		   channel_is_untouched(slot->channel) &&
		   channel_resume(slot->channel, &m) == ERR_OK) {
		welcome(c, conn);
		admit_take_back(slot, conn);
	} else {
		if (channel_is_lost(slot->channel))
			lose_restarted(r, slot);
		if (running_continues(r))
			running_send_again(r, v, conn);
		else if (running_is_done(r))
			running_send_done(r, v, conn);
		else if (c->queue && !slot->conn && !channel_is_lost(slot->channel))
			come_later(conn); /* the party has left the job, which is about to end */
		else
			refuse_visit(conn, "a job is under way");
	}
}

static void on_lost_timer(uv_timer_t *timer)
{
	struct running *r = timer->data;
	unsigned limit_s = r->c->config->common.reconnect_s;
	char why[2 * ERR_DETAIL_MAX];
	bool any = false;

	for (size_t l = 0; l < r->L; l++) {
		struct slot *slot = r->slot[l];

		if (!channel_is_lost(slot->channel))
			continue;
		any = true;
		/* the close of its connection is not complete, so lost_s is not set yet */
		if (slot->conn)
			continue;
		if (clock_now_s() - slot->lost_s < limit_s)
			continue;
		snprintf(why, sizeof(why), "%s did not come back within reconnect_s, %u s: %s",
			 slot->name, limit_s, slot->lost_why);
		admit_lose_party(r, slot, ERR_DEADLINE, why);
	}
	if (!any)
		uv_timer_stop(timer);
}

static void on_lost(struct running *r, struct slot *slot, const char *why)
{
	slot->lost_s = clock_now_s();
	snprintf(slot->lost_why, sizeof(slot->lost_why), "%s", why);
	log_warn("%s; waiting for %s, for up to %u s", why, slot->name,
		 r->c->config->common.reconnect_s);
	uv_timer_start(&r->lost_timer, on_lost_timer, LOST_TICK_MS, LOST_TICK_MS);
}

/* -- events of connections ------------------------------------------------------------------ */

/* With a queue, marks this thread's further log lines with the party's job. */
static void speak_of(const struct visitor *v)
{
	const struct running *r = v->of ? v->of : v->slot ? v->slot->job : NULL;

	if (v->c->queue)
		log_set_job_here(r ? r->number : "");
}

static void speak_of_none(const struct coordinator *c)
{
	if (c->queue)
		log_set_job_here("");
}

static void admit_on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct visitor *v = arg;
	bool newcomer = v->slot && v->slot->conn != conn;
	const struct running *r = v->slot ? v->slot->job : NULL;
	const struct coordinator *c = v->c;
	char why[128];

	speak_of(v);
	if (m->type == MSG_HELLO && v->slot && !newcomer && !v->slot->joined &&
	    (!r || r->phase == JOINING)) {
		on_hello(v, conn, &m->hello);
	} else if (m->type == MSG_HELLO && newcomer) {
		on_hello_again(v, conn, &m->hello);
	} else if (m->type == MSG_RESUME && v->slot && (newcomer || !v->slot->joined)) {
		admit_on_resume(v, conn, &m->resume);
	} else {
		snprintf(why, sizeof(why), "%s sent %s, which was not expected", conn_name(conn),
			 msg_name(m->type));
		conn_close(conn, ERR_PEER, why, 0);
	}
	speak_of_none(c);
}

static void forget_visitor(struct visitor *v)
{
	for (struct visitor **at = &v->c->visitors; *at; at = &(*at)->next)
		if (*at == v) {
			*at = v->next;
			break;
		}
	if (v->of) {
		v->of->links--;
		running_look(v->of);
	}
	free(v);
}

static struct log_seldom strangers;

static void admit_on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct visitor *v = arg;
	struct slot *slot = v->slot;
	struct coordinator *c = v->c;
	struct running *r = slot ? slot->job : NULL;
	bool its = slot && slot->conn == conn;
	bool away = its && r && r->phase == RUNNING && channel_is_lost(slot->channel);
	bool left =
	    its && r && r->phase == JOINING && r->again && slot->joined && !conn_was_lost(conn);
	bool over =
	    v->of || c->closing || (r && (r->phase == CLOSING || mailbox_settled(r->mailbox)));
	char text[ERR_DETAIL_MAX];

	speak_of(v);
	if (away)
		on_lost(r, slot, why);
	else if (code != ERR_OK && !over && *conn_name(conn))
		log_warn("connection from %s closed: %s", conn_address(conn), why);
	else if (code != ERR_OK && !over) /* the peer showed no certificate */
		log_seldom(&strangers, "connection from %s closed: %s", conn_address(conn), why);
	if (its) {
		watch_lost(&c->watch, slot->name);
		slot->conn = NULL;
		slot->joined = slot->joined && r && r->phase != JOINING;
	}
	forget_visitor(v);
	if (left) {
		snprintf(text, sizeof(text), "%s left before attempt %u began", slot->name,
			 r->run.attempt);
		running_fail(r, ERR_PEER, text);
	} else if (its && !r && c->queue) {
		c->queue->went(c->queue->arg, slot);
	}
	speak_of_none(c);
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

const struct conn_events coordinator_events = { admit_on_ready, admit_on_message, admit_on_closed };

/* -- parties that stay absent --------------------------------------------------------------- */

static void on_join_timeout(uv_timer_t *timer)
{
	struct running *r = timer->data;
	char missing[512] = "";
	char why[700];

	if (running_continues_without(r)) {
		running_start(r);
		return;
	}
	for (size_t l = 0; l < r->L; l++)
		if (!r->slot[l]->joined &&
		    strlen(missing) + strlen(r->slot[l]->name) + 3 < sizeof(missing))
			sprintf(missing + strlen(missing), "%s%s", *missing ? ", " : "",
				r->slot[l]->name);
	if (r->again) {
		snprintf(why, sizeof(why),
			 "did not reconnect for attempt %u within rejoin_s, %u s: %s",
			 r->run.attempt, r->c->config->common.rejoin_s, missing);
		running_fail(r, ERR_DEADLINE, why);
		return;
	}
	snprintf(why, sizeof(why), "did not join within join_timeout_s, %u s: %s",
		 r->c->config->join_timeout_s, missing);
	running_close(r, ERR_DEADLINE, why);
}

void running_await(struct running *r)
{
	unsigned limit_s = r->again ? r->c->config->common.rejoin_s : r->c->config->join_timeout_s;

	uv_timer_start(&r->join_timer, on_join_timeout, (uint64_t)limit_s * 1000, 0);
}
