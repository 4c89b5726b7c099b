#include "common/linalg/parallel.h"
#include "common/base/progress.h"

#include <pthread.h>
#include <stdatomic.h>

struct team {
	void (*f)(void *ctx, unsigned worker, size_t block);
	void *ctx;
	size_t blocks;
	struct progress *progress;
	_Atomic size_t next;
};

struct member {
	struct team *team;
	unsigned number;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct member *m = arg;
	struct team *t = m->team;

	progress_enter(t->progress);
	for (;;) {
		size_t block = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);

		if (block >= t->blocks)
			return NULL;
		t->f(t->ctx, m->number, block);
		progress_tick();
	}
}

unsigned parallel_workers(unsigned threads, size_t blocks)
{
	unsigned workers = threads < 1 ? 1 : threads > PARALLEL_MAX ? PARALLEL_MAX : threads;

	return blocks < 1 ? 1 : blocks < workers ? (unsigned)blocks : workers;
}

void parallel(unsigned threads, size_t blocks, void (*f)(void *ctx, unsigned worker, size_t block),
	      void *ctx)
{
	struct team team = { .f = f, .ctx = ctx, .blocks = blocks, .progress = progress_own() };
	struct member member[PARALLEL_MAX];
	unsigned workers = parallel_workers(threads, blocks), started = 1;

	for (unsigned i = 0; i < workers; i++)
		member[i] = (struct member){ .team = &team, .number = i };
	while (started < workers &&
	       pthread_create(&member[started].thread, NULL, work, &member[started]) == 0)
		started++;
	work(&member[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(member[i].thread, NULL);
}
