/* prune.h -- chooses old results and state by age and size, and removes them.
 *
 * Removes only in the output directory the directories job-*, and in the state directory models and
 * all files of offers, also of one that still waits for an answer. Never removes a job whose
 * run.json says "running" and that wrote a file within a day, the files of a job in the output
 * directory itself, the ledger, the list of served attempts, the noise key, or the log. Removes
 * symbolic links but never follows them.
 */
#ifndef COMMON_JOB_PRUNE_H
#define COMMON_JOB_PRUNE_H

#include "common/base/err.h"
#include "common/job/daemon.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct prune_item {
	char *path;
	time_t when;  /* modification time of the newest file in it */
	double bytes; /* on disk */
	bool goes;
};

/* Empty if zero-initialised. */
struct prune {
	struct prune_item *item; /* the oldest first */
	size_t n;
};

/* Lists everything that may be removed in `output` and, if it is not NULL, in `state`. ERR_INPUT:
 * `output` does not exist, or a directory cannot be read. */
enum err prune_find(struct prune *p, const char *output, const char *state) MUST_CHECK;
/* Marks items that are older than `days` at time `now` (0: no limit of age). Then marks the oldest
 * items until the remaining ones take at most `bytes` (0: no limit of size). Returns the number of
 * marked items. */
size_t prune_choose(struct prune *p, time_t now, unsigned days, double bytes);
/* Removes the marked items. ERR_JOB names the first that cannot be removed; those before it are
 * removed. */
enum err prune_remove(const struct prune *p) MUST_CHECK;
void prune_release(struct prune *p);

enum { PRUNE_EVERY_S = 3600 }; /* shortest time between two calls of prune_old() by a daemon */

/* True if both limits are 0, so that prune_old() does nothing. */
bool prune_never(const struct daemon_common *c);
/* Removes items beyond a daemon's keep_days and keep_gib; first logs each item that goes. Then
 * stops at the first that cannot be removed, and logs it. keeps: a function that returns true if
 * the directory of this name must stay; may be NULL. */
void prune_old(const struct daemon_common *c, const char *state,
	       bool (*keeps)(void *arg, const char *name), void *arg);

#endif
