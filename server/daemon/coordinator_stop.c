#include "server/daemon/coordinator_own.h"
#include "common/base/log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { CANCEL_GRACE_MS = 300 };

/* The job thread had its time to stop by itself: it computes. The others are told from here, and
 * the process goes without it. */
static void on_cancel_timeout(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	char why[ERR_DETAIL_MAX];
	struct msg m = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };

	snprintf(why, sizeof(why), "%s was stopped", c->config->common.name);
	m.abort.text = (struct bytes){ (const uint8_t *)why, strlen(why) };
	for (size_t l = 0; l < c->L; l++)
		if (c->seat[l].conn)
			conn_send(c->seat[l].conn, &m);
	coordinator_close(c, ERR_CANCELLED, why);
}

static void on_stop(uv_signal_t *signal, int number)
{
	struct coordinator *c = signal->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped (%s)", c->config->common.name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	snprintf(c->stopped, sizeof(c->stopped), "%s", why);
	if (c->phase == JOINING && c->again) {
		coordinator_fail(c, ERR_CANCELLED, why);
	} else if (c->phase == JOINING) {
		coordinator_close(c, ERR_CANCELLED, why);
	} else if (c->phase == TELLING) {
		coordinator_close(c, ERR_OK, NULL);
	} else if (c->phase == RUNNING && !uv_is_active((uv_handle_t *)&c->cancel_timer)) {
		post_cancel(c->post, ERR_CANCELLED, why);
		uv_timer_start(&c->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}

/* Of the configuration, nothing but the log level can change in a process that runs. */
static void reload_level(const struct coordinator_config *config)
{
	struct coordinator_config fresh;

	if (coordinator_config_read(&fresh, config->common.path, config->common.set) != ERR_OK) {
		log_warn("the log level was not reloaded: %s", err_detail());
		return;
	}
	log_set_level(fresh.common.log_level);
	coordinator_config_release(&fresh);
}

static void on_reload(uv_signal_t *signal, int number)
{
	struct coordinator *c = signal->data;

	(void)number;
	if (conn_host_reload(c->host) != ERR_OK)
		log_warn("certificates were not reloaded: %s", err_detail());
	else
		log_info("certificates reloaded");
	reload_level(c->config);
}

void coordinator_watch(struct coordinator *c)
{
	uv_signal_start(&c->on_term, on_stop, SIGTERM);
	uv_signal_start(&c->on_int, on_stop, SIGINT);
	uv_signal_start(&c->on_hup, on_reload, SIGHUP);
}
