/* coordinator.h -- the coordinator's loop thread: who may come in, and the one job they come for.
 *
 * Listens, admits the parties of the roster, starts the job thread when all are there, and takes
 * everything down again: when the job is done, when a signal comes, when somebody does not come.
 *
 * coordinator.c          start, job thread, signals and end
 * coordinator_admit.c    who may come in, at first and when lost in the job; what connections bring
 * coordinator_again.c    an attempt that was cut short, and the next one; a job that was done before
 */
#ifndef SERVER_DAEMON_COORDINATOR_H
#define SERVER_DAEMON_COORDINATOR_H

#include "common/http/window.h"
#include "common/job/daemon.h"
#include "crypto/numbering.h"
#include "proto/watch.h"
#include "server/daemon/attempt.h"
#include "server/run/run.h"

enum {
	COORDINATOR_FILES = 48
}; /* open at once: loop, log, state, strangers; and two connections for each party */

/* Are certificate, key and CA what they must be? As daemon_check() of a party. ERR_INPUT. */
enum err coordinator_check(const struct coordinator_config *config) MUST_CHECK;

/* Runs one job and returns what it ended with; the sentence is err_detail(). *before: nothing was run,
 * for the process before this one had done it and died on its way out. */
enum err coordinator_run(const struct coordinator_config *config, const struct job *job,
			 bool *before) MUST_CHECK;

/* ---- for coordinator*.c only ---- */

enum { CLOSE_TIMEOUT_S = 2 };

#define STRANGER_TIMEOUT_S 0.5 /* to close connections that have not joined */

/* One party of the configuration. */
struct seat {
	const char *name;
	struct conn *conn;       /* NULL: not there */
	struct channel *channel; /* once the job begins */
	bool joined;             /* it was sent WELCOME */
	bool known;              /* it has joined an attempt of this job, with this key: */
	bool knows;              /* it came back and was told that the job is done */
	uint8_t key[HASH_LEN];   /* the fingerprint with which it joined */
	double lost_s;           /* clock_now_s() at which its connection was lost in the job */
	char lost_why[ERR_DETAIL_MAX];
};

/* An accepted connection; arg of its events. */
struct visitor {
	struct visitor *next; /* in the coordinator's list */
	struct coordinator *c;
	struct conn *conn;
	struct seat *seat; /* NULL until TLS has named the party */
};

/* TELLING: the job was done when the process before this one ended. */
enum phase { JOINING, RUNNING, TELLING, CLOSING };

struct coordinator {
	const struct coordinator_config *config;
	uv_loop_t loop;
	struct conn_host *host;
	struct listener *listener;
	struct watch watch;
	struct window *window; /* or NULL */
	uv_timer_t join_timer, cancel_timer, away_timer, state_timer, last_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	enum phase phase;
	size_t L;
	struct seat seat[PARTIES_MAX];
	struct visitor *visitors;
	const char *name[PARTIES_MAX];
	struct channel *channel[PARTIES_MAX];
	struct post *post;
	struct record record;
	struct numbering numbering;
	struct run run;
	bool thread_started;
	unsigned overdue_s; /* since the job was over, while its thread runs */
	bool again;         /* this is not the job's first attempt */
	unsigned linger_ms; /* how long it listens after a failed job, for parties that come again */
	char submitter[MSG_NAME_MAX + 1]; /* whose process this is */
	char *state;        /* the path of server/daemon/attempt.h */
	uint8_t what[HASH_LEN];
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* Nothing else sets it; the log has each change at level debug. */
void coordinator_set_phase(struct coordinator *c, enum phase phase);
/* From here the loop runs only until all connections are flushed and closed. why NULL: the job
 * thread has left it in c->why. */
void coordinator_close(struct coordinator *c, enum err result, const char *why);
void coordinator_refuse(struct conn *conn, uint16_t code, const char *why);
void coordinator_start_job(struct coordinator *c); /* all have joined */

/* ---- coordinator_admit.c ---- */

extern const struct conn_events coordinator_events;
void *coordinator_on_accepted(struct conn *conn, void *arg);
void coordinator_await(struct coordinator *c); /* join_timeout_s or rejoin_s runs from here */

/* ---- coordinator_again.c ---- */

/* The job's number and the attempt's: drawn and 1, or what a coordinator before this one left; phase
 * TELLING if it left a job that is done. */
enum err coordinator_find_job(struct coordinator *c) MUST_CHECK;
void coordinator_keep_state(struct coordinator *c); /* an attempt begins */
/* Is the current attempt over, with another to follow? */
bool coordinator_goes_on(const struct coordinator *c);
void coordinator_begin_again(struct coordinator *c);
/* Refuses a connection that belongs to an attempt that is over; the party dials again. */
void coordinator_send_again(struct visitor *v, struct conn *conn);
/* Not all came for another attempt, or one left: the job has failed. */
void coordinator_fail(struct coordinator *c, enum err code, const char *why);
/* All parties have said that they have results. */
bool coordinator_is_done(const struct coordinator *c);
/* A party of that job has come back, whether its process is the same or another. */
void coordinator_say_done(struct visitor *v, struct conn *conn);

#endif
