/* daemon.h -- a party's loop thread: dial the coordinator, serve its jobs, until stopped. */
#ifndef PARTY_DAEMON_DAEMON_H
#define PARTY_DAEMON_DAEMON_H

#include "common/base/err.h"
#include "common/job/daemon.h"
#include "common/job/job.h"

#include <stdbool.h>

struct daemon_options {
	const struct job *agreed; /* any other job is declined; NULL: the policy alone decides */
	bool once;                /* end after one job, with its result */
};

/* ERR_OK: stopped while idle, or the one job is done. Otherwise what the job, or reaching the
 * coordinator, ended with; the sentence is err_detail(). */
enum err daemon_run(const struct party_config *config, const struct daemon_options *o) MUST_CHECK;

#endif
