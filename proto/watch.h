/* watch.h -- the signals that a daemon's loop obeys: SIGTERM and SIGINT stop it; SIGHUP makes it read
 * its certificates, and the log level of its configuration, again.
 *
 * And a timer, by which systemd hears that the loop lives, and a person (common/job/hook.h) that a peer has been away for
 * away_s, or that the certificate nears its end.
 */
#ifndef PROTO_WATCH_H
#define PROTO_WATCH_H

#include "common/job/daemon.h"
#include "proto/conn.h"
#include "proto/tls.h"

struct watch {
	uv_signal_t term, interrupt, hangup;
	uv_timer_t lists; /* fires when a list of revoked certificates expires, and from then on by the hour */
	char lists_until[TLS_DATE];
	uv_timer_t tick;
	double certificate_s; /* when it was last looked at */
	struct watch_away {
		const char *name; /* borrowed */
		double since_s;
		bool told;
	} away[PARTIES_MAX + 1];
	size_t aways;
	const struct daemon_common *common;
	struct conn_host *host;
	enum err (*check)(void *arg);
	void (*stop)(void *arg, const char *why);
	void (*look)(void *arg); /* or NULL */
	void *arg;
	char stopped[128]; /* "bank-a was stopped (SIGTERM)", once it was; otherwise "" */
};

void watch_init(struct watch *w, uv_loop_t *loop); /* makes the handles */
/* stop is called at each SIGTERM and SIGINT, with w->stopped; check before certificates are read again: what it
 * refuses is not taken. common and host are borrowed. */
void watch_start(struct watch *w, const struct daemon_common *common, struct conn_host *host,
		 void (*stop)(void *arg, const char *why), enum err (*check)(void *arg), void *arg);
/* From now on twice a second: look(arg), for who looks on from outside (common/job/live.h). */
void watch_look(struct watch *w, void (*look)(void *arg));
/* Somebody who ought to be there is not, or is there again; either may be said twice. name: as a person knows it. */
void watch_away(struct watch *w, const char *name);
void watch_back(struct watch *w, const char *name);
void watch_close(struct watch *w); /* from here on these signals are ignored */

#endif
