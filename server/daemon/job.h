/* job.h -- one job from offer to result, on the coordinator's job thread.
 *
 * offer -> accept (same job, same data) -> keys -> the protocol of the job's kind -> results stored
 * by all -> done. On any failure the coordinator sends the cause to the other parties, and writes
 * the record.
 */
#ifndef SERVER_DAEMON_JOB_H
#define SERVER_DAEMON_JOB_H

#include "server/run/run.h"

/* Runs the job. run has joined channels, a job_id and an initialised record. output: directory of
 * the results and of run.json. Returns the result of the job. */
enum err job_serve(struct run *run, const char *output) MUST_CHECK;

/* Call after a job has failed. Returns true if only this attempt ended and another one follows, as
 * the coordinator tells all parties. Call from any thread. */
bool job_continues(const struct run *run);

#endif
