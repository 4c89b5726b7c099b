#include "party/daemon.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/job/startup.h"
#include "crypto/sign.h"
#include "party/job.h"
#include "party/policy.h"
#include "proto/backoff.h"
#include "proto/conn.h"
#include "proto/tls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct conn_events events;

enum {
	CANCEL_GRACE_MS = 300,
	CLOSE_TIMEOUT_S = 2,
	RETRY_FIRST_MS = 50,
	RETRY_MAX_MS = 5000,
};

#define CANCEL_TIMEOUT_S 1.0

/* What the loop waits for: the time to dial again; a WELCOME; an offer and then the job's end; that
 * a lost connection is followed by another, in the job; the connection's end; everything's end. */
enum phase { RESTING, DIALLING, SERVING, RETURNING, HANGING_UP, CLOSING };

struct daemon {
	const struct party_config *config;
	struct daemon_options options;
	uv_loop_t loop;
	struct conn_host *host;
	struct conn *conn;
	uv_signal_t on_term, on_int, on_hup;
	uv_timer_t retry_timer, cancel_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	enum phase phase;
	unsigned retry_ms;
	double dialling_since_s;       /* of this row of attempts */
	double heartbeat_s;            /* as agreed with the coordinator */
	struct backoff backoff;        /* while RETURNING */
	char lost_why[ERR_DETAIL_MAX]; /* how the connection was lost, or why dialling failed since
					*/
	struct identity *identity;
	struct dataset dataset;
	bool has_dataset;
	/* one connection's job */
	struct post *post;
	struct channel *channel;
	struct record record;
	struct work work;
	struct job_means means;
	bool thread_started;
	bool abandoned; /* the process ends while the job thread computes */
	enum err job_result;
	char job_why[ERR_DETAIL_MAX];
	/* the process's end */
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* ---- the end ---- */

static void close_handle(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static void begin_close(struct daemon *d, enum err result, const char *why)
{
	if (d->phase == CLOSING)
		return;
	d->phase = CLOSING;
	d->result = result;
	snprintf(d->why, sizeof(d->why), "%s", why);
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL,
			   result == ERR_CANCELLED ? CANCEL_TIMEOUT_S : CLOSE_TIMEOUT_S);
	close_handle((uv_handle_t *)&d->on_term);
	close_handle((uv_handle_t *)&d->on_int);
	close_handle((uv_handle_t *)&d->on_hup);
	close_handle((uv_handle_t *)&d->retry_timer);
	close_handle((uv_handle_t *)&d->cancel_timer);
	/* A job thread that was cancelled is waited for; one that computes on is left to itself. */
	if (!d->thread_started || d->abandoned)
		uv_unref((uv_handle_t *)&d->job_done);
}

/* ---- data ---- */

/* A job uses its features up, so they are read anew for each. */
static enum err load(struct daemon *d)
{
	const struct party_config *c = d->config;

	if (d->has_dataset)
		dataset_release(&d->dataset);
	d->has_dataset = false;
	TRY(dataset_load(&d->dataset, c->data.features, c->data.edges, c->data.ids));
	d->has_dataset = true;
	log_info("%zu %s, %zu features, %zu edges", d->dataset.n, c->data.edges ? "nodes" : "rows",
		 c->data.features ? features_cols(&d->dataset.X) : 0,
		 c->data.edges ? d->dataset.g.adjacency.start[d->dataset.n] / 2 : 0);
	return ERR_OK;
}

/* ---- the job ---- */

static void job_thread(void *arg)
{
	struct daemon *d = arg;

	d->job_result = job_take_part(&d->work, &d->means);
	snprintf(d->job_why, sizeof(d->job_why), "%s", d->job_result == ERR_OK ? "" : err_detail());
	uv_async_send(&d->job_done);
}

static enum err start_job(struct daemon *d)
{
	const struct daemon_common *c = &d->config->common;

