/* service.h -- coordinator --serve: a queue of jobs, and requests of users over the control socket
 * or HTTP.
 *
 * - service.c: the process: start, signals, periodic work, the end
 * - service_queue.c: which job is next; its begin, its end
 * - service_before.c: jobs that a previous process left
 * - service_answer.c: requests of the control socket and of HTTP
 * - service_dashboard.c: HTTP routes, and the way from their threads to the loop
 *
 * The queue (struct entry) is stored in jobs.db (server/service/store.h). The first job with all
 * parties present begins. A job with absent parties waits and delays no other; a job with busy
 * parties gets these parties before any later job does. If jobs.db cannot store a change
 * (locked, full, damaged), the change stays in memory and is retried every second. Until it is
 * stored, running jobs continue, but no job is accepted or begins. */
#ifndef SERVER_DAEMON_SERVICE_H
#define SERVER_DAEMON_SERVICE_H

#include "common/base/json.h"
#include "common/job/roles.h"
#include "proto/control.h"
#include "server/daemon/coordinator.h"
#include "server/service/store.h"

/* Descriptors that the service opens in addition to COORDINATOR_FILES, for requests, jobs.db and
 * logs of jobs. */
enum { SERVICE_FILES = CONTROL_CONNECTIONS_MAX + FRONT_FILES + 2 * RECORD_RUNNING_MAX + 24 };

/* Serves until the process is stopped; a stop returns ERR_OK. Leaves a running job to the next
 * process if the job can be repeated. */
enum err service_run(const struct coordinator_config *config) MUST_CHECK;

/* -- for service*.c only -------------------------------------------------------------------- */

/* A job that is not over, or whose end jobs.db has not stored yet. */
struct entry {
	struct entry *next;
	struct store_job job;
	struct slot *slot[PARTIES_MAX];
	struct running *running;
	bool unwritten; /* jobs.db has an older state of the job */
};

struct service {
	struct coordinator c;
	struct coordinator_queue queue;
	const struct coordinator_config *config;
	struct roles roles;
	struct store *store;
	struct control *control;
	struct desk *desk;
	struct entry *first;
	size_t entries, runs;
	/* Per slot: time until which the slot's party counts as returning, after its job has
	 * ended. */
	double expected_s[PARTIES_MAX];
	time_t written[PARTIES_MAX]; /* time when jobs.db last stored that the party is present */
	uv_timer_t tick;
	uv_work_t pruning;
	bool prunes;
	double pruned_s;
	char trouble[ERR_DETAIL_MAX]; /* why jobs.db or the disk cannot be written now, or "" */
};

/* -- service_queue.c ------------------------------------------------------------------------ */

void queue_hooks(struct service *s);
void queue_look(struct service *s);
void queue_write(struct service *s); /* checks jobs.db, and retries unwritten changes */
/* Adds a job to the queue. *id: number of the job. If there is no error, takes over j's text.
 * ERR_JOB: jobs.db cannot be written, so the job is not added. */
enum err queue_add(struct service *s, struct store_job *j, int64_t *id) MUST_CHECK;
struct entry *queue_find(struct service *s, int64_t id); /* NULL: the job is over or unknown */
/* Cancels the job. who: name of the user who cancels it, such as "alice". ERR_INPUT: the job is
 * already done. ERR_JOB: the job is cancelled, but jobs.db could not store this yet. */
enum err queue_cancel(struct service *s, struct entry *e, const char *who) MUST_CHECK;
/* Returns whether the party is connected, even if busy, or on its way back. */
bool queue_is_there(const struct service *s, const struct slot *slot);
void queue_free(struct service *s);
void service_stopped(struct service *s);

/* Returns false if jobs.db cannot be written; queue_write() then retries. */
bool entry_save(struct service *s, struct entry *e);
/* Call when the job is over; may free e. */
void entry_end(struct service *s, struct entry *e, enum err status, const char *cause);
/* Returns a path in the job's directory; owned by the caller. */
char *entry_path(const struct service *s, const struct entry *e, const char *name);
enum err entry_read(struct job *job, const struct entry *e) MUST_CHECK;
struct running *entry_running(struct service *s, const struct entry *e, const struct job *job);
void entry_mark(struct service *s, struct entry *e, struct running *r);
void entry_open_log(struct service *s, struct entry *e);
bool queue_has_room(const struct service *s);
/* Appends an entry, which takes over j's text. ERR_INPUT: the coordinator's configuration no longer
 * has one of the job's parties; the entry is in the queue nevertheless. */
enum err queue_append(struct service *s, const struct store_job *j,
		      struct entry **entry) MUST_CHECK;

/* -- service_before.c ----------------------------------------------------------------------- */

enum err queue_load(struct service *s) MUST_CHECK;

/* -- service_dashboard.c ----------------------------------------------------------------------- */

void service_show(struct service *s);
/* Releases the HTTP threads that wait for the loop, so that the dashboard can end them. Call before
 * the loop ends. */
void service_hide(struct service *s);
void service_show_free(struct service *s); /* call after the HTTP threads have ended */

/* -- service_answer.c ----------------------------------------------------------------------- */

control_answer service_answer;
/* Answers a request from the control socket or from HTTP. Returns false if the user's role is
 * insufficient; the answer then states this, too. */
bool service_answer_as(struct service *s, enum role role, const char *who,
		       const struct json *request, struct json *answer);
/* Writes a stored job to o, for the control socket and for HTTP. Returns the parsed parameters,
 * owned by the caller; NULL: the text is damaged. */
struct json *service_put_job(struct json *o, const struct store_job *j);

#endif
