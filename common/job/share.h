/* share.h -- results that a group of this host may read (results_group).
 *
 * Members may read run.json, labels, profiles and reports of jobs that have ended. These files get
 * that group and mode 0640, and their directories get mode 0750. Only the daemon's user can read
 * all other files.
 */
#ifndef COMMON_JOB_SHARE_H
#define COMMON_JOB_SHARE_H

#include "common/base/err.h"
#include "common/job/daemon.h"

#include <stdbool.h>
#include <sys/types.h>

/* Looks the group up, before the process confines itself. Without a group in c, nothing is shared.
 * ERR_INPUT: this host has no such group, or this process is neither root nor a member of it. */
enum err share_begin(const struct daemon_common *c) MUST_CHECK;
/* Returns false if nothing is shared. */
bool share_group(gid_t *group);
/* Shares the results in dir, and lets members enter it. Logs failures as warnings. */
void share_results(const char *dir);

#endif
