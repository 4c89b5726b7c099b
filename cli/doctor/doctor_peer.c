/* Checks a party's path to its coordinator: name, TCP, TLS and identity. */
#include "cli/doctor/doctor.h"
#include "common/base/clock.h"
#include "crypto/sign.h"
#include "proto/conn.h"
#include "proto/version.h"

#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ADDRESS_MAX = 64 };
#define OFFSET_MOST_S 60.0

struct question {
	struct checkup *c;
	const struct party_config *config;
	double asked_s;
	bool ready, done;
};

static bool check_name(struct checkup *c, const char *host)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
	char address[ADDRESS_MAX] = "?";
	int why = getaddrinfo(host, NULL, &hints, &all);

	if (why) {
		checkup_add(c, WRONG, "name", "is it right, and does this host's resolver answer?",
			    "%s: %s", host, gai_strerror(why));
		return false;
	}
	getnameinfo(all->ai_addr, all->ai_addrlen, address, sizeof(address), NULL, 0,
		    NI_NUMERICHOST);
	checkup_add(c, FINE, "name", "", "%s is %s%s", host, address,
		    all->ai_next ? " and others" : "");
	freeaddrinfo(all);
	return true;
}

static void doctor_peer_on_ready(struct conn *conn, void *arg)
{
	struct question *q = arg;
	const char *name = conn_name(conn), *pin = config_map_get(&q->config->peers, name);
	char text[FINGERPRINT_TEXT_LEN];
	uint8_t shown[HASH_LEN];

	q->ready = true;
	checkup_add(q->c, FINE, "TCP", "", "connected to %s", conn_address(conn));
	q->asked_s = clock_now_s();
	conn_fingerprint(conn, shown);
	fingerprint_text(shown, text);
	if (!pin)
		checkup_add(q->c, WRONG, "TLS", "add it to peers, if it is the right one",
			    "%s answers, which peers does not name; its key is %s", name, text);
	else if (strcasecmp(pin, text) != 0)
		checkup_add(q->c, WRONG, "TLS",
			    "ask its operator by telephone whether it has a new key",
			    "the key of %s is %s, pinned is %s", name, text, pin);
	else
		checkup_add(q->c, FINE, "TLS", "", "%s answers, with the pinned key", name);
	if (conn_is_question(conn))
		return;
	q->done = true;
	checkup_add(q->c, NOTE, "version there", "ask its operator",
		    "unknown: older than this one");
	conn_close(conn, ERR_OK, NULL, 0);
}

/* Checks the difference between this host's clock and the peer's clock. The peer read its clock
 * about half a round trip ago. */
static void check_offset(const struct question *q, const char *then)
{
	double way_s = (clock_now_s() - q->asked_s) / 2, offset_s;
	struct timespec here;
	struct tm tm = { 0 };
	const char *rest = strptime(then, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!rest)
		return;
	clock_gettime(CLOCK_REALTIME, &here);
	offset_s = (double)timegm(&tm) + strtod(rest, NULL) + way_s - (double)here.tv_sec -
		   1e-9 * (double)here.tv_nsec;
	if (fabs(offset_s) > OFFSET_MOST_S)
		checkup_add(
		    q->c, WRONG, "clock there", "certificates depend on both: set the wrong one",
		    "%.0f s %s this host's", fabs(offset_s), offset_s > 0 ? "ahead of" : "behind");
	else
		checkup_add(q->c, FINE, "clock there", "", "within %.1f s of this host's",
			    fabs(offset_s) + way_s);
}

static void doctor_peer_on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct question *q = arg;
	char text[MSG_TEXT_MAX + 1], software[MSG_NAME_MAX + 1], then[33];
	int first, last;

	if (m->type != MSG_REFUSED) {
		conn_close(conn, ERR_PEER, "it sent an unexpected answer", 0);
		return;
	}
	q->done = true;
	snprintf(text, sizeof(text), "%.*s", (int)m->refused.text.n,
		 (const char *)m->refused.text.p);
	if (sscanf(text, "coordinator %*s coterie %64[^,], protocol versions %d to %d, it is %32s",
		   software, &first, &last, then) != 4) {
		checkup_add(q->c, WRONG, "admission", "ask its operator", "%s", text);
	} else {
		bool both = first <= PROTO_VERSION_MAX && last >= PROTO_VERSION_MIN;

		checkup_add(q->c, both ? FINE : WRONG, "version there",
			    both ? "" : "install the same version at both",
			    "%s, protocol %d to %d; here %s, %d to %d", software, first, last,
			    version_build(), PROTO_VERSION_MIN, PROTO_VERSION_MAX);
		check_offset(q, then);
	}
	conn_close(conn, ERR_OK, NULL, 0);
}

static void doctor_peer_on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct question *q = arg;
	const char *end = code != ERR_OK ? why : "closed without an answer";

	if (q->done)
		return;
	if (!conn_was_answered(conn)) {
		checkup_add(q->c, WRONG, "TCP", "does the coordinator run? do firewalls allow it?",
			    "%s", end);
		return;
	}
	if (!conn_began_tls(conn)) {
		checkup_add(q->c, WRONG, "proxy", "ask its operator to allow CONNECT to that port",
			    "%s", end);
		return;
	}
	if (!q->ready)
		checkup_add(q->c, FINE, "TCP", "", "connected to %s", conn_address(conn));
	checkup_add(q->c, WRONG, q->ready ? "version there" : "TLS", "see the coordinator's log",
		    "%s", end);
}

void doctor_peer(struct checkup *c, const struct party_config *config)
{
	static const struct conn_events events = { doctor_peer_on_ready, doctor_peer_on_message,
						   doctor_peer_on_closed };
	const char *proxy = config->proxy_text ? config->proxy.host : NULL;
	struct conn_options o = { .files = config->common.identity,
				  .proxy = proxy,
				  .proxy_port = config->proxy.port,
				  .asks = true };
	struct question q = { .c = c, .config = config };
	struct conn_host *host = NULL;
	struct conn *conn;
	uv_loop_t loop;

	if (!check_name(c, proxy ? proxy : config->coordinator.host) || uv_loop_init(&loop) < 0)
		return;
	/* on errors, the check "chain" reports them */
	if (conn_host_new(&host, &loop, &o) == ERR_OK) {
		(void)!conn_dial(host, config->coordinator.host, config->coordinator.port, &events,
				 &q, &conn);
		uv_run(&loop, UV_RUN_DEFAULT);
		conn_host_free(host);
	}
	uv_loop_close(&loop);
}
