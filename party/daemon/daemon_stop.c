#include "party/daemon/daemon_own.h"
#include "common/base/log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { CANCEL_GRACE_MS = 300 };

static void on_cancel_timeout(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	char why[ERR_DETAIL_MAX];
	struct msg m = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };

	snprintf(why, sizeof(why), "%s was stopped", d->config->common.name);
	m.abort.text = (struct bytes){ (const uint8_t *)why, strlen(why) };
	if (d->conn)
		conn_send(d->conn, &m);
	d->abandoned = true;
	daemon_close(d, ERR_CANCELLED, why);
}

static void on_stop(uv_signal_t *signal, int number)
{
	struct daemon *d = signal->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped (%s)", d->config->common.name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	snprintf(d->stopped, sizeof(d->stopped), "%s", why);
	if (!d->thread_started || !d->work.offered) {
		if (d->post)
			post_cancel(d->post, ERR_CANCELLED, why);
		if (d->awaiting) {
			daemon_fail_waiting(d, ERR_CANCELLED, why, true);
			return;
		}
		log_info("stopped while idle");
		daemon_close(d, ERR_OK, "");
	} else if (!uv_is_active((uv_handle_t *)&d->cancel_timer)) {
		d->options.once = true; /* whatever becomes of this job, it is the last */
		post_cancel(d->post, ERR_CANCELLED, why);
		uv_timer_start(&d->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}

/* Of the configuration, nothing but the log level can change in a process that runs. */
static void reload_level(const struct party_config *config)
{
	struct party_config fresh;

	if (party_config_read(&fresh, config->common.path, config->common.set) != ERR_OK) {
		log_warn("the log level was not reloaded: %s", err_detail());
		return;
	}
	log_set_level(fresh.common.log_level);
	party_config_release(&fresh);
}

static void on_reload(uv_signal_t *signal, int number)
{
	struct daemon *d = signal->data;

	(void)number;
	if (conn_host_reload(d->host) != ERR_OK)
		log_warn("certificates were not reloaded: %s", err_detail());
	else
		log_info("certificates reloaded");
	reload_level(d->config);
}

void daemon_watch(struct daemon *d)
{
	uv_signal_start(&d->on_term, on_stop, SIGTERM);
	uv_signal_start(&d->on_int, on_stop, SIGINT);
	uv_signal_start(&d->on_hup, on_reload, SIGHUP);
}
