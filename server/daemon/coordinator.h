/* coordinator.h -- the coordinator's loop thread: who may come in, and the jobs they come for.
 *
 * Listens and keeps a seat for each party of its configuration. A job is lent the seats of its parties and has
 * them back when it is over. With one job (coordinator_run) the process ends with it; with a queue
 * jobs follow each other, and run beside each other where no party has two.
 *
 * coordinator.c          the process: listening, signals, the end; the one job of coordinator_run
 * coordinator_admit.c    who may come in, at first and when lost in a job; what connections bring
 * running.c              a job: its start, its thread, its end
 * coordinator_again.c    an attempt that was cut short, and the next one; a job that was done before
 */
#ifndef SERVER_DAEMON_COORDINATOR_H
#define SERVER_DAEMON_COORDINATOR_H

#include "common/http/window.h"
#include "common/job/daemon.h"
#include "crypto/numbering.h"
#include "proto/front.h"
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

/* ---- for server/daemon only ---- */

enum { CLOSE_TIMEOUT_S = 2, SOFTWARE_MAX = 64 };

#define STRANGER_TIMEOUT_S 0.5 /* to close connections that have not joined */

/* One party of the configuration. */
struct seat {
	const char *name;
	struct running *job;     /* to which it is lent; NULL: to none */
	struct conn *conn;       /* NULL: not there */
	struct channel *channel; /* once the job begins */
	bool joined;             /* it was sent WELCOME */
	bool known;              /* it has joined an attempt of this job, with this key: */
	bool knows;              /* it came back and was told that the job is done */
	uint8_t key[HASH_LEN];   /* the fingerprint with which it joined */
	double lost_s;           /* clock_now_s() at which its connection was lost in the job */
	char lost_why[ERR_DETAIL_MAX];
	/* whatever job it is of */
	char software[SOFTWARE_MAX + 1]; /* as it said last; "" */
	char refused[256];               /* why it was not let in when it came last; "" */
	/* A job that was to have another attempt has failed while this party was on its way to it: */
	enum err owed; /* it hears so when it comes; ERR_OK: nothing is owed */
	char owed_why[ERR_DETAIL_MAX];
};

/* An accepted connection; arg of its events. */
struct visitor {
	struct visitor *next; /* in the coordinator's list */
	struct coordinator *c;
	struct conn *conn;
	struct seat *seat;  /* NULL until TLS has named the party */
	struct running *of; /* the job that is over and whose connection this was */
};

/* TELLING: the job was done when the process before this one ended. */
enum phase { JOINING, RUNNING, TELLING, CLOSING };
extern const char *const phase_name[];

/* A job that has seats. */
struct running {
	struct running *next; /* in the coordinator's list */
	struct coordinator *c;
	int64_t id; /* in the queue; 0: it is the process's only one */
	char number[2 * JOB_ID_LEN + 1]; /* the job's, for the log; "" */
	char *output; /* directory of its results; owned */
	uv_timer_t join_timer, cancel_timer, away_timer, state_timer, last_timer;
	uv_async_t job_done;
	uv_thread_t job_thread;
	unsigned handles, links; /* of these, and of its connections, that have not closed though it is over */
	enum phase phase;
	size_t L;
	struct seat *seat[PARTIES_MAX];
	const char *name[PARTIES_MAX];
	struct channel *channel[PARTIES_MAX];
	struct post *post;
	struct record record;
	struct run run;
	bool thread_started;
	unsigned overdue_s; /* since the job was over, while its thread runs */
	bool again;         /* this is not the job's first attempt */
	bool left;          /* this process ends, and the next one goes on with the job */
	unsigned linger_ms; /* how long the coordinator listens after a failed job, for parties that come again */
	char submitter[MSG_NAME_MAX + 1];
	char *state; /* the path of server/daemon/attempt.h */
	uint8_t what[HASH_LEN];
	uint8_t numbers[NUMBERING_KEY_LEN]; /* drawn with the job id, kept with it in job.state */
	char asked[256]; /* it is to end: who wants it; "" */
	enum err result, thread_result; /* the job's; the attempt's, written by its thread before job_done */
	char why[ERR_DETAIL_MAX], thread_why[ERR_DETAIL_MAX];
};

/* What a queue is told; of a coordinator with one job alone there is none. */
struct coordinator_queue {
	void (*came)(void *arg, struct seat *seat); /* it has joined, and waits for a job */
	void (*went)(void *arg, struct seat *seat); /* it waited for one */
	void (*closed)(void *arg, struct running *r); /* it has ended; its seats are free */
	void (*over)(void *arg, struct running *r);   /* and nothing points to it any more */
	/* A party comes back to a job that is under way no more: is it done? why: what the party is told. */
	bool (*was_done)(void *arg, const struct msg_resume *m, char why[ERR_DETAIL_MAX]);
	void *arg;
	struct window_more shows; /* what it shows by HTTP */
};

