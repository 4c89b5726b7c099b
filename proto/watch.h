/* watch.h -- signals of a daemon's loop. SIGTERM and SIGINT stop it. SIGHUP makes it reload its
 * certificates and the log level of its configuration.
 *
 * A timer reports to systemd that the loop runs. It reports to the daemon if a peer has been absent
 * for WATCH_LOST_S, or if the certificate expires soon.
 */
#ifndef PROTO_WATCH_H
#define PROTO_WATCH_H

#include "common/base/identity.h"
#include "proto/conn.h"
#include "proto/tls.h"

enum {
	WATCH_WITHIN_S = 2, /* longest interval between calls of watch_options.tick */
	WATCH_LOST_S = 600  /* a peer's absence of this duration is reported */
};

/* Objects to watch, and functions of the daemon that are called on the loop thread. All are
 * borrowed, and none is NULL. */
struct watch_options {
	const char *name; /* name of the daemon */
	const struct identity_files *files;
	struct conn_host *host;
	/* Called at each SIGTERM and SIGINT. why: as watch.stopped. */
	void (*stop)(void *arg, const char *why);
	/* Called at SIGHUP to check the files. If it fails, the old certificates stay in use. */
	enum err (*check)(void *arg);
	void (*reload)(void *arg); /* called at SIGHUP after `check`, also if that failed */
	void (*tick)(void *arg);
	void (*certificate)(time_t until);
	/* Called at start, at SIGHUP and daily, if the certificate is in its last 21 days or has
	 * expired. */
	void (*expires)(int days, const char *why);
	void (*peer)(const char *name, bool there); /* called when a peer has connected or left */
	/* Called once when a peer has been absent for WATCH_LOST_S. */
	void (*lost)(const char *why);
	void *arg;
};

struct watch {
	uv_signal_t term, interrupt, hangup;
	/* fires when a list of revoked certificates expires, and hourly from then on */
	uv_timer_t lists;
	char lists_until[TLS_DATE];
	uv_timer_t tick;
	double certificate_s; /* time when the certificate was last checked */
	struct watch_lost {
		const char *name; /* borrowed */
		double since_s;
		bool told;
	} lost[PARTIES_MAX + 1];
	size_t lost_count;
	struct watch_options options;
	char stopped[128]; /* "bank-a was stopped (SIGTERM)" after such a signal, otherwise "" */
};

void watch_init(struct watch *w, uv_loop_t *loop); /* initialises the handles */
void watch_start(struct watch *w, const struct watch_options *o);
/* Report to options.peer that an expected peer is absent or has returned. The absence counts from
 * the first call of watch_lost() since watch_back(). name: the peer's name for users; borrowed. */
void watch_lost(struct watch *w, const char *name);
void watch_back(struct watch *w, const char *name);
void watch_close(struct watch *w); /* SIGTERM, SIGINT and SIGHUP are ignored from here on */

#endif
