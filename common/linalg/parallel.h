/* parallel.h -- a loop over independent blocks on several threads.
 *
 * Who makes a block is left to chance, so a result is the same for any number of threads exactly
 * when blocks are cut by the problem (never by the number of threads) and do not share outputs.
 */
#ifndef COMMON_LINALG_PARALLEL_H
#define COMMON_LINALG_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MAX = 256 };

/* The number of workers that parallel() will use: 1 .. PARALLEL_MAX, never more than blocks. */
unsigned parallel_workers(unsigned threads, size_t blocks);

/* Calls f(ctx, worker, block) for each block 0 .. blocks-1 and returns when all are done; the
 * caller is worker 0. worker < parallel_workers(threads, blocks) numbers scratch space. Runs on
 * fewer threads if the system gives no more. Ticks the progress counter at each block. */
void parallel(unsigned threads, size_t blocks, void (*f)(void *ctx, unsigned worker, size_t block),
	      void *ctx);

#endif
