/* attempt.h -- the state of a job under way, for a coordinator that restarts.
 *
 * One small file in the output directory, `job.state`: job id, attempt, the hash of job and
 * parties, the key that numbers the nodes, whether the job is done, and the parties left out. The
 * coordinator writes it before it offers an attempt, and removes it when the job ends other than by
 * a crash. Its modification time is the last sign of life of this coordinator, across restarts of
 * the host too.
 *
 * - attempt_keep(): an attempt begins. A restarted coordinator continues with another attempt.
 * - attempt_done(): all parties confirmed their results, the coordinator's are on disk, and the
 *   parties have been sent all that they need to verify that. A restarted coordinator reports this
 *   to parties that return, and repeats nothing.
 * - attempt_forget(): the parties were informed, and leave.
 *
 * A party leaves only when the coordinator tells it to. So before the mark of attempt_done() all
 * parties are present for another attempt, and after it no result is missing. */
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
	uint8_t numbers[NUMBERING_KEY_LEN];
	bool done;
	size_t lefts;
	struct record_left left[PARTIES_MAX];
};

/* Hash of the effective job and the names of the initial parties: a restarted coordinator continues
 * only with exactly these. */
void attempt_hash(const struct job *job, const char *const *name, size_t L,
		  uint8_t hash[static HASH_LEN]);

/* Writes atomically; readable by its owner only. ERR_JOB. */
enum err attempt_keep(const char *path, const struct attempt_state *s) MUST_CHECK;
/* Marks the state as done. ERR_JOB, ERR_INPUT: not marked. */
enum err attempt_done(const char *path) MUST_CHECK;
/* Updates the modification time; cheap, about once a second. */
void attempt_touch(const char *path);
void attempt_forget(const char *path);

/* Reads the state if it is at most limit_s old. False: nothing to continue. Then why
 * (ERR_DETAIL_MAX bytes) has the reason, "" if there is no file; if age is the only reason, *s is
 * filled nevertheless. */
bool attempt_find(const char *path, double limit_s, struct attempt_state *s, char *why);

#endif
