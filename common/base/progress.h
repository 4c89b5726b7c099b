/* progress.h -- a counter that rises while a job computes.
 *
 * Long numerical loops tick it, and look whether the job was given up; heartbeats carry it, so that a
 * peer can tell a slow computation from one that hangs. One relaxed atomic; safe from any thread.
 */
#ifndef COMMON_BASE_PROGRESS_H
#define COMMON_BASE_PROGRESS_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* How far one job has come, over all its threads, and whether it is to stop. Zero-initialised is ready. */
struct progress {
	_Atomic uint64_t ticks;
	_Atomic bool stopped;
};

/* This thread computes for p from now on, and so do those that parallel() starts for it; NULL, as at a
 * thread's start: for the process. p must live until then. */
void progress_enter(struct progress *p);
struct progress *progress_own(void); /* what this thread entered */

void progress_tick(void);
uint64_t progress_count(const struct progress *p); /* NULL: of the process */

/* The job that p is of is over, whatever becomes of its computations: long loops look at it
 * once in a while (2 s at most on any data) and end. Results of a loop that ended so are no results: whoever
 * sends or keeps one asks first. */
void progress_stop(struct progress *p);
void progress_go_on(struct progress *p); /* it is not over after all */
bool progress_stopped(void); /* of what this thread computes for */
enum err progress_check(void) MUST_CHECK; /* ERR_CANCELLED if so */

#endif
