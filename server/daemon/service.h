/* service.h -- coordinator --serve: a queue of jobs, and whoever asks for it over the control socket.
 *
 *     control socket --- service_answer.c ---\
 *                                             queue (struct entry) --- jobs.db (server/service/store.h)
 *     seats, running jobs --- service_queue.c /
 *
 * service.c          the process: start, signals, what is done now and then, the end
 * service_queue.c    which job is next; its begin, its end; what a process before this one has left
 * service_answer.c   requests of the control socket
 * service_window.c   what it shows by HTTP
 *
 * The first job whose parties are all there begins. One whose parties are away waits and holds up nobody; one whose
 * parties are there but busy has them before those behind it. What jobs.db could not be told (locked, full, damaged)
 * is kept and tried again every second: no job that runs is disturbed by that, and none is accepted or begins meanwhile.
 */
#ifndef SERVER_DAEMON_SERVICE_H
#define SERVER_DAEMON_SERVICE_H

#include "common/base/json.h"
#include "common/job/roles.h"
#include "proto/control.h"
#include "server/daemon/coordinator.h"
#include "server/service/store.h"

/* Descriptors besides COORDINATOR_FILES: who asks, jobs.db, logs of jobs. */
enum { SERVICE_FILES = CONTROL_CONNECTIONS_MAX + 2 * RECORD_RUNNING_MAX + 16 };

/* Serves until it is stopped. ERR_OK: it was; a job that ran is left to the next process if it can be repeated. */
enum err service_run(const struct coordinator_config *config) MUST_CHECK;

/* ---- for service*.c only ---- */

/* A job that is not over, or whose end jobs.db has not been told. */
struct entry {
	struct entry *next; /* by rising id */
	struct store_job job;
	struct seat *seat[PARTIES_MAX];
	struct running *running; /* NULL: it does not run */
	bool unwritten;          /* jobs.db says something else */
};

struct service {
	struct coordinator c;
	struct coordinator_queue queue;
	const struct coordinator_config *config;
	struct roles roles;
	struct store *store;
	struct control *control;
	struct entry *first;
	size_t entries, runs;
	double expected_s[PARTIES_MAX]; /* of each seat: until when its party, whose job has ended, is on its way */
	time_t written[PARTIES_MAX];    /* when jobs.db was last told that it is there */
	uv_timer_t tick;
	uv_work_t pruning;
	bool prunes;
	double pruned_s;
	char trouble[ERR_DETAIL_MAX]; /* why jobs.db or the disk cannot be written now; "" */
};

/* ---- service_queue.c ---- */

void queue_hooks(struct service *s);       /* fills in s->queue */
enum err queue_load(struct service *s) MUST_CHECK; /* what jobs.db has that is not over */
void queue_look(struct service *s);        /* begins what can begin */
void queue_write(struct service *s);       /* tries again what jobs.db was not told */
/* A new job, whose text is then the queue's; *id: its number. ERR_JOB: jobs.db cannot be written; it is not taken. */
enum err queue_add(struct service *s, struct store_job *j, int64_t *id) MUST_CHECK;
struct entry *queue_find(struct service *s, int64_t id); /* NULL: it is over, or was never there */
/* who: "alice". ERR_JOB as above. */
enum err queue_cancel(struct service *s, struct entry *e, const char *who) MUST_CHECK;
bool queue_is_there(const struct service *s, const struct seat *seat); /* or busy, or on its way back */
void queue_free(struct service *s);
void service_stopped(struct service *s); /* no job runs any more: the end */

/* ---- service_window.c ---- */

extern const struct http_route service_routes[]; /* of struct window_more, with the configuration as arg */

/* ---- service_answer.c ---- */

control_answer service_answer;
/* What jobs.db has of a job, for whoever asks by either way. The parameters, parsed: the caller's; NULL: damaged. */
struct json *service_put_job(struct json *o, const struct store_job *j);

#endif
