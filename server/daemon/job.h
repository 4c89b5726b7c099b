/* job.h -- one job from offer to result, on the coordinator's job thread.
 *
 * offer -> accept (same job, same data) -> keys -> the protocol of the job's kind -> results stored
 * by all -> done. On any failure the other parties are told the cause, and the record is written.
 */
#ifndef SERVER_DAEMON_JOB_H
#define SERVER_DAEMON_JOB_H

#include "server/run/run.h"

/* Runs the job. run: channels joined, job_id drawn, record initialised; output: directory of
 * labels.csv, labels.npy and run.json. Returns the exit status of the process; logs the
 * sentence. */
enum err job_serve(struct run *run, const char *output) MUST_CHECK;

/* After a job without success: did only this attempt end, with another to follow? All parties are
 * told so. Any thread. */
bool job_goes_on(const struct run *run);

#endif
