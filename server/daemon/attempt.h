/* attempt.h -- what a coordinator that is started again must know of the job that was under way.
 *
 * One small file in the output directory, `job.state`: job id, attempt, the hash of job and parties,
 * the key by which nodes
 * are numbered, whether the job is done, and which parties were left out. Written before an attempt is offered, removed when the job ends in
 * whatever way but a crash. Its time of modification says when this coordinator last lived, across
 * restarts of the host too.
 *
 *   attempt_keep     an attempt begins: who is started again goes on, with another attempt
 *   attempt_done     all parties have said that they have results, the coordinator's are on disk, and
 *                    what parties need to verify that is on its way: who is started again tells those
 *                    that come back, and repeats nothing
 *   attempt_forget   the parties were told, and leave
 *
 * A party leaves only when it is told, so before the mark all are there for another attempt, and
 * behind it nothing is missing.
 */
#ifndef SERVER_DAEMON_ATTEMPT_H
#define SERVER_DAEMON_ATTEMPT_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "crypto/numbering.h"
#include "server/run/run.h"

#include <stdbool.h>

struct attempt_state {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	uint8_t what[HASH_LEN]; /* attempt_hash() */
	uint8_t numbers[NUMBERING_KEY_LEN]; /* run->numbers */
	bool done;
	size_t lefts;
	struct record_left left[PARTIES_MAX];
};

/* Of the effective job and the names of the parties with which it began: who goes on must go on with exactly
 * these. */
void attempt_hash(const struct job *job, const char *const *name, size_t L,
		  uint8_t hash[static HASH_LEN]);

/* Atomically, readable by its owner alone. ERR_JOB. */
enum err attempt_keep(const char *path, const struct attempt_state *s) MUST_CHECK;
/* Marks what is kept as done. ERR_JOB, ERR_INPUT: it is not marked. */
enum err attempt_done(const char *path) MUST_CHECK;
void attempt_touch(const char *path); /* "still here"; cheap, once a second or so */
void attempt_forget(const char *path);

/* Reads the kept state, if it is not older than limit_s. False: there is nothing to go on with; then why
 * (of ERR_DETAIL_MAX bytes) says what is wrong with the file, "" if there is none; if that is its age
 * alone, *s is filled in all the same. */
bool attempt_find(const char *path, double limit_s, struct attempt_state *s, char *why);

#endif
