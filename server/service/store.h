/* store.h -- jobs.db: submitted jobs, their outcome, and all parties that have connected before.
 *
 * The coordinator writes a row before an action that it announces (a job is accepted, begins), and
 * after one that it reports (a job has ended). Each write is a transaction and on disk when the
 * call returns. Progress within a job is not here: the job's directory has run.json and job.state
 * (server/daemon/attempt.h). job.state is touched twice a second and marked by the job thread, so
 * it must not depend on a database that another process may lock.
 *
 * For one thread. ERR_JOB, with the file's name and SQLite's text: locked for STORE_BUSY_MS, full,
 * damaged. A change costs a few ms of disk time. */
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
	STORE_QUEUED,  /* waits for its turn */
	STORE_WAITING, /* waits for absent parties */
	STORE_RUNNING,
	STORE_DONE,
	STORE_FAILED,
	STORE_CANCELLED,
};
/* "queued", "waiting for parties", ...; ends with NULL */
extern const char *const store_state_name[];
bool store_is_over(enum store_state state);

struct store_job {
	int64_t id; /* rises from 1 and is never reused */
	enum store_state state;
	char submitter[STORE_TEXT_MAX + 1];
	char *text; /* full text of the job (job_write); owned */
	size_t parties;
	char party[PARTIES_MAX][STORE_TEXT_MAX + 1]; /* ascending */
	time_t submitted, began, ended;              /* 0: not yet */
	unsigned attempts;
	enum err status;     /* of an ended job */
	char job_id[32 + 1]; /* "": never began */
	/* directory of results, below the output directory; "": never began */
	char directory[STORE_DIR_MAX];
	/* Reason of a failure, a cancellation or an earlier interruption; "". */
	char cause[ERR_DETAIL_MAX];
};
void store_job_release(struct store_job *j);

struct store;
/* Creates the file if there is none. ERR_INPUT, with advice: not a jobs.db of this version, or
 * damaged. */
enum err store_open(struct store **s, const char *path) MUST_CHECK;
/* Opens it again next to a connection of this process. Skips the check for damage, which takes
 * longer as the file grows. */
enum err store_look(struct store **s, const char *path) MUST_CHECK;
void store_close(struct store *s); /* NULL: no effect */
/* Checks the file. ERR_JOB, with advice: jobs.db was removed or replaced after it was opened.
 * Nothing is written then. */
enum err store_there(struct store *s) MUST_CHECK;

enum err store_add(struct store *s, struct store_job *j) MUST_CHECK; /* sets the id */
/* Updates all but id, submitter, text, parties and submitted. */
enum err store_change(struct store *s, const struct store_job *j) MUST_CHECK;

/* Return jobs by id: those that have not ended; or the last `most` of all. The caller releases the
 * rows: store_rows_release(). */
struct store_rows {
	struct store_job *job;
	size_t n;
};
enum err store_open_jobs(struct store *s, struct store_rows *rows) MUST_CHECK;
enum err store_last_jobs(struct store *s, size_t most, struct store_rows *rows) MUST_CHECK;
void store_rows_release(struct store_rows *rows);
/* Return a job. *found: it exists; the caller releases it. */
enum err store_get(struct store *s, int64_t id, struct store_job *j, bool *found) MUST_CHECK;
enum err store_get_by_job_id(struct store *s, const char *job_id, struct store_job *j,
			     bool *found) MUST_CHECK;
/* Number of jobs in each state. */
enum err store_count(struct store *s, size_t count[static STORE_CANCELLED + 1]) MUST_CHECK;

/* Time and software of a party's last contact. */
struct store_party {
	time_t contact; /* 0: never */
	char software[STORE_TEXT_MAX + 1];
};
enum err store_saw_party(struct store *s, const char *name, const struct store_party *p) MUST_CHECK;
enum err store_get_party(struct store *s, const char *name, struct store_party *p) MUST_CHECK;

#endif
