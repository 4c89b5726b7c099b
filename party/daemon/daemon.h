/* daemon.h -- a party's loop thread: dials the coordinator and serves its jobs until stopped.
 *
 * - daemon.c: start, job thread, interrupted attempts, signals and end
 * - daemon_dial.c: dialling, also after a lost connection; messages of the connection */
#ifndef PARTY_DAEMON_DAEMON_H
#define PARTY_DAEMON_DAEMON_H

#include "common/http/dashboard.h"
#include "crypto/hash.h"
#include "crypto/numbering.h"
#include "party/daemon/api.h"
#include "party/daemon/data.h"
#include "party/daemon/job.h"
#include "party/daemon/psks.h"
#include "party/daemon/status.h"
#include "proto/backoff.h"
#include "proto/watch.h"

enum { PARTY_FILES = 48 };

struct daemon_options {
	/* The only job that is accepted; NULL: the policy alone decides. */
	const struct job *agreed;
	bool once;
};

/* Checks certificate, key and CA. They must be readable by this user, and the key by no other user.
 * They must match each other and the configured name, have the right purpose, and be valid today.
 * Checks the files of other secrets and those of api.listen, too, and opens no other file.
 * ERR_INPUT: a check fails. */
enum err daemon_check(const struct party_config *config) MUST_CHECK;

/* Serves jobs. ERR_OK: the process was stopped while idle, or the single job is done. Errors: the
 * job failed or was cancelled, a file is invalid, or the coordinator could not be reached;
 * err_detail() has the text. */
enum err daemon_run(const struct party_config *config, const struct daemon_options *o) MUST_CHECK;

/* -- for daemon*.c only --------------------------------------------------------------------- */

enum { CLOSE_TIMEOUT_S = 2, RETRY_FIRST_MS = 50 };

enum phase {
	RESTING, /* waits until it dials again */
	DIALLING,
	SERVING,
	RETURNING, /* the connection was lost during a job; dials until it is restored */
	HANGING_UP,
	CLOSING,
};

struct daemon {
	const struct party_config *config;
	struct daemon_options options;
	uv_loop_t loop;
	struct conn_host *host;
	struct conn *conn;
	struct watch watch;
	struct dashboard *dashboard; /* NULL: there is none */
	struct party_api *api;       /* NULL: there is none */
	struct party_status *status;
	uv_timer_t retry_timer, cancel_timer, again_timer, last_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	enum phase phase;
	unsigned retry_ms;
	double dialling_since_s; /* time when this series of attempts to dial began */
	/* Time when the log last reported that the coordinator answered, but one side rejected the
	 * other; 0: not since the last WELCOME. */
	double complained_s;
	double heartbeat_s;     /* value agreed with the coordinator */
	struct backoff backoff; /* used while RETURNING */
	/* Why the connection was lost, or why the last attempt to dial failed. */
	char lost_why[ERR_DETAIL_MAX];
	struct identity *identity;
	struct numbering numbering;
	struct psks *psks;
	struct served *served;
	struct declines declines;
	struct party_data data;
	/* The next members, except those of pruning, are about the attempt that is awaited or under
	 * way. The attempt may use several connections. */
	struct mailbox *mailbox;
	struct channel *channel;
	struct record record;
	struct work work;
	struct job_means means;
	bool thread_started;
	unsigned overdue_s; /* seconds since the job ended, while its thread still runs */
	bool abandoned;
	uv_work_t pruning;
	bool prunes;
	double pruned_s;
	enum err job_result;
	char job_why[ERR_DETAIL_MAX];
	/* The next members are about the interrupted attempt, while the next attempt is awaited. */
	bool awaiting, graced;
	struct job_awaited awaited;
	struct record past;
	char *past_output;
	char cause[ERR_DETAIL_MAX];
	/* The next two members are the result of the process. */
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* Sets the phase, and logs each change at level debug. No other function sets the phase. */
void daemon_set_phase(struct daemon *d, enum phase phase);
void daemon_close(struct daemon *d, enum err result, const char *why);
enum err daemon_start_job(struct daemon *d) MUST_CHECK;
/* Fails the interrupted job with `code` and this thread's error text, because no further attempt
 * will be offered. Ends the process if `stop` is true, or if this job was its only one. */
void daemon_fail_waiting(struct daemon *d, enum err code, bool stop);

/* -- daemon_dial.c -------------------------------------------------------------------------- */

void daemon_dial(struct daemon *d);
/* Dials again after a pause. After retry_s of dialling in vain, closes the daemon with `code`
 * instead (ERR_PEER if it is ERR_OK), unless retry_s is 0 or the party awaits another attempt at a
 * job. */
void daemon_rest(struct daemon *d, enum err code, const char *why);

#endif
