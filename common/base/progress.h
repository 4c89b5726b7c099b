/* progress.h -- a counter that rises while this process computes.
 *
 * Long numerical loops tick it; heartbeats carry it, so that a peer can tell a slow
 * computation from one that hangs. One relaxed atomic; safe from any thread.
 */
#ifndef COMMON_BASE_PROGRESS_H
#define COMMON_BASE_PROGRESS_H

#include <stdint.h>

void progress_tick(void);
uint64_t progress_count(void);

#endif