	record_init(&d->record, "party", c->name);
	d->work = (struct work){ .channel = d->channel,
				 .post = d->post,
				 .record = &d->record,
				 .threads = c->threads ? c->threads
						       : (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
	d->means = (struct job_means){ .config = d->config,
				       .identity = d->identity,
				       .agreed = d->options.agreed,
				       .dataset = &d->dataset,
				       .output = c->output,
				       .output_per_job = !d->options.once };
	if (uv_thread_create(&d->job_thread, job_thread, d) != 0)
		return err_set(ERR_INTERNAL, "the job thread could not be started");
	d->thread_started = true;
	return ERR_OK;
}

static void end_job(struct daemon *d)
{
	channel_free(d->channel);
	post_free(d->post);
	record_release(&d->record);
	d->channel = NULL;
	d->post = NULL;
}

/* ---- dialling ---- */

static void dial(struct daemon *d);
static void dial_back(struct daemon *d);

static void on_retry(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	if (d->phase == RETURNING)
		dial_back(d);
	else
		dial(d);
}

/* Tries again after a while, up to retry_s in a row. */
static void rest(struct daemon *d, enum err code, const char *why)
{
	double tried_s = clock_now_s() - d->dialling_since_s;

	if (d->phase == CLOSING)
		return;
	d->phase = RESTING;
	if (d->config->retry_s && tried_s > d->config->retry_s) {
		char text[ERR_DETAIL_MAX];

		snprintf(text, sizeof(text), "%s was tried for retry_s, %u s; the last time: %s",
			 d->config->coordinator_text, d->config->retry_s, why);
		begin_close(d, code == ERR_OK ? ERR_PEER : code, text);
		return;
	}
	uv_timer_start(&d->retry_timer, on_retry, d->retry_ms, 0);
	d->retry_ms = d->retry_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : d->retry_ms * 2;
}

/* An operator must see this, however often the party dials: somebody else answers for the
 * coordinator, or its key was renewed and the pin was not. */
static void wrong_key(struct conn *conn, const uint8_t *shown, const uint8_t *pinned)
{
	char seen[FINGERPRINT_TEXT_LEN], expected[FINGERPRINT_TEXT_LEN], why[512];

	fingerprint_text(shown, seen);
	fingerprint_text(pinned, expected);
	snprintf(why, sizeof(why),
		 "the key of %s is not the one that peers.%s pins: it is %s, pinned is %s",
		 conn_name(conn), conn_name(conn), seen, expected);
	log_error("%s", why);
	conn_close(conn, ERR_PEER, why, 0);
}

static void say_hello(struct conn *conn)
{
	static const char software[] = "coterie " COTERIE_VERSION;
	struct msg m = { .type = MSG_HELLO,
			 .hello = {
			     .version_min = PROTO_VERSION_MIN,
			     .version_max = PROTO_VERSION_MAX,
			     .software = { (const uint8_t *)software, sizeof(software) - 1 } } };

	conn_send(conn, &m);
}

static void say_resume(struct daemon *d, struct conn *conn)
{
	struct msg m;

	if (strcmp(conn_name(conn), channel_peer(d->channel)) != 0) {
		conn_close(conn, ERR_PEER, "another coordinator than the one of the job answers",
			   0);
		return;
	}
	channel_resume_say(d->channel, &m);
	conn_send(conn, &m);
}

static void on_ready(struct conn *conn, void *arg)
{
	struct daemon *d = arg;
	uint8_t pin[SECAGG_HASH_LEN], shown[HASH_LEN];

	conn_fingerprint(conn, shown);
	if (policy_pin(d->config, conn_name(conn), pin) != ERR_OK) {
		log_error("%s", err_detail());
		conn_close(conn, ERR_PEER, err_detail(), 0);
	} else if (memcmp(pin, shown, sizeof(pin)) != 0) {
		wrong_key(conn, shown, pin);
	} else if (d->phase == RETURNING) {
		say_resume(d, conn);
	} else {
		say_hello(conn);
	}
}

static void on_welcome(struct daemon *d, const struct msg_welcome *w)
{
	double heartbeat_s = d->config->common.heartbeat_s;

	/* The shorter of the two: what the coordinator expects of us, and what we expect of it. */
	if (w->heartbeat_ms < 1e3 * heartbeat_s)
		heartbeat_s = 1e-3 * w->heartbeat_ms;
	log_info("welcomed by %s at %s", conn_name(d->conn), conn_address(d->conn));
	d->phase = SERVING;
	d->retry_ms = RETRY_FIRST_MS;
	d->heartbeat_s = heartbeat_s;
	d->post = post_new(d->config->common.step_timeout_s);
	d->channel = channel_new(d->post, PARTY, conn_name(d->conn));
	if (d->config->common.reconnect_s)
		channel_keep(d->channel);
	conn_welcome(d->conn, heartbeat_s);
	conn_attach(d->conn, d->channel, 0);
	if (start_job(d) != ERR_OK)
		begin_close(d, ERR_INTERNAL, err_detail());
}

/* The job goes on without the coordinator, which is to say, it ends. */
static void give_up(struct daemon *d, enum err code, const char *why)
{
	struct conn *conn = d->conn;

	d->phase = SERVING;
	d->conn = NULL;
	uv_timer_stop(&d->retry_timer);
	if (conn)
		conn_close(conn, ERR_OK, NULL, 0);
	channel_fail(d->channel, code, why);
}

/* The coordinator does not want us, now or ever: its sentence says why. */
static void on_refused(struct daemon *d, const struct msg_refused *r)
{
	enum err code = r->code > ERR_OK && r->code <= ERR_CANCELLED ? (enum err)r->code : ERR_PEER;
	char why[ERR_DETAIL_MAX];

	snprintf(why, sizeof(why), "refused by %s: %.*s", conn_name(d->conn), (int)r->text.n,
		 (const char *)r->text.p);
	if (code == ERR_CANCELLED)
		code = ERR_PEER;
	if (d->post)
		post_cancel(d->post, code, why);
	if (d->phase == RETURNING) {
		give_up(d, code, why);
		return;
	}
	if (d->options.once)
		begin_close(d, code, why);
	else if (!d->post)
		conn_close(d->conn, code, why, 0);
}

/* ---- a connection lost in a job ---- */

static void give_up_returning(struct daemon *d)
{
	char why[ERR_DETAIL_MAX];

	snprintf(why, sizeof(why), "%s could not be reached again within reconnect_s, %u s: %.300s",
		 channel_peer(d->channel), d->config->common.reconnect_s, d->lost_why);
	give_up(d, ERR_DEADLINE, why);
}

static void wait_to_return(struct daemon *d, const char *why)
{
	snprintf(d->lost_why, sizeof(d->lost_why), "%s", why);
	log_debug("%s", why);
	uv_timer_start(&d->retry_timer, on_retry, backoff_next_ms(&d->backoff), 0);
}

static void begin_return(struct daemon *d, const char *why)
{
	unsigned limit_s = d->config->common.reconnect_s;

	d->phase = RETURNING;
	log_warn("%s; dialling again for %u s", why, limit_s);
	backoff_begin(&d->backoff, limit_s);
	wait_to_return(d, why);
}

/* An attempt that hangs is ended by the same clock. */
static void dial_back(struct daemon *d)
{
	uint64_t left_ms = backoff_left_ms(&d->backoff);

	if (left_ms == 0 || d->conn) {
		give_up_returning(d);
		return;
	}
	uv_timer_start(&d->retry_timer, on_retry, left_ms, 0);
	if (conn_dial(d->host, d->config->coordinator.host, d->config->coordinator.port, &events, d,
		      &d->conn) != ERR_OK)
		wait_to_return(d, err_detail());
}

static void on_resume(struct daemon *d, const struct msg_resume *r)
{
	struct channel_link link;
	char why[ERR_DETAIL_MAX];

	if (channel_resume(d->channel, r) != ERR_OK) {
		snprintf(why, sizeof(why), "%s sent RESUME: %.400s", conn_name(d->conn),
			 err_detail());
		give_up(d, ERR_PEER, why);
		return;
	}
	d->phase = SERVING;
	uv_timer_stop(&d->retry_timer);
	conn_welcome(d->conn, d->heartbeat_s);
	channel_link(d->channel, &link);
	log_info("%s at %s is there again after %.1f s (%llu bytes sent again so far)",
		 conn_name(d->conn), conn_address(d->conn), backoff_passed_s(&d->backoff),
		 (unsigned long long)link.resent);
	conn_attach(d->conn, d->channel, channel_job(d->channel));
}

static void on_message(struct conn *conn, const struct msg *m, void *arg)
{
	struct daemon *d = arg;
	char why[128];

	if (m->type == MSG_WELCOME && d->phase == DIALLING) {
		on_welcome(d, &m->welcome);
	} else if (m->type == MSG_RESUME && d->phase == RETURNING) {
		on_resume(d, &m->resume);
	} else if (m->type == MSG_REFUSED) {
		on_refused(d, &m->refused);
	} else {
		snprintf(why, sizeof(why), "%s sent %s, which was not expected", conn_name(conn),
			 msg_name(m->type));
		conn_close(conn, ERR_PEER, why, 0);
	}
}

/* The job thread, if there is one, hears of it through its channel and ends: on_job_done goes on.
 * Unless the connection was lost: then it hears nothing, and we dial again. */
static void on_closed(struct conn *conn, enum err code, const char *why, void *arg)
{
	struct daemon *d = arg;
	bool dialling = d->phase == DIALLING;

	if (d->conn != conn)
		return; /* given up already */
	d->conn = NULL;
	if (d->phase == RETURNING) {
		wait_to_return(d, why ? why : "closed");
		return;
	}
	if (d->phase == SERVING && channel_is_away(d->channel)) {
		begin_return(d, why);
		return;
	}
	if (code != ERR_OK && dialling && d->retry_ms <= 4 * RETRY_FIRST_MS)
		log_info("%s; trying again", why);
	if (d->phase == HANGING_UP || dialling)
		rest(d, code, why ? why : "closed");
}

static const struct conn_events events = { .ready = on_ready,
					   .message = on_message,
					   .closed = on_closed };

static void dial(struct daemon *d)
{
	d->phase = DIALLING;
	if (!d->has_dataset && load(d) != ERR_OK) {
		begin_close(d, ERR_INPUT, err_detail());
		return;
	}
	if (conn_dial(d->host, d->config->coordinator.host, d->config->coordinator.port, &events, d,
		      &d->conn) != ERR_OK)
		rest(d, ERR_PEER, err_detail());
}

static void on_job_done(uv_async_t *async)
{
	struct daemon *d = async->data;
	bool offered = d->work.offered;

	uv_thread_join(&d->job_thread);
	d->thread_started = false;
	if (d->phase == CLOSING) {
		uv_unref((uv_handle_t *)&d->job_done);
		return;
	}
	uv_timer_stop(&d->retry_timer);
	if (d->conn)
		conn_attach(d->conn, NULL, 0);
	if (offered && d->job_result == ERR_OK)
		log_info("job done");
	else if (offered)
		log_error("job failed: %s", d->job_why);
	end_job(d);
	if (offered && d->options.once) {
		begin_close(d, d->job_result, d->job_why);
		return;
	}
	if (offered) {
		dataset_release(&d->dataset);
		d->has_dataset = false;
	}
	d->dialling_since_s = clock_now_s();
	d->phase = HANGING_UP;
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL, CLOSE_TIMEOUT_S);
	else
		rest(d, d->job_result, d->job_why);
}

/* ---- signals ---- */

static void on_cancel_timeout(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	char why[ERR_DETAIL_MAX];
	struct msg m = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };

