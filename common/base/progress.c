#include "common/base/progress.h"

#include <stdatomic.h>

static _Atomic uint64_t ticks;

void progress_tick(void)
{
	atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
}

uint64_t progress_count(void)
{
	return atomic_load_explicit(&ticks, memory_order_relaxed);
}
