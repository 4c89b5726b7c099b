#include "server/daemon/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "crypto/sign.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- admission ---- */

void coordinator_turn_away(struct conn *conn, const char *fmt, ...)
{
	char why[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	coordinator_refuse(conn, ERR_PEER, why);
	conn_close(conn, ERR_PEER, why, CLOSE_TIMEOUT_S);
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
		coordinator_turn_away(conn, "%s is not among the parties of %s", conn_name(conn),
				      c->config->common.name);
	} else if (pin &&
		   (!fingerprint_parse(pin, pinned) || memcmp(pinned, shown, sizeof(shown)) != 0)) {
		coordinator_turn_away(conn, "the key of %s is not the one pinned at %s", seat->name,
				      c->config->common.name);
	} else if (c->phase == JOINING && c->again && seat->known && !same_key) {
		coordinator_turn_away(conn, "the key of %s is not the one with which the job began",
				      seat->name);
	} else if (c->phase == CLOSING && c->again && c->result != ERR_OK) {
		coordinator_refuse(conn, (uint16_t)c->result, c->why);
		conn_close(conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
	} else if (c->phase == TELLING || (c->phase == RUNNING && same_key)) {
		v->seat = seat; /* its first message says whether it goes on with the job */
	} else if (seat->conn) {
		coordinator_turn_away(conn, "%s is already connected, from %s", seat->name,
				      conn_address(seat->conn));
	} else if (c->phase != JOINING) {
		coordinator_turn_away(conn, c->phase == RUNNING ? "a job is under way"
								: "the job is over");
	} else {
		memcpy(seat->key, shown, sizeof(shown));
		seat->conn = conn;
		v->seat = seat;
	}
}

void coordinator_welcome(struct coordinator *c, struct conn *conn)
{
	static const char software[] = "coterie " COTERIE_VERSION;
	struct msg m = { .type = MSG_WELCOME,
			 .welcome = {
			     .version = PROTO_VERSION_MAX,
			     .software = { (const uint8_t *)software, sizeof(software) - 1 },
			     .heartbeat_ms = c->config->common.heartbeat_s * 1000 } };

	conn_send(conn, &m);
	conn_welcome(conn, c->config->common.heartbeat_s);
}

void coordinator_on_hello(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	char why[256];

	if (h->version_min > PROTO_VERSION_MAX || h->version_max < PROTO_VERSION_MIN) {
		snprintf(why, sizeof(why),
			 "%s speaks protocol versions %u to %u, %s speaks %d to %d", v->seat->name,
			 h->version_min, h->version_max, c->config->common.name, PROTO_VERSION_MIN,
			 PROTO_VERSION_MAX);
		log_error("%s", why);
		coordinator_close(c, ERR_PEER, why);
		return;
	}
	coordinator_welcome(c, conn);
	v->seat->joined = true;
	log_info("%s joined from %s (%.*s)", v->seat->name, conn_address(conn), (int)h->software.n,
		 (const char *)h->software.p);
	for (size_t l = 0; l < c->L; l++)
		if (!c->seat[l].joined)
			return;
	coordinator_start_job(c);
}

/* ---- what comes from connections ---- */

static void on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct visitor *v = arg;
	bool newcomer = v->seat && v->seat->conn != conn;
	char why[128];

	if (m->type == MSG_HELLO && v->seat && !newcomer && !v->seat->joined &&
	    v->c->phase == JOINING) {
		coordinator_on_hello(v, conn, &m->hello);
		return;
	}
	if (m->type == MSG_HELLO && newcomer) {
		coordinator_on_hello_again(v, conn, &m->hello);
		return;
	}
	if (m->type == MSG_RESUME && v->seat && (newcomer || !v->seat->joined)) {
		coordinator_on_resume(v, conn, &m->resume);
		return;
	}
	snprintf(why, sizeof(why), "%s sent %s, which was not expected", conn_name(conn),
		 msg_name(m->type));
	conn_close(conn, ERR_PEER, why, 0);
}

static void on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct visitor *v = arg;
	struct seat *seat = v->seat;
	struct coordinator *c = v->c;

	bool away =
	    seat && seat->conn == conn && c->phase == RUNNING && channel_is_away(seat->channel);

	bool left = seat && seat->conn == conn && c->phase == JOINING && c->again && seat->joined &&
		    !conn_was_lost(conn);
	char text[ERR_DETAIL_MAX];

	if (away)
		coordinator_on_lost(c, seat, why);
	else if (code != ERR_OK && c->phase != CLOSING && !post_settled(c->post))
		log_warn("connection from %s closed: %s", conn_address(conn), why);
	if (seat && seat->conn == conn) {
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