	snprintf(why, sizeof(why), "%s was stopped", d->config->common.name);
	m.abort.culprit = (struct bytes){ (const uint8_t *)d->config->common.name,
					  strlen(d->config->common.name) };
	m.abort.text = (struct bytes){ (const uint8_t *)why, strlen(why) };
	if (d->conn)
		conn_send(d->conn, &m);
	d->abandoned = true;
	begin_close(d, ERR_CANCELLED, why);
}

static void on_stop(uv_signal_t *signal, int number)
{
	struct daemon *d = signal->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped (%s)", d->config->common.name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	if (!d->thread_started || !d->work.offered) {
		if (d->post)
			post_cancel(d->post, ERR_CANCELLED, why);
		log_info("stopped while idle");
		begin_close(d, ERR_OK, "");
	} else if (!uv_is_active((uv_handle_t *)&d->cancel_timer)) {
		d->options.once = true; /* whatever becomes of this job, it is the last */
		post_cancel(d->post, ERR_CANCELLED, why);
		uv_timer_start(&d->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}

static void on_reload(uv_signal_t *signal, int number)
{
	struct daemon *d = signal->data;

	(void)number;
	if (conn_host_reload(d->host) != ERR_OK)
		log_warn("certificates were not reloaded: %s", err_detail());
	else
		log_info("certificates reloaded");
}

/* ---- start ---- */

static void init(struct daemon *d, const struct party_config *config,
		 const struct daemon_options *o)
{
	d->config = config;
	d->options = *o;
	d->retry_ms = RETRY_FIRST_MS;
	d->dialling_since_s = clock_now_s();
	uv_loop_init(&d->loop);
	uv_signal_init(&d->loop, &d->on_term);
	uv_signal_init(&d->loop, &d->on_int);
	uv_signal_init(&d->loop, &d->on_hup);
	uv_timer_init(&d->loop, &d->retry_timer);
	uv_timer_init(&d->loop, &d->cancel_timer);
	uv_async_init(&d->loop, &d->job_done, on_job_done);
	d->on_term.data = d->on_int.data = d->on_hup.data = d;
	d->retry_timer.data = d->cancel_timer.data = d->job_done.data = d;
}

static enum err start(struct daemon *d)
{
	const struct daemon_common *c = &d->config->common;
	struct conn_options o = { .certificate = c->identity.certificate,
				  .key = c->identity.key,
				  .ca = c->identity.ca,
				  .tcp_congestion = c->tcp_congestion };

	TRY(identity_load(&d->identity, c->identity.certificate, c->identity.key));
	TRY(conn_host_new(&d->host, &d->loop, &o));
	uv_signal_start(&d->on_term, on_stop, SIGTERM);
	uv_signal_start(&d->on_int, on_stop, SIGINT);
	uv_signal_start(&d->on_hup, on_reload, SIGHUP);
	TRY(load(d));
	log_info("dialling %s", d->config->coordinator_text);
	dial(d);
	return ERR_OK;
}

enum err daemon_check(const struct party_config *config)
{
	const struct identity_paths *p = &config->common.identity;

	TRY(identity_check(p->certificate, p->key, config->common.name));
	return tls_check(TLS_CLIENT, p->certificate, p->key, p->ca);
}

enum err daemon_run(const struct party_config *config, const struct daemon_options *o)
{
	struct daemon *d = alloc(1, sizeof(*d));
	enum err e;

	init(d, config, o);
	e = start(d);
	if (e != ERR_OK) {
		char why[ERR_DETAIL_MAX];

		snprintf(why, sizeof(why), "%s", err_detail());
		begin_close(d, e, why);
	}
	uv_run(&d->loop, UV_RUN_DEFAULT);
	e = d->result == ERR_OK ? ERR_OK : err_set(d->result, "%s", d->why);
	if (d->thread_started)
		daemon_leave(e);
	if (d->post)
		end_job(d);
	conn_host_free(d->host);
	uv_close((uv_handle_t *)&d->job_done, NULL);
	uv_run(&d->loop, UV_RUN_DEFAULT);
	uv_loop_close(&d->loop);
	if (d->has_dataset)
		dataset_release(&d->dataset);
	identity_free(d->identity);
	free(d);
	return e;
}
