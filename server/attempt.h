/* attempt.h -- what a coordinator that is started again must know of the job that was under way.
 *
 * One small file in the output directory, `job.state`: job id, attempt, and the hash of job and
 * parties. Written before an attempt is offered, removed when the job ends in whatever way but a
 * crash. Its time of modification says when this coordinator last lived, across restarts of the
 * host too.
 */
#ifndef SERVER_ATTEMPT_H
#define SERVER_ATTEMPT_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "server/run.h"

#include <stdbool.h>

struct attempt_state {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	uint8_t what[HASH_LEN]; /* attempt_hash() */
};

/* Of the effective job and the parties' names: who goes on must go on with exactly these. */
void attempt_hash(const struct job *job, const char *const *name, size_t L,
		  uint8_t hash[static HASH_LEN]);

char *attempt_path(const char *output); /* owned by the caller */
/* Atomically, readable by its owner alone. ERR_JOB. */
enum err attempt_keep(const char *path, const struct attempt_state *s) MUST_CHECK;
void attempt_touch(const char *path); /* "still here"; cheap, once a second or so */
void attempt_forget(const char *path);

/* What was kept, if it is not older than limit_s. False: there is nothing to go on with; then why
 * (of ERR_DETAIL_MAX bytes) says what speaks against what is there, "" if nothing is. */
bool attempt_find(const char *path, double limit_s, struct attempt_state *s, char *why);

#endif
