/* prune.h -- old results and state: which may go, by age and by size, and their going.
 *
 * Only files of past jobs that no daemon needs again: directories job-* below the output directory,
 * and below the state directory models and answered or withdrawn offers. Never a job that runs, the
 * one that ran last, the ledger, the list of served attempts, the key of noise, or the log. A link
 * is removed, never followed.
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
	time_t when;  /* of the newest file in it */
	double bytes; /* on disk */
	bool goes;
};

/* Zero-initialised is empty. */
struct prune {
	struct prune_item *item; /* the oldest first */
	size_t n;
};

/* Lists everything that may go in `output` and, if it is not NULL, in `state`. ERR_INPUT: one
 * cannot be read. */
enum err prune_find(struct prune *p, const char *output, const char *state) MUST_CHECK;
/* Marks those older than `days` at `now` (0: none for their age) and then the oldest, until those
 * that stay take at most `bytes` (0: none for their size). Returns how many. */
size_t prune_choose(struct prune *p, time_t now, unsigned days, double bytes);
/* Removes those that are marked. ERR_JOB: the first that cannot be removed; those before it are
 * gone. */
enum err prune_remove(const struct prune *p) MUST_CHECK;
void prune_release(struct prune *p);

enum { PRUNE_EVERY_S = 3600 }; /* a daemon calls prune_old() no more often */

/* Both limits are 0: prune_old() does nothing. */
bool prune_never(const struct daemon_common *c);
/* Removes items beyond keep_days and keep_gib of a daemon; logs each removal and each failure.
 * keeps (or NULL): must the directory of this name stay? */
void prune_old(const struct daemon_common *c, const char *state,
	       bool (*keeps)(void *arg, const char *name), void *arg);

#endif
