#include "server/daemon/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/service.h"
#include "common/job/confine.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "common/job/roles.h"
#include "common/job/startup.h"
#include "crypto/sign.h"
#include "crypto/secret.h"
#include "proto/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAST_MS = 10000 };

/* -- the end: one way out of every phase ---------------------------------------------------- */

/* Stops listening. Until now, parties on their way to another attempt could dial and learn that the
 * job failed. */
static void on_linger(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;

	conn_listen_stop(c->listener);
	uv_close((uv_handle_t *)timer, NULL);
}

static void forget_states(struct coordinator *c)
{
	for (struct running *r = c->jobs; r; r = r->next)
		if (!r->left)
			attempt_forget(r->state);
}

/* Ends the process if the thread of a job still runs LAST_MS after coordinator_close(). */
static void coordinator_on_last(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;

	log_warn("a thread of this process does not end, so the process exits without waiting "
		 "for it");
	forget_states(c);
	daemon_leave(c->result == ERR_OK ? ERR_OK : err_set(c->result, "%s", c->why));
}

void coordinator_close(struct coordinator *c, enum err result, const char *why, unsigned linger_ms)
{
	if (c->closing)
		return;
	c->stopping = c->closing = true;
	c->result = result;
	snprintf(c->why, sizeof(c->why), "%s", why ? why : "");
	/* running_close() has closed the connections of slots that are lent to jobs */
	for (size_t l = 0; l < c->L; l++)
		if (c->slot[l].conn && !c->slot[l].job) {
			if (c->slot[l].joined)
				coordinator_refuse(c->slot[l].conn, MSG_AGAIN, c->why);
			conn_close(c->slot[l].conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
		}
	for (struct visitor *v = c->visitors; v; v = v->next)
		if (!v->of && (!v->slot || v->slot->conn != v->conn))
			conn_close(v->conn, ERR_OK, NULL, STRANGER_TIMEOUT_S);
	if (linger_ms && c->listener) {
		uv_timer_start(&c->linger_timer, on_linger, linger_ms, 0);
	} else {
		conn_listen_stop(c->listener);
		uv_close((uv_handle_t *)&c->linger_timer, NULL);
	}
	front_close(c->front);
	c->front = NULL;
	watch_close(&c->watch);
	uv_timer_start(&c->last_timer, coordinator_on_last, LAST_MS, 0);
	for (struct running *r = c->jobs; r; r = r->next)
		uv_unref((uv_handle_t *)&r->job_done);
}

enum err coordinator_end(struct coordinator *c)
{
	enum err e = c->result == ERR_OK ? ERR_OK : err_set(c->result, "%s", c->why);

	for (struct running *r = c->jobs; r; r = r->next)
		if (r->thread_started) {
			forget_states(c);
			daemon_leave(e);
		}
	dashboard_close(c->dashboard);
	conn_host_free(c->host);
	uv_close((uv_handle_t *)&c->last_timer, NULL);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	uv_loop_close(&c->loop);
	while (c->jobs)
		running_free(c->jobs);
	wipe(&c->numbering, sizeof(c->numbering));
	return e;
}

/* -- start ---------------------------------------------------------------------------------- */

enum err coordinator_check(const struct coordinator_config *config)
{
	const struct identity_files *p = &config->common.identity;
	struct numbering unused;

	TRY(identity_check(p->certificate, p->key, p->passphrase, config->common.name));
	TRY(numbering_read(&unused, config->common.numbering_key));
	wipe(&unused, sizeof(unused));
	return tls_check(TLS_SERVER, p);
}

static enum err coordinator_check_again(void *coordinator)
{
	return coordinator_check(((struct coordinator *)coordinator)->config);
}

static void coordinator_update_dashboard(void *coordinator)
{
	struct coordinator *c = coordinator;

	struct link_state link;

	live_alive(WATCH_WITHIN_S);
	for (size_t l = 0; l < c->L; l++) {
		if (!c->slot[l].channel)
			continue;
		channel_link(c->slot[l].channel, &link);
		live_link(&link);
	}
	dashboard_look(c->dashboard);
	hook_look();
}

static void coordinator_reload(void *coordinator)
{
	daemon_reload_level(&((struct coordinator *)coordinator)->config->common);
}

enum err coordinator_init(struct coordinator *c)
{
	int status = uv_loop_init(&c->loop);

	if (status < 0)
		return err_set(ERR_INTERNAL, "no event loop can be made: %s", uv_strerror(status));
	c->L = c->config->parties.count;
	for (size_t l = 0; l < c->L; l++)
		c->slot[l].name = c->config->parties.item[l];
	watch_init(&c->watch, &c->loop);
	uv_timer_init(&c->loop, &c->linger_timer);
	uv_timer_init(&c->loop, &c->last_timer);
	uv_unref((uv_handle_t *)&c->last_timer);
	c->linger_timer.data = c->last_timer.data = c;
	return ERR_OK;
}

/* Passes the connection to the dashboard after a user has authenticated by certificate at the API
 * endpoint. */
static void on_shown(void *coordinator, int fd, const char *name)
{
	dashboard_add(((struct coordinator *)coordinator)->dashboard, fd, name);
}

enum err coordinator_listen(struct coordinator *c)
{
	const struct coordinator_config *config = c->config;
	struct conn_options o = { .files = config->common.identity };
	bool api = c->queue && config->api.listen;

	TRY(numbering_read(&c->numbering, config->common.numbering_key));
	TRY(conn_host_new(&c->host, &c->loop, &o));
	TRY(conn_listen(c->host, config->listen.host, config->listen.port, &coordinator_events,
			coordinator_on_accepted, c, &c->listener, c->bound));
	TRY(dashboard_open(&c->dashboard, &config->common, api));
	if (api)
		TRY(front_open(&c->front, c->host, "api.listen", config->api.at.host,
			       config->api.at.port, on_shown, c, c->api_bound));
	/* The loop has not run yet, so the process is confined before it accepts a connection. */
	return confine(&config->common);
}

enum err coordinator_watch(struct coordinator *c, void (*stop)(void *c, const char *why))
{
	struct dashboard_more none = { 0 };

	watch_start(&c->watch, &(struct watch_options){ .name = c->config->common.name,
							.files = &c->config->common.identity,
							.host = c->host,
							.stop = stop,
							.check = coordinator_check_again,
							.reload = coordinator_reload,
							.tick = coordinator_update_dashboard,
							.certificate = live_certificate,
							.expires = hook_certificate,
							.peer = live_peer,
							.lost = hook_party_lost,
							.arg = c });
	TRY(dashboard_start(c->dashboard, c->queue ? &c->queue->shows : &none));
	if (c->front)
		log_info("API endpoint: https://%s/", c->api_bound);
	return ERR_OK;
}

enum err coordinator_log_ready(struct coordinator *c)
{
	const char *path = c->config->ready_file;
	char line[96];

	for (size_t l = 0; l < c->L; l++)
		watch_lost(&c->watch, c->slot[l].name);
	log_info("listening on %s for %zu parties", c->bound, c->L);
	service_status("%s, %zu parties, on %s", c->queue ? "serving" : phase_name[JOINING], c->L,
		       c->bound);
	live_phase(c->queue ? "serving" : phase_name[JOINING]);
	service_ready();
	if (!path)
		return ERR_OK;
	snprintf(line, sizeof(line), "%s\n", c->bound);
	return file_write(path, (struct bytes){ (uint8_t *)line, strlen(line) }, FILE_PUBLIC);
}

/* -- a single job --------------------------------------------------------------------------- */

static void coordinator_on_signal(void *coordinator, const char *why)
{
	struct coordinator *c = coordinator;

	if (c->jobs)
		running_cancel(c->jobs, why);
}

static enum err coordinator_start(struct coordinator *c, struct running *r)
{
	TRY(coordinator_listen(c));
	TRY(running_find(r));
	TRY(coordinator_watch(c, coordinator_on_signal));
	if (r->phase == JOINING) {
		TRY(running_begin_results(r));
		running_await(r);
	}
	return coordinator_log_ready(c);
}

enum err coordinator_run(const struct coordinator_config *config, const struct job *job,
			 bool *before)
{
	struct coordinator *c = alloc(1, sizeof(*c));
	char submitter[ROLES_NAME_MAX + 1];
	struct slot *slot[PARTIES_MAX];
	struct running *r;
	enum err e;

	c->config = config;
	e = coordinator_init(c);
	if (e != ERR_OK) {
		free(c);
		return e;
	}
	roles_name_of(getuid(), submitter);
	for (size_t l = 0; l < c->L; l++)
		slot[l] = &c->slot[l];
	r = running_new(c, job, slot, c->L, submitter, config->common.output);
	e = coordinator_start(c, r);
	if (e != ERR_OK)
		running_close(r, e, err_detail());
	*before = r->phase == TELLING;
	uv_run(&c->loop, UV_RUN_DEFAULT);
	e = coordinator_end(c);
	free(c);
	return e;
}
