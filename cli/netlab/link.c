#include "cli/netlab/link.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void links_init(struct links *l, int hosts, const struct link_speed *speed)
{
	assert(hosts > 0 && speed->rate_mbit > 0 && speed->delay_ms >= 0 && speed->queue_ms >= 0);
	l->hosts = hosts;
	l->ns_per_byte = 8e3 / speed->rate_mbit;
	l->delay = (uint64_t)llround(1e6 * speed->delay_ms);
	l->queue = (uint64_t)llround(1e6 * speed->queue_ms);
	ALLOC(l->up, (size_t)hosts);
	ALLOC(l->down, (size_t)hosts);
}

void links_release(struct links *l)
{
	free(l->up);
	free(l->down);
	*l = (struct links){ 0 };
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t time_of(const struct links *l, size_t bytes)
{
	return (uint64_t)llround(l->ns_per_byte * (double)bytes);
}

bool links_leave(struct links *l, int from, struct weight w, uint64_t now, uint64_t *arrival)
{
	uint64_t *up = &l->up[from];

	assert(from >= 0 && from < l->hosts);
	if (*up > now + l->queue)
		return false;
	*up = later(*up, now) + time_of(l, w.bytes);
	*arrival = *up + l->delay;
	return true;
}

bool links_arrive(struct links *l, int to, struct weight w, uint64_t arrival, uint64_t *due)
{
	uint64_t *down = &l->down[to];

	assert(to >= 0 && to < l->hosts && w.segment <= w.bytes);
	if (*down > arrival + l->queue)
		return false;
	*down = later(*down + time_of(l, w.bytes), arrival + time_of(l, w.segment));
	*due = *down;
	return true;
}
