/* daemon.h -- a party's loop thread: dial the coordinator, serve its jobs, until stopped.
 *
 * daemon.c        start, job thread, attempts that are cut short, signals and end
 * daemon_dial.c   dialling, also when a connection was lost; what comes from the connection
 */
#ifndef PARTY_DAEMON_DAEMON_H
#define PARTY_DAEMON_DAEMON_H

#include "common/http/window.h"
#include "crypto/hash.h"
#include "crypto/numbering.h"
#include "party/daemon/data.h"
#include "party/daemon/job.h"
#include "party/daemon/psks.h"
#include "party/daemon/status.h"
#include "proto/backoff.h"
#include "proto/watch.h"

enum { PARTY_FILES = 48 }; /* open at once: loop, data, ledger, connection, log */

struct daemon_options {
	const struct job *agreed; /* any other job is declined; NULL: the policy alone decides */
	bool once;                /* end after one job, with its result */
};

/* Are certificate, key and CA what they must be: readable by us, the key by nobody else, fitting
 * each other and the configured name, of the right purpose, valid today? And the files of other secrets?
 * ERR_INPUT. Opens nothing else. */
enum err daemon_check(const struct party_config *config) MUST_CHECK;

/* ERR_OK: stopped while idle, or the one job is done. Otherwise what the job, or reaching the
 * coordinator, ended with; the sentence is err_detail(). */
enum err daemon_run(const struct party_config *config, const struct daemon_options *o) MUST_CHECK;

/* ---- for daemon*.c only ---- */

enum { CLOSE_TIMEOUT_S = 2, RETRY_FIRST_MS = 50 };

enum phase {
	RESTING,    /* until the time to dial again */
	DIALLING,   /* until WELCOME or REFUSED */
	SERVING,    /* until the job thread ends */
	RETURNING,  /* the connection was lost in a job: dials until it stands again */
	HANGING_UP, /* until the connection has closed */
	CLOSING,    /* until all handles have closed */
};

struct daemon {
	const struct party_config *config;
	struct daemon_options options;
	uv_loop_t loop;
	struct conn_host *host;
	struct conn *conn;
	struct watch watch;
	struct window *window; /* or NULL */
	struct party_status *status;
	uv_timer_t retry_timer, cancel_timer, again_timer, last_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	enum phase phase;
	unsigned retry_ms;
	double dialling_since_s;       /* of this row of attempts */
	double complained_s;           /* when the log was last told that the coordinator is not reached */
	double heartbeat_s;            /* as agreed with the coordinator */
	struct backoff backoff;        /* while RETURNING */
	char lost_why[ERR_DETAIL_MAX]; /* of the connection, or why dialling failed since */
	struct identity *identity;
	struct numbering numbering;
	struct psks *psks;
	struct served *served;
	struct declines declines;
	struct party_data data;
	/* the attempt at a job that is awaited or under way, over one connection or several */
	struct post *post;
	struct channel *channel;
	struct record record;
	struct work work;
	struct job_means means;
	bool thread_started;
	unsigned overdue_s; /* since the job was over, while its thread runs */
	bool abandoned;    /* the process ends while the job thread computes */
	uv_work_t pruning; /* of old results, between jobs */
	bool prunes;
	double pruned_s; /* when it last began */
	enum err job_result;
	char job_why[ERR_DETAIL_MAX];
	/* the attempt that was cut short, while the next one is awaited */
	bool awaiting, graced;
	struct job_awaited awaited;
	struct record past; /* what it left */
	char *past_output;
	char cause[ERR_DETAIL_MAX];
	/* the process's end */
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* Nothing else sets it; the log has each change at level debug. */
void daemon_set_phase(struct daemon *d, enum phase phase);
void daemon_close(struct daemon *d, enum err result, const char *why);
enum err daemon_start_job(struct daemon *d) MUST_CHECK;
/* The next attempt will not come: the job has failed with this thread's current error. Ends the
 * process where the job was its only one, or stop. */
void daemon_fail_waiting(struct daemon *d, enum err code, bool stop);
/* "<why>; attempt 1 ended: ..." */
enum err daemon_add_cause(const struct daemon *d, enum err code, const char *why);

/* ---- daemon_dial.c ---- */

void daemon_dial(struct daemon *d);
/* Dials again after a while, for up to retry_s in a row. */
void daemon_rest(struct daemon *d, enum err code, const char *why);

#endif
