#include "server/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/startup.h"
#include "crypto/random.h"
#include "crypto/sign.h"
#include "proto/conn.h"
#include "proto/tls.h"
#include "server/job.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CANCEL_GRACE_MS = 300, CLOSE_TIMEOUT_S = 2, AWAY_TICK_MS = 100 };

#define CANCEL_TIMEOUT_S   1.0
#define STRANGER_TIMEOUT_S 0.5 /* who is at the door when we close */

/* A party's place at the table. */
struct seat {
	const char *name;
	struct conn *conn;       /* NULL: not there */
	struct channel *channel; /* once the job begins */
	bool joined;             /* its HELLO was answered with WELCOME */
	uint8_t key[HASH_LEN];   /* the fingerprint with which it joined */
	double lost_s;           /* clock_now_s() at which its connection was lost in the job */
	char lost_why[ERR_DETAIL_MAX];
};

/* Whoever has connected; arg of its connection's events. */
struct visitor {
	struct visitor *next; /* in the coordinator's list */
	struct coordinator *c;
	struct conn *conn;
	struct seat *seat; /* NULL until it is known who it is */
};

enum phase { JOINING, RUNNING, CLOSING };

struct coordinator {
	const struct coordinator_config *config;
	uv_loop_t loop;
	struct conn_host *host;
	struct listener *listener;
	uv_signal_t on_term, on_int, on_hup;
	uv_timer_t join_timer, cancel_timer, away_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	enum phase phase;
	size_t L;
	struct seat seat[PARTIES_MAX];
	struct visitor *visitors;
	const char *name[PARTIES_MAX];
	struct channel *channel[PARTIES_MAX];
	struct post *post;
	struct record record;
	struct run run;
	bool thread_started;
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* ---- the end: one way out of every phase ---- */

static void close_handle(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static void refuse(struct conn *conn, enum err code, const char *why)
{
	struct msg m = { .type = MSG_REFUSED,
			 .refused = { .code = (uint16_t)code,
				      .text = { (const uint8_t *)why, strlen(why) } } };

	conn_send(conn, &m);
}

/* From here the loop runs only until all connections are flushed and closed. why NULL: the job
 * thread has left it in c->why. */
static void begin_close(struct coordinator *c, enum err result, const char *why)
{
	if (c->phase == CLOSING)
		return;
	c->result = result;
	if (why)
		snprintf(c->why, sizeof(c->why), "%s", why);
	for (size_t l = 0; l < c->L; l++) {
		if (!c->seat[l].conn)
			continue;
		if (c->phase == JOINING)
			refuse(c->seat[l].conn, result, c->why);
		/* Who is stopped has told the others already, or tried to. */
		conn_close(c->seat[l].conn, ERR_OK, NULL,
			   result == ERR_CANCELLED ? CANCEL_TIMEOUT_S : CLOSE_TIMEOUT_S);
	}
	for (struct visitor *v = c->visitors; v; v = v->next)
		if (!v->seat || v->seat->conn != v->conn)
			conn_close(v->conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
	c->phase = CLOSING;
	conn_listen_stop(c->listener);
	close_handle((uv_handle_t *)&c->on_term);
	close_handle((uv_handle_t *)&c->on_int);
	close_handle((uv_handle_t *)&c->on_hup);
	close_handle((uv_handle_t *)&c->join_timer);
	close_handle((uv_handle_t *)&c->cancel_timer);
	close_handle((uv_handle_t *)&c->away_timer);
	uv_unref((uv_handle_t *)&c->job_done); /* the job thread is over, or is left to itself */
}

static void on_job_done(uv_async_t *async)
{
	struct coordinator *c = async->data;

	uv_thread_join(&c->job_thread);
	c->thread_started = false;
	begin_close(c, c->result, NULL);
}

/* ---- the job ---- */

static void job_thread(void *arg)
{
	struct coordinator *c = arg;

	c->result = job_serve(&c->run, c->config->common.output);
	snprintf(c->why, sizeof(c->why), "%s", c->result == ERR_OK ? "" : err_detail());
	uv_async_send(&c->job_done);
}

/* Channels are made only now: a party that leaves before has broken nothing. */
static void start_job(struct coordinator *c)
{
	c->phase = RUNNING;
	uv_timer_stop(&c->join_timer);
	c->run.attempt = 1;
	for (size_t l = 0; l < c->L; l++) {
		struct seat *seat = &c->seat[l];

		seat->channel = c->channel[l] = channel_new(c->post, COORD, seat->name);
		channel_of_job(seat->channel, c->run.job_id, c->run.attempt);
		if (c->config->common.reconnect_s)
			channel_keep(seat->channel);
		conn_attach(seat->conn, seat->channel, channel_job(seat->channel));
	}
	c->run.L = c->L;
	c->run.name = c->name;
	c->run.channel = c->channel;
	c->run.post = c->post;
	c->run.record = &c->record;
	log_info("all %zu parties are there, the job begins", c->L);
	if (uv_thread_create(&c->job_thread, job_thread, c) != 0) {
		begin_close(c, ERR_INTERNAL, "the job thread could not be started");
		return;
	}
	c->thread_started = true;
}

/* ---- admission ---- */

static void turn_away(struct visitor *v, struct conn *conn, const char *why)
{
	(void)v;
	refuse(conn, ERR_PEER, why);
	conn_close(conn, ERR_PEER, why, CLOSE_TIMEOUT_S);
}

/* Is this key the one that the configuration pins for the name, if it pins one? */
static bool pin_fits(const struct coordinator *c, const struct conn *conn)
{
	const char *text = config_map_get(&c->config->pins, conn_name(conn));
	uint8_t pinned[FINGERPRINT_LEN], shown[HASH_LEN];

	if (!text)
		return true;
	conn_fingerprint(conn, shown);
	return fingerprint_parse(text, pinned) && memcmp(pinned, shown, sizeof(shown)) == 0;
}

/* Is it the key with which this party joined? Another one of the same name is a stranger. */
static bool key_fits(const struct seat *seat, const struct conn *conn)
{
	uint8_t shown[HASH_LEN];

	conn_fingerprint(conn, shown);
	return memcmp(seat->key, shown, sizeof(shown)) == 0;
}

static void on_ready(struct conn *conn, void *arg)
{
	struct visitor *v = arg;
	struct coordinator *c = v->c;
	struct seat *seat = NULL;
	char why[256];

	for (size_t l = 0; l < c->L; l++)
		if (strcmp(c->seat[l].name, conn_name(conn)) == 0)
			seat = &c->seat[l];
	if (!seat) {
		snprintf(why, sizeof(why), "%s is not among the parties of %s", conn_name(conn),
			 c->config->common.name);
		turn_away(v, conn, why);
	} else if (!pin_fits(c, conn)) {
		snprintf(why, sizeof(why), "the key of %s is not the one pinned at %s", seat->name,
			 c->config->common.name);
		turn_away(v, conn, why);
	} else if (c->phase == RUNNING && key_fits(seat, conn)) {
		v->seat = seat; /* its first message says whether it goes on with the job */
	} else if (seat->conn) {
		snprintf(why, sizeof(why), "%s is already connected, from %s", seat->name,
			 conn_address(seat->conn));
		turn_away(v, conn, why);
	} else if (c->phase != JOINING) {
		turn_away(v, conn, c->phase == RUNNING ? "a job is under way" : "the job is over");
	} else {
		conn_fingerprint(conn, seat->key);
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
}

static void on_hello(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	char why[256];

	if (h->version_min > PROTO_VERSION_MAX || h->version_max < PROTO_VERSION_MIN) {
		snprintf(why, sizeof(why),
			 "%s speaks protocol versions %u to %u, %s speaks %d to %d", v->seat->name,
			 h->version_min, h->version_max, c->config->common.name, PROTO_VERSION_MIN,
			 PROTO_VERSION_MAX);
		log_error("%s", why);
		begin_close(c, ERR_PEER, why);
		return;
	}
	welcome(c, conn);
	v->seat->joined = true;
	log_info("%s joined from %s (%.*s)", v->seat->name, conn_address(conn), (int)h->software.n,
		 (const char *)h->software.p);
	for (size_t l = 0; l < c->L; l++)
		if (!c->seat[l].joined)
			return;
	start_job(c);
}

/* ---- a party that comes back ---- */

static void take_back(struct seat *seat, struct conn *conn)
{
	struct channel_link link;

	seat->conn = conn;
	conn_attach(conn, seat->channel, channel_job(seat->channel));
	channel_link(seat->channel, &link);
	log_info("%s is back, from %s, after %.1f s (%llu bytes sent again so far)", seat->name,
		 conn_address(conn), clock_now_s() - seat->lost_s, (unsigned long long)link.resent);
}

/* It goes on with the job. If its old connection still seems to be there, this one is right: a
 * second process of the same party would not know the job. */
static void on_resume(struct visitor *v, struct conn *conn, const struct msg_resume *r)
{
	struct coordinator *c = v->c;
	struct seat *seat = v->seat;
	struct conn *old = seat->conn;
	struct msg m;

	if (c->phase != RUNNING || channel_resume_check(seat->channel, r) != ERR_OK) {
		turn_away(v, conn, c->phase == RUNNING ? err_detail() : "no such job is under way");
		return;
	}
	if (old) {
		seat->conn = NULL;
		seat->lost_s = clock_now_s();
		conn_attach(old, NULL, 0);
		conn_close(old, ERR_OK, NULL, 0);
	}
	if (!channel_is_away(seat->channel) && !channel_lost(seat->channel)) {
		turn_away(v, conn, "the job is over");
		return;
	}
	if (channel_resume(seat->channel, r) != ERR_OK) {
		turn_away(v, conn, err_detail());
		return;
	}
	channel_resume_say(seat->channel, &m);
	conn_send(conn, &m);
	conn_welcome(conn, c->config->common.heartbeat_s);
	take_back(seat, conn);
}

/* It begins anew, in a job. If it was lost before it heard anything of the job, that is right: it
 * hears it now. Otherwise its process was another one, which will not come back. */
static void on_hello_again(struct visitor *v, struct conn *conn, const struct msg_hello *h)
{
	struct coordinator *c = v->c;
	struct seat *seat = v->seat;
	struct msg_resume r = { .attempt = c->run.attempt };
	bool speaks = h->version_min <= PROTO_VERSION_MAX && h->version_max >= PROTO_VERSION_MIN;
	char why[256];

	memcpy(r.job_id, c->run.job_id, JOB_ID_LEN);
	if (seat->conn) {
		snprintf(why, sizeof(why), "%s is already connected, from %s", seat->name,
			 conn_address(seat->conn));
		turn_away(v, conn, why);
	} else if (speaks && channel_is_away(seat->channel) &&
		   channel_is_untouched(seat->channel) &&
		   channel_resume(seat->channel, &r) == ERR_OK) {
		welcome(c, conn);
		take_back(seat, conn);
	} else {
		if (channel_is_away(seat->channel)) {
			snprintf(why, sizeof(why), "%s was started again and has lost the job",
				 seat->name);
			channel_fail(seat->channel, ERR_PEER, why);
		}
		turn_away(v, conn, "a job is under way");
	}
}

/* Looks whose time to come back is over. */
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
		channel_fail(seat->channel, ERR_DEADLINE, why);
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
		return;
	}
	if (m->type == MSG_HELLO && newcomer) {
		on_hello_again(v, conn, &m->hello);
		return;
	}
	if (m->type == MSG_RESUME && v->seat && (newcomer || !v->seat->joined)) {
		on_resume(v, conn, &m->resume);
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

	if (away)
		on_lost(c, seat, why);
	else if (code != ERR_OK && !c->run.finished)
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
}

static void *on_accepted(struct conn *conn, void *arg)
{
	struct coordinator *c = arg;
	struct visitor *v;

	log_debug("connection from %s", conn_address(conn));
	ALLOC(v, 1);
	*v = (struct visitor){ .next = c->visitors, .c = c, .conn = conn };
	c->visitors = v;
	return v;
}

static const struct conn_events events = { on_ready, on_message, on_closed };

/* ---- timers and signals ---- */

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
	snprintf(why, sizeof(why), "did not join within join_timeout_s, %u s: %s",
		 c->config->join_timeout_s, missing);
	begin_close(c, ERR_DEADLINE, why);
}

/* The job thread had its time to stop by itself: it computes. The others are told from here, and
 * the process goes without it. */
static void on_cancel_timeout(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	char why[ERR_DETAIL_MAX];
	struct msg m = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };

	snprintf(why, sizeof(why), "%s was stopped", c->config->common.name);
	m.abort.culprit = (struct bytes){ (const uint8_t *)c->config->common.name,
					  strlen(c->config->common.name) };
	m.abort.text = (struct bytes){ (const uint8_t *)why, strlen(why) };
	for (size_t l = 0; l < c->L; l++)
		if (c->seat[l].conn)
			conn_send(c->seat[l].conn, &m);
	begin_close(c, ERR_CANCELLED, why);
}

static void on_stop(uv_signal_t *signal, int number)
{
	struct coordinator *c = signal->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped (%s)", c->config->common.name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	if (c->phase == JOINING) {
		begin_close(c, ERR_CANCELLED, why);
	} else if (c->phase == RUNNING && !uv_is_active((uv_handle_t *)&c->cancel_timer)) {
		post_cancel(c->post, ERR_CANCELLED, why);
		uv_timer_start(&c->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}

static void on_reload(uv_signal_t *signal, int number)
{
	struct coordinator *c = signal->data;

	(void)number;
	if (conn_host_reload(c->host) != ERR_OK)
		log_warn("certificates were not reloaded: %s", err_detail());
	else
		log_info("certificates reloaded");
}

/* ---- start ---- */

static void init(struct coordinator *c, const struct coordinator_config *config,
		 const struct job *job)
{
	c->config = config;
	c->L = config->parties.count;
	for (size_t l = 0; l < c->L; l++)
		c->seat[l].name = c->name[l] = config->parties.item[l];
	c->run.job = *job;
	c->run.threads = config->common.threads ? config->common.threads
						: (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	record_init(&c->record, "coordinator", config->common.name);
	c->post = post_new(config->common.step_timeout_s);
	uv_loop_init(&c->loop);
	uv_signal_init(&c->loop, &c->on_term);
	uv_signal_init(&c->loop, &c->on_int);
	uv_signal_init(&c->loop, &c->on_hup);
	uv_timer_init(&c->loop, &c->join_timer);
	uv_timer_init(&c->loop, &c->cancel_timer);
	uv_timer_init(&c->loop, &c->away_timer);
	uv_async_init(&c->loop, &c->job_done, on_job_done);
	c->on_term.data = c->on_int.data = c->on_hup.data = c;
	c->join_timer.data = c->cancel_timer.data = c->away_timer.data = c->job_done.data = c;
}

static enum err announce(const struct coordinator *c, const char *bound)
{
	char line[96];

	log_info("listening on %s for %zu parties", bound, c->L);
	if (!c->config->ready_file)
		return ERR_OK;
	snprintf(line, sizeof(line), "%s\n", bound);
	return file_write(c->config->ready_file, (struct bytes){ (uint8_t *)line, strlen(line) },
			  FILE_PUBLIC);
}

static enum err start(struct coordinator *c)
{
	const struct coordinator_config *config = c->config;
	struct conn_options o = { .certificate = config->common.identity.certificate,
				  .key = config->common.identity.key,
				  .ca = config->common.identity.ca,
				  .tcp_congestion = config->common.tcp_congestion };
	char bound[80];

	TRY(random_secret(c->run.job_id, JOB_ID_LEN));
	TRY(conn_host_new(&c->host, &c->loop, &o));
	TRY(conn_listen(c->host, config->listen.host, config->listen.port, &events, on_accepted, c,
			&c->listener, bound));
	uv_signal_start(&c->on_term, on_stop, SIGTERM);
	uv_signal_start(&c->on_int, on_stop, SIGINT);
	uv_signal_start(&c->on_hup, on_reload, SIGHUP);
	uv_timer_start(&c->join_timer, on_join_timeout, (uint64_t)config->join_timeout_s * 1000, 0);
	return announce(c, bound);
}

enum err coordinator_check(const struct coordinator_config *config)
{
	const struct identity_paths *p = &config->common.identity;

	TRY(identity_check(p->certificate, p->key, config->common.name));
	return tls_check(TLS_SERVER, p->certificate, p->key, p->ca);
}

enum err coordinator_run(const struct coordinator_config *config, const struct job *job)
{
	struct coordinator *c = alloc(1, sizeof(*c));
	enum err e;

	init(c, config, job);
	e = start(c);
	if (e != ERR_OK) {
		char why[ERR_DETAIL_MAX];

		snprintf(why, sizeof(why), "%s", err_detail());
		begin_close(c, e, why);
	}
	uv_run(&c->loop, UV_RUN_DEFAULT);
	e = c->result == ERR_OK ? ERR_OK : err_set(c->result, "%s", c->why);
	if (c->thread_started)
		daemon_leave(e);
	for (size_t l = 0; l < c->L; l++)
		channel_free(c->seat[l].channel);
	conn_host_free(c->host);
	uv_close((uv_handle_t *)&c->job_done, NULL);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	uv_loop_close(&c->loop);
	post_free(c->post);
	record_release(&c->record);
	free(c);
	return e;
}
