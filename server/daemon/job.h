/* job.h -- one job from offer to result, on the coordinator's job thread.
 *
 * offer -> accept (same job, same data) -> keys -> the protocol of the job's kind -> results stored
 * by all -> done. On any failure the coordinator sends the cause to the other parties, and writes
 * the record.
 */
#ifndef SERVER_DAEMON_JOB_H
#define SERVER_DAEMON_JOB_H

#include "server/run/run.h"

/* Runs the job. run: channels joined, job_id drawn, record initialised; output: directory of
 * labels.csv, labels.npy and run.json. Returns the exit status of the process; logs the
 * sentence. */
enum err job_serve(struct run *run, const char *output) MUST_CHECK;

/* Call after a job without success: returns whether only this attempt ended, with another to
 * follow. All parties are informed of that. Any thread. */
bool job_continues(const struct run *run);

#endif
