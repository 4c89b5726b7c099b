#include "common/base/progress.h"

#include <stdatomic.h>

static struct progress process;
static _Thread_local struct progress *own;

static struct progress *current(void)
{
	return own ? own : &process;
}

void progress_enter(struct progress *p)
{
	own = p;
}

struct progress *progress_own(void)
{
	return own;
}

void progress_tick(void)
{
	atomic_fetch_add_explicit(&current()->ticks, 1, memory_order_relaxed);
}

uint64_t progress_count(const struct progress *p)
{
	return atomic_load_explicit(&(p ? p : &process)->ticks, memory_order_relaxed);
}

void progress_stop(struct progress *p)
{
	atomic_store_explicit(&p->stopped, true, memory_order_relaxed);
}

void progress_go_on(struct progress *p)
{
	atomic_store_explicit(&p->stopped, false, memory_order_relaxed);
}

bool progress_stopped(void)
{
	return atomic_load_explicit(&current()->stopped, memory_order_relaxed);
}

enum err progress_check(void)
{
	return progress_stopped() ? err_set(ERR_CANCELLED, "the computation was stopped") : ERR_OK;
}
