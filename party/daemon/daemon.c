#include "party/daemon/daemon_own.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/job/confine.h"
#include "common/job/startup.h"
#include "crypto/sign.h"
#include "proto/tls.h"

#include <stdio.h>
#include <stdlib.h>

#define CANCEL_TIMEOUT_S 1.0

void daemon_set_phase(struct daemon *d, enum phase phase)
{
	static const char *const name[] = {
		[RESTING] = "resting",     [DIALLING] = "dialling",     [SERVING] = "serving",
		[RETURNING] = "returning", [HANGING_UP] = "hanging up", [CLOSING] = "closing"
	};

	log_debug("from %s to %s", name[d->phase], name[phase]);
	d->phase = phase;
}

/* ---- the end ---- */

static void close_handle(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

void daemon_close(struct daemon *d, enum err result, const char *why)
{
	if (d->phase == CLOSING)
		return;
	daemon_set_phase(d, CLOSING);
	d->result = result;
	snprintf(d->why, sizeof(d->why), "%s", why);
	if (d->conn)
		conn_close(d->conn, ERR_OK, NULL,
			   result == ERR_CANCELLED ? CANCEL_TIMEOUT_S : CLOSE_TIMEOUT_S);
	watch_close(&d->watch);
	close_handle((uv_handle_t *)&d->retry_timer);
	close_handle((uv_handle_t *)&d->cancel_timer);
	close_handle((uv_handle_t *)&d->again_timer);
	/* A job thread that was cancelled is waited for; one that computes on is left to itself. */
	if (!d->thread_started || d->abandoned)
		uv_unref((uv_handle_t *)&d->job_done);
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
	watch_init(&d->watch, &d->loop);
	uv_timer_init(&d->loop, &d->retry_timer);
	uv_timer_init(&d->loop, &d->cancel_timer);
	uv_timer_init(&d->loop, &d->again_timer);
	uv_async_init(&d->loop, &d->job_done, daemon_on_job_done);
	d->retry_timer.data = d->cancel_timer.data = d->again_timer.data = d->job_done.data = d;
}

static enum err check_again(void *daemon)
{
	return daemon_check(((struct daemon *)daemon)->config);
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
	TRY(confine(c)); /* before data too, whose files may come from anywhere */
	watch_start(&d->watch, c, d->host, daemon_stop, check_again, d);
	/* Read at each offer. Here it is tried, so that whoever starts a party hears at once what
	 * is wrong. */
	TRY(party_data_bring(&d->data, d->config));
	if (!d->options.once)
		party_data_release(&d->data);
	log_info("dialling %s", d->config->coordinator_text);
	daemon_dial(d);
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
	if (e != ERR_OK)
		daemon_close(d, e, err_detail());
	uv_run(&d->loop, UV_RUN_DEFAULT);
	e = d->result == ERR_OK ? ERR_OK : err_set(d->result, "%s", d->why);
	if (d->thread_started)
		daemon_leave(e);
	if (d->post)
		daemon_end_job(d);
	conn_host_free(d->host);
	uv_close((uv_handle_t *)&d->job_done, NULL);
	uv_run(&d->loop, UV_RUN_DEFAULT);
	uv_loop_close(&d->loop);
	party_data_release(&d->data);
	identity_free(d->identity);
	daemon_stop_waiting(d);
	free(d);
	return e;
}
