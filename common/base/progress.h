/* progress.h -- a counter that rises while this process computes.
 *
 * Long numerical loops tick it, and look whether anybody still wants what they compute; heartbeats carry it, so that a peer can tell a slow
 * computation from one that hangs. One relaxed atomic; safe from any thread.
 */
#ifndef COMMON_BASE_PROGRESS_H
#define COMMON_BASE_PROGRESS_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stdint.h>

void progress_tick(void);
uint64_t progress_count(void);

/* The job that computations of this process are for is over, whatever becomes of them: long loops look at it
 * once in a while (2 s at most on any data) and end. Results of a loop that ended so are no results: whoever
 * sends or keeps one asks first. */
void progress_stop(bool stop);
bool progress_stopped(void);
enum err progress_check(void) MUST_CHECK; /* ERR_CANCELLED if so */

#endif
