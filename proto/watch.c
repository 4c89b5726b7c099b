#include "proto/watch.h"
#include "common/base/log.h"
#include "proto/tls.h"

#include <signal.h>
#include <stdio.h>

static void on_stop(uv_signal_t *signal, int number)
{
	struct watch *w = signal->data;

	snprintf(w->stopped, sizeof(w->stopped), "%s was stopped (%s)", w->common->name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	w->stop(w->arg, w->stopped);
}

static void say_expiry(const struct watch *w)
{
	const char *path = w->common->identity.certificate;
	char date[40];
	int days;

	if (tls_expires_soon(path, &days, date))
		log_warn(
		    "%s: this certificate expires in %d days, on %s: have it renewed, and send "
		    "SIGHUP",
		    path, days, date);
}

/* Of the configuration, nothing but the log level can change in a process that runs. */
static void on_reload(uv_signal_t *signal, int number)
{
	struct watch *w = signal->data;
	enum log_level level;

	(void)number;
	if (w->check(w->arg) != ERR_OK || conn_host_reload(w->host) != ERR_OK)
		log_error("certificates were not reloaded, those of before stay in use: %s",
			  err_detail());
	else
		log_info("certificates reloaded");
	if (daemon_read_level(w->common, &level) != ERR_OK)
		log_warn("the log level was not reloaded: %s", err_detail());
	else
		log_set_level(level);
	say_expiry(w);
}

void watch_init(struct watch *w, uv_loop_t *loop)
{
	uv_signal_init(loop, &w->term);
	uv_signal_init(loop, &w->interrupt);
	uv_signal_init(loop, &w->hangup);
	w->term.data = w->interrupt.data = w->hangup.data = w;
}

void watch_start(struct watch *w, const struct daemon_common *common, struct conn_host *host,
		 void (*stop)(void *arg, const char *why), enum err (*check)(void *arg), void *arg)
{
	w->common = common;
	w->host = host;
	w->check = check;
	w->stop = stop;
	w->arg = arg;
	uv_signal_start(&w->term, on_stop, SIGTERM);
	uv_signal_start(&w->interrupt, on_stop, SIGINT);
	uv_signal_start(&w->hangup, on_reload, SIGHUP);
	say_expiry(w);
}

void watch_close(struct watch *w)
{
	uv_close((uv_handle_t *)&w->term, NULL);
	uv_close((uv_handle_t *)&w->interrupt, NULL);
	uv_close((uv_handle_t *)&w->hangup, NULL);
	/* The end has begun, and is bounded: a second signal must not cut it short. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}
