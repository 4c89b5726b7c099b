#include "common/base/progress.h"

#include <stdatomic.h>

static _Atomic uint64_t ticks;
static _Atomic bool stopped;

void progress_tick(void)
{
	atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
}

uint64_t progress_count(void)
{
	return atomic_load_explicit(&ticks, memory_order_relaxed);
}

void progress_stop(bool stop)
{
	atomic_store_explicit(&stopped, stop, memory_order_relaxed);
}

bool progress_stopped(void)
{
	return atomic_load_explicit(&stopped, memory_order_relaxed);
}

enum err progress_check(void)
{
	return progress_stopped() ? err_set(ERR_CANCELLED, "the computation was stopped") : ERR_OK;
}
