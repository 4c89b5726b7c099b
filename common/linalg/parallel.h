/* parallel.h -- a loop over independent blocks on several threads. Results are the same for any number
 * of threads when blocks are cut by the problem alone and do not share outputs. */
#ifndef COMMON_LINALG_PARALLEL_H
#define COMMON_LINALG_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MAX = 256 };

/* The number of workers that parallel() will use: 1 .. PARALLEL_MAX, never more than blocks. */
unsigned parallel_workers(unsigned threads, size_t blocks);

/* Calls f(ctx, worker, block) for each block 0 .. blocks-1, this thread being worker 0 of
 * parallel_workers(threads, blocks), and returns when all are done. On fewer threads if the system
 * gives no more. Ticks the progress counter at each block. */
void parallel(unsigned threads, size_t blocks, void (*f)(void *ctx, unsigned worker, size_t block),
	      void *ctx);

#endif
