/* job.h -- one job from offer to result, on the coordinator's job thread.
 *
 * offer -> accept (same job, same data) -> keys -> the protocol of the job's kind -> results kept
 * by everyone -> done. Whatever fails, the other parties are told the cause, and the record of what
 * happened is written.
 */
#ifndef SERVER_DAEMON_JOB_H
#define SERVER_DAEMON_JOB_H

#include "server/run/run.h"

/* Runs it. run: channels joined, job_id drawn, record initialised; output: directory of labels.csv,
 * labels.npy and run.json. Returns what the process should end with; the sentence is logged. */
enum err job_serve(struct run *run, const char *output) MUST_CHECK;

/* Of a job that did not end well: was only this attempt cut short, so that another one follows? All
 * parties are told so. Any thread. */
bool job_goes_on(const struct run *run);

#endif
