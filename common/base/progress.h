/* progress.h -- a counter that rises while a job computes.
 *
 * Long numerical loops increment it, and check whether the job was stopped. Heartbeats carry it, so
 * that a peer can tell a slow computation from one that hangs. Relaxed atomics; thread-safe.
 */
#ifndef COMMON_BASE_PROGRESS_H
#define COMMON_BASE_PROGRESS_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Progress of one job over all its threads, and its stop flag. Zero-initialised is valid. */
struct progress {
	_Atomic uint64_t ticks;
	_Atomic bool stopped;
};

/* Attributes the work of this thread, and of the threads that parallel() starts for it, to p. NULL
 * attributes it to the process, as before the first call. p must stay valid until the next call on
 * this thread. */
void progress_enter(struct progress *p);
struct progress *progress_own(void); /* set by progress_enter() */

void progress_tick(void);
uint64_t progress_count(const struct progress *p); /* p NULL: returns the count of the process */

/* Stops the computations of p's job. Long loops poll the flag at least every 2 s, on any data, and
 * end early. Their results are then invalid, so callers must call progress_check() before they send
 * or store them. */
void progress_stop(struct progress *p);
void progress_go_on(struct progress *p);  /* clears the stop flag */
bool progress_stopped(void);              /* true if the stop flag of this thread's job is set */
enum err progress_check(void) MUST_CHECK; /* ERR_CANCELLED if stopped */

#endif
