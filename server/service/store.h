/* store.h -- jobs.db: which jobs were submitted, what became of them, and which parties have ever come.
 *
 * A row is written before what it says is done (a job is accepted, begins) and after what it says has happened
 * (a job has ended), each in a transaction of its own, on disk when the call returns. What is going on within
 * a job is not here: its directory has run.json, and job.state (server/daemon/attempt.h), which is touched twice
 * a second and marked by the job thread, and so must not depend on a database that somebody else has locked.
 *
 * One thread. Errors: ERR_JOB, with the file's name and what SQLite says: locked for STORE_BUSY_MS, full, damaged.
 * Cost: a few ms for a change, for the disk.
 */
#ifndef SERVER_SERVICE_STORE_H
#define SERVER_SERVICE_STORE_H

#include "common/base/err.h"
#include "common/job/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { STORE_BUSY_MS = 250, STORE_DIR_MAX = 48, STORE_TEXT_MAX = 64 };

enum store_state {
	STORE_QUEUED,  /* it waits for its turn */
	STORE_WAITING, /* it waits for parties that are away */
	STORE_RUNNING,
	STORE_DONE,
	STORE_FAILED,
	STORE_CANCELLED,
};
extern const char *const store_state_name[]; /* "queued", "waiting for parties", ... ; ends with NULL */
bool store_is_over(enum store_state state);

struct store_job {
	int64_t id; /* rises from 1, and is never given twice */
	enum store_state state;
	char submitter[STORE_TEXT_MAX + 1];
	char *text; /* the job's, in full (job_write); owned */
	size_t parties;
	char party[PARTIES_MAX][STORE_TEXT_MAX + 1]; /* rising */
	time_t submitted, began, ended; /* 0: not yet */
	unsigned attempts;
	enum err status;                 /* of a job that is over */
	char job_id[32 + 1];               /* "": it never began */
	char directory[STORE_DIR_MAX];   /* of its results, below the output directory; "": it never began */
	char cause[ERR_DETAIL_MAX];      /* why it failed, was cancelled, or did not end before; "" */
};
void store_job_release(struct store_job *j);

struct store;
/* Makes the file if there is none. ERR_INPUT: it is no jobs.db of this version, or it is damaged; what to do. */
enum err store_open(struct store **s, const char *path) MUST_CHECK;
/* Once more, beside a connection of this process: the file is not looked through for damage again, which takes time that
 * grows with it. */
enum err store_look(struct store **s, const char *path) MUST_CHECK;
void store_close(struct store *s); /* NULL is fine */
/* ERR_JOB: jobs.db was removed or replaced since it was opened; what to do. Nothing is written
 * then. */
enum err store_there(struct store *s) MUST_CHECK;

enum err store_add(struct store *s, struct store_job *j) MUST_CHECK; /* gives it its id */
/* All but id, submitter, text, parties and submitted. */
enum err store_change(struct store *s, const struct store_job *j) MUST_CHECK;

/* By id: those that are not over; or the last `most` of all. The rows are the caller's: store_rows_release(). */
struct store_rows {
	struct store_job *job;
	size_t n;
};
enum err store_open_jobs(struct store *s, struct store_rows *rows) MUST_CHECK;
enum err store_last_jobs(struct store *s, size_t most, struct store_rows *rows) MUST_CHECK;
void store_rows_release(struct store_rows *rows);
/* *found: there is such a job; then it is the caller's to release. */
enum err store_get(struct store *s, int64_t id, struct store_job *j, bool *found) MUST_CHECK;
enum err store_get_by_job_id(struct store *s, const char *job_id, struct store_job *j, bool *found) MUST_CHECK;
/* How many ended as done, failed and cancelled. */
enum err store_count(struct store *s, size_t count[static STORE_CANCELLED + 1]) MUST_CHECK;

/* A party was there at this time. */
struct store_party {
	time_t contact; /* 0: never */
	char software[STORE_TEXT_MAX + 1];
};
enum err store_saw_party(struct store *s, const char *name, const struct store_party *p) MUST_CHECK;
enum err store_get_party(struct store *s, const char *name, struct store_party *p) MUST_CHECK;

#endif
