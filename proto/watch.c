#include "proto/watch.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/service.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "proto/tls.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { TICK_MS = 2000, LOOK_MS = 500, DAY_S = 86400 };

static void on_stop(uv_signal_t *signal, int number)
{
	struct watch *w = signal->data;

	snprintf(w->stopped, sizeof(w->stopped), "%s was stopped (%s)", w->common->name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	w->stop(w->arg, w->stopped);
}

enum { REMIND_MS = 3600 * 1000 };

/* From here on no handshake succeeds: who is refused is told little, so it is said here. */
static void on_expired(uv_timer_t *timer)
{
	const struct watch *w = timer->data;

	log_error("%s: a list of revoked certificates in it expired on %s: nobody is let in before "
		  "the CA's next one is there, and SIGHUP was sent",
		  w->common->identity.crl, w->lists_until);
}

static void say_expiry(struct watch *w)
{
	const char *path = w->common->identity.certificate;
	char date[TLS_DATE];
	int64_t seconds;
	time_t until;
	int days;

	uv_timer_stop(&w->lists);
	if (w->common->identity.crl &&
	    tls_lists_expire(w->common->identity.crl, &seconds, w->lists_until))
		uv_timer_start(&w->lists, on_expired,
			       seconds < 0 ? 0 : ((uint64_t)seconds + 1) * 1000, REMIND_MS);
	w->certificate_s = clock_now_s();
	if (tls_ends(path, &until) == ERR_OK)
		live_certificate(until);
	if (!tls_expires_soon(path, &days, date))
		return;
	err_set(ERR_INPUT,
		"%s: this certificate expires in %d days, on %s: have it renewed, and send SIGHUP",
		path, days, date);
	log_warn("%s", err_detail());
	if (days <= HOOK_CERTIFICATE_DAYS)
		hook_raise(HOOK_CERTIFICATE, "", "%s", err_detail());
}

static void on_tick(uv_timer_t *timer)
{
	struct watch *w = timer->data;
	double now_s = clock_now_s(), limit_s = w->common->away_s;

	log_flush();
	service_alive();
	live_alive(TICK_MS / 1000);
	if (w->look)
		w->look(w->arg);
	hook_look();
	if (now_s - w->certificate_s > DAY_S)
		say_expiry(w);
	for (size_t i = 0; i < w->aways; i++) {
		struct watch_away *a = &w->away[i];

		if (a->told || limit_s <= 0 || now_s - a->since_s < limit_s)
			continue;
		a->told = true;
		log_warn("%s has been away for %.0f s", a->name, now_s - a->since_s);
		hook_raise(HOOK_AWAY, "", "%s has been away for %.0f s", a->name,
			   now_s - a->since_s);
	}
}

static struct watch_away *find_away(struct watch *w, const char *name)
{
	for (size_t i = 0; i < w->aways; i++)
		if (!strcmp(w->away[i].name, name))
			return &w->away[i];
	return NULL;
}

void watch_away(struct watch *w, const char *name)
{
	live_peer(name, false);
	if (!find_away(w, name) && w->aways < sizeof(w->away) / sizeof(*w->away))
		w->away[w->aways++] = (struct watch_away){ .name = name, .since_s = clock_now_s() };
}

void watch_back(struct watch *w, const char *name)
{
	struct watch_away *a = find_away(w, name);

	live_peer(name, true);
	if (!a)
		return;
	if (a->told)
		log_info("%s is there again", name);
	*a = w->away[--w->aways];
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
	uv_timer_init(loop, &w->lists);
	w->lists.data = w;
	uv_timer_init(loop, &w->tick);
	uv_unref((uv_handle_t *)&w->tick);
	w->tick.data = w;
	w->term.data = w->interrupt.data = w->hangup.data = w;
}

void watch_start(struct watch *w, const struct daemon_common *common, struct conn_host *host,
		 void (*stop)(void *arg, const char *why), enum err (*check)(void *arg), void *arg)
{
	uint64_t period_ms;

	w->common = common;
	w->host = host;
	w->check = check;
	w->stop = stop;
	w->arg = arg;
	uv_signal_start(&w->term, on_stop, SIGTERM);
	uv_signal_start(&w->interrupt, on_stop, SIGINT);
	uv_signal_start(&w->hangup, on_reload, SIGHUP);
	period_ms = TICK_MS;
	if (service_watchdog_ms() && service_watchdog_ms() < period_ms)
		period_ms = service_watchdog_ms();
	uv_timer_start(&w->tick, on_tick, period_ms, period_ms);
	say_expiry(w);
}

void watch_look(struct watch *w, void (*look)(void *arg))
{
	w->look = look;
	uv_timer_start(&w->tick, on_tick, LOOK_MS, LOOK_MS);
}

void watch_close(struct watch *w)
{
	uv_close((uv_handle_t *)&w->term, NULL);
	uv_close((uv_handle_t *)&w->interrupt, NULL);
	uv_close((uv_handle_t *)&w->hangup, NULL);
	uv_close((uv_handle_t *)&w->lists, NULL);
	uv_close((uv_handle_t *)&w->tick, NULL);
	service_stopping();
	/* The end has begun, and is bounded: a second signal must not cut it short. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}
