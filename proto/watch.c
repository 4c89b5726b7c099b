#include "proto/watch.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/service.h"
#include "proto/tls.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { TICK_MS = 500, DAY_S = 86400 };

static void watch_on_stop(uv_signal_t *signal, int number)
{
	struct watch *w = signal->data;

	snprintf(w->stopped, sizeof(w->stopped), "%s was stopped (%s)", w->options.name,
		 number == SIGINT ? "SIGINT" : "SIGTERM");
	w->options.stop(w->options.arg, w->stopped);
}

enum { REMIND_MS = 3600 * 1000 };

/* Called when a list of revoked certificates has expired, and hourly from then on. All handshakes
 * now fail, and refused peers do not learn the cause. */
static void on_expired(uv_timer_t *timer)
{
	const struct watch *w = timer->data;

	log_error("%s: a list of revoked certificates in it expired on %s: the daemon refuses "
		  "connections until you install the CA's next list and send SIGHUP",
		  w->options.files->crl, w->lists_until);
}

static void log_expiry(struct watch *w)
{
	const char *path = w->options.files->certificate, *crl = w->options.files->crl;
	char date[TLS_DATE];
	int64_t seconds;
	time_t until;
	int days;

	uv_timer_stop(&w->lists);
	if (crl && tls_lists_expire(crl, &seconds, w->lists_until))
		uv_timer_start(&w->lists, on_expired,
			       seconds < 0 ? 0 : ((uint64_t)seconds + 1) * 1000, REMIND_MS);
	w->certificate_s = clock_now_s();
	if (tls_ends(path, &until) == ERR_OK)
		w->options.certificate(until);
	if (!tls_expires_soon(path, &days, date))
		return;
	err_set(ERR_INPUT,
		"%s: this certificate expires in %d days, on %s: have it renewed, and send SIGHUP",
		path, days, date);
	log_warn("%s", err_detail());
	w->options.expires(days, err_detail());
}

static void watch_on_tick(uv_timer_t *timer)
{
	struct watch *w = timer->data;
	double now_s = clock_now_s();
	char why[ERR_DETAIL_MAX];

	log_flush();
	service_alive();
	w->options.tick(w->options.arg);
	if (now_s - w->certificate_s > DAY_S)
		log_expiry(w);
	for (size_t i = 0; i < w->lost_count; i++) {
		struct watch_lost *a = &w->lost[i];

		if (a->told || now_s - a->since_s < WATCH_LOST_S)
			continue;
		a->told = true;
		snprintf(why, sizeof(why), "%s has been disconnected for %.0f s", a->name,
			 now_s - a->since_s);
		log_warn("%s", why);
		w->options.lost(why);
	}
}

static struct watch_lost *find_lost(struct watch *w, const char *name)
{
	for (size_t i = 0; i < w->lost_count; i++)
		if (!strcmp(w->lost[i].name, name))
			return &w->lost[i];
	return NULL;
}

void watch_lost(struct watch *w, const char *name)
{
	w->options.peer(name, false);
	if (!find_lost(w, name) && w->lost_count < sizeof(w->lost) / sizeof(*w->lost))
		w->lost[w->lost_count++] =
		    (struct watch_lost){ .name = name, .since_s = clock_now_s() };
}

void watch_back(struct watch *w, const char *name)
{
	struct watch_lost *a = find_lost(w, name);

	w->options.peer(name, true);
	if (!a)
		return;
	if (a->told)
		log_info("%s is connected again", name);
	*a = w->lost[--w->lost_count];
}

static void on_reload(uv_signal_t *signal, int number)
{
	struct watch *w = signal->data;

	(void)number;
	if (w->options.check(w->options.arg) != ERR_OK ||
	    conn_host_reload(w->options.host) != ERR_OK)
		log_error("certificates were not reloaded, the previous ones stay in use: %s",
			  err_detail());
	else
		log_info("certificates reloaded");
	w->options.reload(w->options.arg);
	log_expiry(w);
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

void watch_start(struct watch *w, const struct watch_options *o)
{
	uint64_t period_ms = TICK_MS;

	w->options = *o;
	uv_signal_start(&w->term, watch_on_stop, SIGTERM);
	uv_signal_start(&w->interrupt, watch_on_stop, SIGINT);
	uv_signal_start(&w->hangup, on_reload, SIGHUP);
	if (service_watchdog_ms() && service_watchdog_ms() < period_ms)
		period_ms = service_watchdog_ms();
	uv_timer_start(&w->tick, watch_on_tick, period_ms, period_ms);
	log_expiry(w);
}

void watch_close(struct watch *w)
{
	uv_close((uv_handle_t *)&w->term, NULL);
	uv_close((uv_handle_t *)&w->interrupt, NULL);
	uv_close((uv_handle_t *)&w->hangup, NULL);
	uv_close((uv_handle_t *)&w->lists, NULL);
	uv_close((uv_handle_t *)&w->tick, NULL);
	service_stopping();
	/* Stopping has begun, and its duration is limited. A second signal must not shorten it. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}
