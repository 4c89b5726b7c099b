/* share.h -- results that a group of this host may read (results_group).
 *
 * Members may read run.json, labels, profiles and reports of jobs that are over: these files get
 * that group and mode 0640, their directories 0750. All other files stay with the daemon's user.
 */
#ifndef COMMON_JOB_SHARE_H
#define COMMON_JOB_SHARE_H

#include "common/base/err.h"
#include "common/job/daemon.h"

#include <stdbool.h>
#include <sys/types.h>

/* Looks the group up, before the process confines itself. Without a group in c, nothing is shared.
 * ERR_INPUT: this host has no such group, or this process is no member of it. */
enum err share_begin(const struct daemon_common *c) MUST_CHECK;
/* Returns false if nothing is shared. */
bool share_group(gid_t *group);
/* Shares the results in dir, and lets members enter it. Logs what fails, as a warning. */
void share_results(const char *dir);

#endif