struct coordinator {
	const struct coordinator_config *config;
	uv_loop_t loop;
	struct conn_host *host;
	struct listener *listener;
	struct watch watch;
	struct window *window; /* or NULL */
	struct front *front;   /* NULL: without api.listen, or a queue */
	uv_timer_t linger_timer, last_timer;
	size_t L;
	struct seat seat[PARTIES_MAX];
	struct visitor *visitors;
	struct running *jobs;
	struct numbering numbering;
	char bound[80], api_bound[80]; /* the addresses on which it listens */
	const struct coordinator_queue *queue; /* NULL: none */
	bool stopping; /* no job begins any more */
	bool closing;  /* the loop runs only until all connections are flushed and closed */
	enum err result;
	char why[ERR_DETAIL_MAX];
};

/* ---- coordinator.c ---- */

/* In this order: handles and seats; the listener, behind which the process is confined; signals; and to say that
 * it listens, to log, systemd and ready_file. c is zeroed but for config and queue. Whatever came of it,
 * coordinator_close() and, behind the loop, coordinator_end() give it back. */
enum err coordinator_init(struct coordinator *c) MUST_CHECK; /* failed: there is nothing to give back */
enum err coordinator_listen(struct coordinator *c) MUST_CHECK;
enum err coordinator_watch(struct coordinator *c, void (*stop)(void *c, const char *why)) MUST_CHECK;
enum err coordinator_say_ready(struct coordinator *c) MUST_CHECK;
/* From here the loop runs only until all connections are flushed and closed; of jobs that are closed
 * already. linger_ms: it listens for so long, for parties that were told to come again. */
void coordinator_close(struct coordinator *c, enum err result, const char *why, unsigned linger_ms);
/* What it was closed with. Does not return if a job's thread still runs. */
enum err coordinator_end(struct coordinator *c) MUST_CHECK;

/* ---- coordinator_admit.c ---- */

extern const struct conn_events coordinator_events;
void *coordinator_on_accepted(struct conn *conn, void *arg);
void coordinator_refuse(struct conn *conn, uint16_t code, const char *why);

/* ---- running.c ---- */

/* A job with the seats of these parties, in the order of their names; submitter: who wants it. */
struct running *running_new(struct coordinator *c, const struct job *job, struct seat *const *seat,
			    size_t L, const char *submitter, const char *output);
/* Its results' directory and run.json are of this job, which waits for its parties. */
enum err running_begin_results(struct running *r) MUST_CHECK;
void running_await(struct running *r);     /* join_timeout_s or rejoin_s runs from here */
bool running_is_joined(const struct running *r); /* all parties are there */
void running_start(struct running *r);     /* all have joined */
/* Nothing else sets it; the log has each change at level debug. */
void running_set_phase(struct running *r, enum phase phase);
/* Asks it to end; who it was that asked: why. */
void running_cancel(struct running *r, const char *why);
/* The process ends: an attempt that can be repeated is left to the next one, others are cancelled. */
void running_leave(struct running *r, const char *why);
/* The job is over for its parties. why NULL: the job thread has left it in r->why. */
void running_close(struct running *r, enum err result, const char *why);
void running_look(struct running *r); /* of what is closed, something has closed: is that all? */
/* It never began, and is to be gone on with by nobody: its seats are as they were. */
void running_drop(struct running *r);
/* The seat is free for another job; its connection is the job's until it has closed. */
void running_let_go(struct running *r, struct seat *seat);
/* The last counts of that party's link go into the live snapshot; r->channel[l] becomes NULL. */
void running_free_channel(struct running *r, size_t l);
void running_free(struct running *r); /* its thread is over, and its handles have closed */

/* ---- coordinator_again.c ---- */

/* The job's number, and attempt 1. */
void running_set(struct running *r, const uint8_t job_id[static JOB_ID_LEN]);
enum err running_draw(struct running *r) MUST_CHECK; /* the same with a number that is drawn */
/* The job's number and the attempt's: drawn and 1, or what a coordinator before this one left; phase
 * TELLING if it left a job that is done. */
enum err running_find(struct running *r) MUST_CHECK;
/* Goes on with an attempt that this coordinator left unfinished when it ended. ERR_PEER: it was the last. */
enum err running_take_up(struct running *r, const struct attempt_state *s) MUST_CHECK;
void running_keep_state(struct running *r); /* an attempt begins */
/* Is the current attempt over, with another to follow? */
bool running_goes_on(const struct running *r);
void running_begin_again(struct running *r);
/* Refuses a connection that belongs to an attempt that is over; the party dials again. */
void running_send_again(struct running *r, struct visitor *v, struct conn *conn);
/* rejoin_s is over, and not all have come for another attempt. May it go on with those that are there? Then the
 * others' seats are no more the job's. */
bool running_goes_without(struct running *r);
/* Not all came for another attempt, or one left: the job has failed. */
void running_fail(struct running *r, enum err code, const char *why);
/* All parties have said that they have results. */
bool running_is_done(const struct running *r);
/* A party of that job has come back, whether its process is the same or another. */
void running_say_done(struct running *r, struct visitor *v, struct conn *conn);

#endif
