/* results.h -- a directory with the results of one job.
 *
 * The output directory of a coordinator without --serve, or of `party --once`, has the files of one
 * job: the running job, or else the job that ran last. The files of an earlier job move into
 * job-ID-ATTEMPT below it. So the record of a failed job is never next to the labels of another
 * job.
 */
#ifndef COMMON_JOB_RESULTS_H
#define COMMON_JOB_RESULTS_H

#include "common/base/err.h"

/* Bytes of a directory's name, with its zero byte: "job-", the job's id and the attempt. The name
 * has all 32 digits of the id: the coordinator chooses ids, and a job with similar digits must not
 * replace another. */
enum { RESULTS_NAME_MAX = 48 };
void results_name(const char *job_id, unsigned attempt, char name[static RESULTS_NAME_MAX]);

/* Prepares dir for a job: makes it if it is missing, and moves the files of an earlier job.
 * ERR_JOB. */
enum err results_begin(const char *dir) MUST_CHECK;

/* Lists the result files of any kind in dir, in the order of the kinds' lists, joined by ", "; ""
 * if there are none. Owned by the caller. */
char *results_list(const char *dir);

/* Removes the result files of a job that turned out to have no result, and logs each. */
void results_take_back(const char *dir);

/* In dir and in the job directories below it, removes temporary files of killed processes
 * (file_sweep()), marks their jobs as failed (record_bury()), and shares the remaining files
 * (share_results()). */
void results_sweep(const char *dir);

/* Locks dir until the process ends: only one process may write there. ERR_INPUT: dir cannot be
 * opened, or another process, which the text names, holds the lock. On a file system without locks,
 * does nothing. */
enum err results_lock(const char *dir) MUST_CHECK;

#endif
