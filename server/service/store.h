/* store.h -- jobs.db: submitted jobs, their outcome, and all parties that have connected before.
 *
 * The coordinator writes a row before an action that it announces (a job is accepted, begins), and
 * after one that it reports (a job has ended). Each write is a transaction and on disk when the
 * call returns. jobs.db does not record a job's progress; run.json and job.state in the job's
 * directory do (server/daemon/attempt.h). job.state is touched twice a second and marked by the job
 * thread, so it must not depend on a database that another process may lock.
 *
 * A store may be used by one thread only. ERR_JOB, with the file's name and SQLite's text: jobs.db
 * was locked for STORE_BUSY_MS, or is full or damaged. ERR_INPUT: a row that was read has invalid
 * values. A change costs a few ms of disk time. */
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
	STORE_QUEUED,  /* waits until its parties are free */
	STORE_WAITING, /* waits for absent parties */
	STORE_RUNNING,
	STORE_DONE,
	STORE_FAILED,
	STORE_CANCELLED,
};
/* Names of the states: "queued", "waiting for parties", ...; the last entry is NULL. */
extern const char *const store_state_name[];
bool store_is_over(enum store_state state);

struct store_job {
	int64_t id; /* rises from 1 and is never reused */
	enum store_state state;
	char submitter[STORE_TEXT_MAX + 1];
	char *text; /* full text of the job (job_write); owned */
	size_t parties;
	char party[PARTIES_MAX][STORE_TEXT_MAX + 1]; /* names in ascending order */
	time_t submitted, began, ended;              /* 0: did not happen yet */
	unsigned attempts;
	enum err status;     /* result of a job that has ended */
	char job_id[32 + 1]; /* "": the job never began */
	/* Directory of results, below the output directory; "": the job never began. */
	char directory[STORE_DIR_MAX];
	/* Reason of a failure, a cancellation or an earlier interruption, or "". */
	char cause[ERR_DETAIL_MAX];
};
void store_job_release(struct store_job *j);

struct store;
/* Opens jobs.db, and creates it if it does not exist. ERR_INPUT, with advice: the file is damaged,
 * or not a jobs.db of this version. */
enum err store_open(struct store **s, const char *path) MUST_CHECK;
/* Opens jobs.db a second time, next to a connection of this process. Skips the check for damage,
 * which takes longer as the file grows. ERR_JOB: the file does not exist. */
enum err store_look(struct store **s, const char *path) MUST_CHECK;
void store_close(struct store *s); /* NULL: no effect */
/* Checks that the file still exists. ERR_JOB, with advice: jobs.db was removed or replaced after it
 * was opened. */
enum err store_there(struct store *s) MUST_CHECK;

enum err store_add(struct store *s, struct store_job *j) MUST_CHECK; /* sets j->id */
/* Updates all members except id, submitter, text, parties and submitted. */
enum err store_change(struct store *s, const struct store_job *j) MUST_CHECK;

/* Rows of jobs, ordered by id. store_open_jobs() returns the jobs that have not ended, and
 * store_last_jobs() the last `most` of all jobs. The caller releases the rows by
 * store_rows_release(). */
struct store_rows {
	struct store_job *job;
	size_t n;
};
enum err store_open_jobs(struct store *s, struct store_rows *rows) MUST_CHECK;
enum err store_last_jobs(struct store *s, size_t most, struct store_rows *rows) MUST_CHECK;
void store_rows_release(struct store_rows *rows);
/* Reads a job. *found: the job exists; the caller then releases it. */
enum err store_get(struct store *s, int64_t id, struct store_job *j, bool *found) MUST_CHECK;
enum err store_get_by_job_id(struct store *s, const char *job_id, struct store_job *j,
			     bool *found) MUST_CHECK;
/* Counts the jobs in each state. */
enum err store_count(struct store *s, size_t count[static STORE_CANCELLED + 1]) MUST_CHECK;

/* Time of a party's last contact, and the software that it ran. */
struct store_party {
	time_t contact; /* 0: the party never connected */
	char software[STORE_TEXT_MAX + 1];
};
enum err store_saw_party(struct store *s, const char *name, const struct store_party *p) MUST_CHECK;
enum err store_get_party(struct store *s, const char *name, struct store_party *p) MUST_CHECK;

#endif
