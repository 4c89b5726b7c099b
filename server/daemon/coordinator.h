/* coordinator.h -- the coordinator's loop thread: admission of parties, and jobs.
 *
 * The coordinator listens, and keeps a slot for each party of its configuration. A job borrows the
 * slots of its parties until it is over. coordinator_run() runs one job, and the process ends with
 * this job. With a queue, jobs follow each other, and run concurrently if they share no party.
 *
 * - coordinator.c: the process: listening, signals, the end; the one job of coordinator_run
 * - coordinator_admit.c: admission, initially and after a lost connection; messages of connections
 * - running.c: a job: its start, its thread, its end
 * - coordinator_again.c: an interrupted attempt, and the next one; a job that was already done */
#ifndef SERVER_DAEMON_COORDINATOR_H
#define SERVER_DAEMON_COORDINATOR_H

#include "common/http/dashboard.h"
#include "common/job/daemon.h"
#include "crypto/numbering.h"
#include "proto/front.h"
#include "proto/watch.h"
#include "server/daemon/attempt.h"
#include "server/run/run.h"

/* Descriptors that the process opens for loop, log, state and unauthenticated connections. In
 * addition it opens two per party, for connections. */
enum { COORDINATOR_FILES = 48 };

/* Checks certificate, key and CA, as daemon_check() does for a party, and numbering_key.
 * ERR_INPUT. */
enum err coordinator_check(const struct coordinator_config *config) MUST_CHECK;

/* Runs one job and returns its result; err_detail() has the cause of a failure. Sets *before if the
 * previous process had already finished the job, so that this process ran nothing. */
enum err coordinator_run(const struct coordinator_config *config, const struct job *job,
			 bool *before) MUST_CHECK;

/* -- for server/daemon only ----------------------------------------------------------------- */

enum { CLOSE_TIMEOUT_S = 2, SOFTWARE_MAX = 64 };

#define STRANGER_TIMEOUT_S 0.5

struct slot {
	const char *name;
	struct running *job;
	struct conn *conn; /* NULL: not connected */
	struct channel *channel;
	bool joined;           /* the coordinator has sent WELCOME to the party */
	bool known;            /* the party took part in an earlier attempt at `job` */
	bool knows;            /* the party returned, and learned that `job` is done */
	uint8_t key[HASH_LEN]; /* fingerprint of the key with which the party joined */
	double lost_s; /* clock_now_s() when the party's connection was lost during the job */
	char lost_why[ERR_DETAIL_MAX];
	/* The next members are independent of the job: */
	char software[SOFTWARE_MAX + 1]; /* software in the party's last HELLO, or "" */
	char refused[256];               /* why the party's last connection was refused, or "" */
	/* The error for a party that was away when its job failed, or when the job continued or
	 * ended without it. The party receives the error when it connects. ERR_OK: there is
	 * none. */
	enum err owed;
	char owed_why[ERR_DETAIL_MAX];
};

/* An accepted connection. It is the `arg` of the connection's events. */
struct visitor {
	struct visitor *next;
	struct coordinator *c;
	struct conn *conn;
	struct slot *slot;  /* NULL until TLS has authenticated the party */
	struct running *of; /* the job that had this connection until it freed the slot; or NULL */
};

/* TELLING: the job was already done when the previous process ended, and this process only informs
 * the parties. */
enum phase { JOINING, RUNNING, TELLING, CLOSING };
extern const char *const phase_name[];

struct running {
	struct running *next;
	struct coordinator *c;
	int64_t id;                      /* number in the queue; 0: the only job of the process */
	char number[2 * JOB_ID_LEN + 1]; /* job id in hex, for the log, or "" */
	char *output;                    /* directory of its results; owned */
	uv_timer_t join_timer, cancel_timer, lost_timer, state_timer, last_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	/* `handles`: number of open libuv handles of the job. `links`: number of open connections
	 * whose slots the job has freed. */
	unsigned handles, links;
	enum phase phase;
	size_t L;
	struct slot *slot[PARTIES_MAX];
	const char *name[PARTIES_MAX];
	struct channel *channel[PARTIES_MAX];
	struct mailbox *mailbox;
	struct record record;
	struct run run;
	bool thread_started;
	unsigned overdue_s; /* seconds since the job ended, while its thread still runs */
	bool again;
	bool left; /* this process ends, and the next one continues the job */
	/* Time for which the coordinator listens after a failed job, for parties that return. */
	unsigned linger_ms;
	char submitter[MSG_NAME_MAX + 1];
	char *state; /* path of job.state (server/daemon/attempt.h) */
	uint8_t what[HASH_LEN];
	/* Key that numbers the nodes; drawn together with the job id, and stored with it in
	 * job.state. */
	uint8_t numbers[NUMBERING_KEY_LEN];
	/* The user or signal that requested the end of the job, and the reason; "" without a
	 * request. */
	char asked[256];
	/* `result`: result of the job. `thread_result`: result of the attempt, which the job's
	 * thread writes before job_done. */
	enum err result, thread_result;
	char why[ERR_DETAIL_MAX], thread_why[ERR_DETAIL_MAX];
};

/* Callbacks to the queue. A coordinator with a single job has none. */
struct coordinator_queue {
	void (*came)(void *arg, struct slot *slot); /* the party has joined, and waits for a job */
	void (*went)(void *arg, struct slot *slot); /* the party left while it waited for a job */
	void (*closed)(void *arg, struct running *r); /* the job has ended; its slots are free */
	/* Called when all handles and connections of the job have closed, too. */
	void (*over)(void *arg, struct running *r);
	/* Called when a party returns to a job that is not running. Returns whether that job is
	 * done; why: text for the party. */
	bool (*was_done)(void *arg, const struct msg_resume *m, char why[ERR_DETAIL_MAX]);
	void *arg;
	struct dashboard_more shows;
};

