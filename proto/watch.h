/* watch.h -- the signals that a daemon's loop obeys: SIGTERM and SIGINT stop it; SIGHUP makes it read
 * its certificates, and the log level of its configuration, again.
 */
#ifndef PROTO_WATCH_H
#define PROTO_WATCH_H

#include "common/job/daemon.h"
#include "proto/conn.h"

struct watch {
	uv_signal_t term, interrupt, hangup;
	const struct daemon_common *common;
	struct conn_host *host;
	enum err (*check)(void *arg);
	void (*stop)(void *arg, const char *why);
	void *arg;
	char stopped[128]; /* "bank-a was stopped (SIGTERM)", once it was; otherwise "" */
};

void watch_init(struct watch *w, uv_loop_t *loop); /* makes the handles */
/* stop is called at each SIGTERM and SIGINT, with w->stopped; check before certificates are read again: what it
 * refuses is not taken. common and host are borrowed. */
void watch_start(struct watch *w, const struct daemon_common *common, struct conn_host *host,
		 void (*stop)(void *arg, const char *why), enum err (*check)(void *arg), void *arg);
void watch_close(struct watch *w); /* from here on these signals are ignored */

#endif
