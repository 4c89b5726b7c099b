/* results.h -- a directory with the results of one job.
 *
 * The output directory of a coordinator, or of `party --once`, holds the job that runs or ran last:
 * its run.json, and beside it only files of that job. An earlier job's files move into
 * job-ID-ATTEMPT below it, so that a job that fails never stands beside another one's labels.
 */
#ifndef COMMON_JOB_RESULTS_H
#define COMMON_JOB_RESULTS_H

#include "common/base/err.h"

/* A directory's name: "job-", the job's id and the attempt. It has all 32 digits of the id, since
 * the coordinator chooses ids: one that shares some with another must not take its place. */
enum { RESULTS_NAME_MAX = 48 };
void results_name(const char *job_id, unsigned attempt, char name[static RESULTS_NAME_MAX]);

/* A job begins in dir, which need not be there. Moves the files of an earlier one. ERR_JOB. */
enum err results_begin(const char *dir) MUST_CHECK;

/* Lists the result files of any kind in dir, in the order of the kinds' lists, joined by ", "; ""
 * if there are none. Owned by the caller. */
char *results_list(const char *dir);

/* They are nobody's result after all: removes them, and says so in the log. */
void results_take_back(const char *dir);

/* Removes files that killed writers have left in dir and in the job directories below it:
 * file_sweep(). */
void results_sweep(const char *dir);

/* Only one process may write into dir: the lock is held until the process ends. ERR_INPUT: another
 * one has it, and which. */
enum err results_lock(const char *dir) MUST_CHECK;

#endif
