/* parallel.h -- a loop over independent blocks on several threads. Results do not depend on the
 * number of threads if the cut into blocks depends on the problem alone and blocks share no
 * outputs. */
#ifndef COMMON_LINALG_PARALLEL_H
#define COMMON_LINALG_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MAX = 256 };

/* Returns the number of workers of parallel(): 1 .. PARALLEL_MAX, at most `blocks`. */
unsigned parallel_workers(unsigned threads, size_t blocks);

/* Calls f(ctx, worker, block) for each block 0 .. blocks-1 and returns when all are done; this
 * thread is worker 0 of parallel_workers(threads, blocks). Uses fewer threads if the system refuses
 * to start them. Ticks the progress counter at each block. */
void parallel(unsigned threads, size_t blocks, void (*f)(void *ctx, unsigned worker, size_t block),
	      void *ctx);

#endif
