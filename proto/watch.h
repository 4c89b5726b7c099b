/* watch.h -- signals of a daemon's loop. SIGTERM and SIGINT stop it. SIGHUP makes it reload its
 * certificates and the log level of its configuration.
 *
 * A timer reports to systemd that the loop runs. It reports to the daemon that a peer has been away
 * for WATCH_LOST_S, or that the certificate expires soon.
 */
#ifndef PROTO_WATCH_H
#define PROTO_WATCH_H

#include "common/base/identity.h"
#include "proto/conn.h"
#include "proto/tls.h"

enum {
	WATCH_WITHIN_S = 2, /* longest interval between calls of conn_tick() */
	WATCH_LOST_S = 600  /* a peer's longer absence is an event */
};

/* The watched objects, and functions of the daemon, called on the loop thread. All are borrowed;
 * none is NULL. */
struct watch_options {
	const char *name; /* the daemon's */
	const struct identity_files *files;
	struct conn_host *host;
	/* Called at each SIGTERM and SIGINT; why: as watch.stopped. */
	void (*stop)(void *arg, const char *why);
	/* Called at SIGHUP; if it fails, the old certificates stay in use. */
	enum err (*check)(void *arg);
	void (*reload)(void *arg); /* called at SIGHUP: reloads other settings that can change */
	void (*tick)(void *arg);
	void (*certificate)(time_t until);
	void (*expires)(int days, const char *why); /* in the certificate's last 21 days, daily */
	void (*peer)(const char *name, bool there); /* called when it came or left */
	void (*lost)(const char *why);              /* called once after WATCH_LOST_S */
	void *arg;
};

struct watch {
	uv_signal_t term, interrupt, hangup;
	/* fires when a list of revoked certificates expires, and hourly from then on */
	uv_timer_t lists;
	char lists_until[TLS_DATE];
	uv_timer_t tick;
	double certificate_s; /* time of its last check */
	struct watch_lost {
		const char *name; /* borrowed */
		double since_s;
		bool told;
	} lost[PARTIES_MAX + 1];
	size_t lost_count;
	struct watch_options options;
	char stopped[128]; /* "bank-a was stopped (SIGTERM)", once it was; otherwise "" */
};

void watch_init(struct watch *w, uv_loop_t *loop); /* makes the handles */
void watch_start(struct watch *w, const struct watch_options *o);
/* Reports that an expected peer is away, or is back; repeated calls have no effect. name: as users
 * know it. */
void watch_lost(struct watch *w, const char *name);
void watch_back(struct watch *w, const char *name);
void watch_close(struct watch *w); /* from here on these signals are ignored */

#endif