struct coordinator {
	const struct coordinator_config *config;
	uv_loop_t loop;
	struct conn_host *host;
	struct listener *listener;
	struct watch watch;
	struct dashboard *dashboard; /* NULL: there is none */
	struct front *front;         /* NULL: there is no queue, or api.listen is not configured */
	uv_timer_t linger_timer, last_timer;
	size_t L;
	struct slot slot[PARTIES_MAX];
	struct visitor *visitors;
	struct running *jobs;
	struct numbering numbering;
	char bound[80], api_bound[80];
	const struct coordinator_queue *queue; /* NULL: none */
	bool stopping;
	bool closing; /* the loop runs only until all connections are flushed and closed */
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* -- coordinator.c -------------------------------------------------------------------------- */

/* Call in this order: coordinator_init() sets up handles and slots. coordinator_listen() opens
 * the listener, then confines the process. coordinator_watch() watches for signals.
 * coordinator_log_ready() reports readiness to log, systemd and ready_file. c is zeroed except
 * for config and queue. To release c after success or error, call coordinator_close(), and
 * coordinator_end() after the loop. */
/* If coordinator_init() fails, there is nothing to release. */
enum err coordinator_init(struct coordinator *c) MUST_CHECK;
enum err coordinator_listen(struct coordinator *c) MUST_CHECK;
enum err coordinator_watch(struct coordinator *c,
			   void (*stop)(void *c, const char *why)) MUST_CHECK;
enum err coordinator_log_ready(struct coordinator *c) MUST_CHECK;
/* Closes listener and connections; call after all jobs are closed. The loop then runs only until
 * all connections are flushed and closed. linger_ms: how long the coordinator still listens, for
 * parties on their way to another attempt. */
void coordinator_close(struct coordinator *c, enum err result, const char *why, unsigned linger_ms);
/* Releases c's members, and returns the result passed to coordinator_close(). If the thread of a
 * job still runs, exits the process instead. */
enum err coordinator_end(struct coordinator *c) MUST_CHECK;

/* -- coordinator_admit.c -------------------------------------------------------------------- */

extern const struct conn_events coordinator_events;
void *coordinator_on_accepted(struct conn *conn, void *arg);
void coordinator_refuse(struct conn *conn, uint16_t code, const char *why);

/* -- running.c ------------------------------------------------------------------------------ */

/* Makes a job with the slots of these parties, in the order of their names. */
struct running *running_new(struct coordinator *c, const struct job *job, struct slot *const *slot,
			    size_t L, const char *submitter, const char *output);
/* Prepares the directory of the job's results, and run.json there. Call before running_start(). */
enum err running_begin_results(struct running *r) MUST_CHECK;
void running_await(struct running *r); /* starts the timer of join_timeout_s or rejoin_s */
void running_start(struct running *r); /* call once all have joined */
/* Sets the phase, and logs each change at level debug. No other function sets the phase, except
 * running_drop(). */
void running_set_phase(struct running *r, enum phase phase);
/* Requests the end of the job; why: the user or signal that requests it. */
void running_cancel(struct running *r, const char *why);
/* Ends the job because the process ends. If the job waits for its parties, or another attempt is
 * permitted, leaves it to the next process. Otherwise cancels it. Lets a job end that is done. */
void running_leave(struct running *r, const char *why);
/* Ends the job for its parties. why NULL: the job's thread has already set r->why. */
void running_close(struct running *r, enum err result, const char *why);
/* Releases a queue's job once all its handles and connections have closed; call after each close of
 * one of them. The job of coordinator_run() stays until the process ends. */
void running_look(struct running *r);
void running_drop(struct running *r);
/* Frees the slot for another job; its connection stays with this job until it has closed. */
void running_let_go(struct running *r, struct slot *slot);
/* Frees r->channel[l] and sets it to NULL. Before, adds the final counts of party l's link to the
 * live snapshot. */
void running_free_channel(struct running *r, size_t l);
/* Call after the job's thread has ended and its handles have closed. */
void running_free(struct running *r);

/* -- coordinator_again.c -------------------------------------------------------------------- */

void running_set(struct running *r, const uint8_t job_id[static JOB_ID_LEN]);
enum err running_draw(struct running *r) MUST_CHECK; /* calls running_set() with a random id */
/* Sets job id and attempt. They are a random id and 1 or, if an earlier process left the job
 * unfinished, its id and the next attempt. If that process had finished the job, the phase becomes
 * TELLING. ERR_PEER: as running_take_up(). */
enum err running_find(struct running *r) MUST_CHECK;
/* Continues with an attempt that the previous process left unfinished when it ended. ERR_PEER: it
 * was the last permitted attempt. */
enum err running_take_up(struct running *r, const struct attempt_state *s) MUST_CHECK;
void running_keep_state(struct running *r);
/* Returns whether the current attempt is over, with another to follow. */
bool running_continues(const struct running *r);
void running_begin_again(struct running *r);
/* Refuses a connection of a finished attempt; the party dials again. */
void running_send_again(struct running *r, struct visitor *v, struct conn *conn);
/* Call after rejoin_s if parties are missing. Returns whether the attempt may continue with the
 * other parties. If so, removes the slots of the missing ones from the job. */
bool running_continues_without(struct running *r);
/* Ends a job that waits for its next attempt, with `code`: parties are missing, a party left, or
 * the job was cancelled. r->why becomes `why` and the cause that ended the last attempt. */
void running_fail(struct running *r, enum err code, const char *why);
bool running_is_done(const struct running *r);
/* Informs a party that returned to this finished job. The party may run in the same process as
 * before or in another one. */
void running_send_done(struct running *r, struct visitor *v, struct conn *conn);

#endif
