/* service.h -- coordinator --serve: a queue of jobs, and whoever asks for it over the control socket.
 *
 *     control socket --- service_answer.c ---\
 *                                             queue (struct entry) --- jobs.db (server/service/store.h)
 *     seats, running jobs --- service_queue.c /
 *
 * service.c          the process: start, signals, what is done now and then, the end
 * service_queue.c    which job is next; its begin, its end
 * service_before.c   what a process before this one has left
 * service_answer.c   requests of the control socket, and of who asks by HTTP
 * service_window.c   what it shows by HTTP, and how that thread's requests come to the loop
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
enum { SERVICE_FILES = CONTROL_CONNECTIONS_MAX + FRONT_FILES + 2 * RECORD_RUNNING_MAX + 24 };

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
	struct desk *desk; /* service_window.c */
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
void queue_look(struct service *s);        /* begins what can begin */
void queue_write(struct service *s);       /* looks for jobs.db, and tries again what it was not told */
/* A new job, whose text is then the queue's; *id: its number. ERR_JOB: jobs.db cannot be written; it is not taken. */
enum err queue_add(struct service *s, struct store_job *j, int64_t *id) MUST_CHECK;
struct entry *queue_find(struct service *s, int64_t id); /* NULL: it is over, or was never there */
/* who: "alice". ERR_JOB as above. */
enum err queue_cancel(struct service *s, struct entry *e, const char *who) MUST_CHECK;
bool queue_is_there(const struct service *s, const struct seat *seat); /* or busy, or on its way back */
void queue_free(struct service *s);
void service_stopped(struct service *s); /* no job runs any more: the end */

/* An entry, for service_before.c. */
bool entry_save(struct service *s, struct entry *e); /* false: jobs.db cannot be told; queue_write() tries again */
void entry_end(struct service *s, struct entry *e, enum err status, const char *cause); /* over; it may be freed */
char *entry_path(const struct service *s, const struct entry *e, const char *name); /* in its directory; the caller's */
enum err entry_read(struct job *job, const struct entry *e) MUST_CHECK; /* its parameters */
struct running *entry_running(struct service *s, const struct entry *e, const struct job *job);
void entry_mark(struct service *s, struct entry *e, struct running *r); /* it runs, as r */
void entry_open_log(struct service *s, struct entry *e);
bool queue_has_room(const struct service *s); /* for one more that runs */
/* Behind all others; the entry has j's text. ERR_INPUT: a party is no more among the coordinator's. */
enum err queue_append(struct service *s, const struct store_job *j, struct entry **entry) MUST_CHECK;

/* ---- service_before.c ---- */

enum err queue_load(struct service *s) MUST_CHECK; /* what jobs.db has that is not over */

/* ---- service_window.c ---- */

void service_show(struct service *s); /* makes s->queue.shows */
/* Nobody who asks by HTTP waits for the loop any more: before it ends, and the library's threads with the window. */
void service_hide(struct service *s);
void service_show_free(struct service *s); /* when these threads are gone */

/* ---- service_answer.c ---- */

control_answer service_answer;
/* Whoever it is that asks. False: the role is not enough, which the answer says, too. */
bool service_answer_as(struct service *s, enum role role, const char *who, const struct json *request,
		       struct json *answer);
/* What jobs.db has of a job, for whoever asks by either way. The parameters, parsed: the caller's; NULL: damaged. */
struct json *service_put_job(struct json *o, const struct store_job *j);

#endif
