/* attempt.h -- the state of a job under way, for a coordinator that restarts.
 *
 * The output directory has one small file, `job.state`. It contains job id, attempt, the hash of
 * job and parties, the key that numbers the nodes, whether the job is done, and the parties left
 * out. If the configuration permits further attempts (rejoin_s, max_attempts), the coordinator
 * writes the file before it offers an attempt, and removes it when the job ends other than by a
 * crash. Its modification time shows when this coordinator last ran, across restarts of the host
 * as well.
 *
 * - attempt_keep(): an attempt begins. A restarted coordinator continues with another attempt.
 * - attempt_done(): all parties have confirmed their results, and the coordinator has written its
 *   own. It has sent the parties all that they need to verify that the job is done. A restarted
 *   coordinator reports this to parties that return, and repeats nothing.
 * - attempt_forget(): the parties know that the job is over, and leave.
 *
 * A party leaves only when the coordinator tells it to. So before attempt_done() marks the file,
 * all parties are present for another attempt. After the mark no result is missing. */
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
	uint8_t what[HASH_LEN]; /* hash that attempt_hash() has computed */
	uint8_t numbers[NUMBERING_KEY_LEN];
	bool done;
	size_t lefts;
	struct record_left left[PARTIES_MAX];
};

/* Computes the hash of the effective job and of the names of the initial parties. A restarted
 * coordinator continues only if both are unchanged. */
void attempt_hash(const struct job *job, const char *const *name, size_t L,
		  uint8_t hash[static HASH_LEN]);

/* Writes the file atomically; only its owner can read it. ERR_JOB: the file cannot be written. */
enum err attempt_keep(const char *path, const struct attempt_state *s) MUST_CHECK;
/* Marks the state as done. ERR_JOB, ERR_INPUT: the file is not marked. */
enum err attempt_done(const char *path) MUST_CHECK;
/* Sets the file's modification time to now. Cheap; called twice a second while a job runs. */
void attempt_touch(const char *path);
void attempt_forget(const char *path);

/* Reads the state. Returns whether the file is intact and was modified in the last limit_s seconds.
 * Sets `why` (ERR_DETAIL_MAX bytes) to the reason of false, or to "" if there is no file. Fills *s
 * also if the file is intact but too old. */
bool attempt_find(const char *path, double limit_s, struct attempt_state *s, char *why);

#endif
