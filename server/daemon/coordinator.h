/* coordinator.h -- the coordinator's loop thread: who may come in, and the one job they come for.
 *
 * Listens, admits the parties of the roster, starts the job thread when all are there, and takes
 * everything down again: when the job is done, when a signal comes, when somebody does not come.
 */
#ifndef SERVER_DAEMON_COORDINATOR_H
#define SERVER_DAEMON_COORDINATOR_H

#include "common/base/err.h"
#include "common/job/daemon.h"
#include "common/job/job.h"

#include <stdbool.h>

/* Runs one job and returns what it ended with; the sentence is err_detail(). *before: nothing was run,
 * for the process before this one had done it and died on its way out. */
enum err coordinator_run(const struct coordinator_config *config, const struct job *job,
			 bool *before) MUST_CHECK;

#endif
