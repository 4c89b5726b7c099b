#include "proto/backoff.h"
#include "common/base/clock.h"

#include <math.h>
#include <unistd.h>

void backoff_begin(struct backoff *b, double limit_s)
{
	b->began_s = clock_now_s();
	b->until_s = b->began_s + limit_s;
	b->next_ms = BACKOFF_FIRST_MS;
	rng_seed(&b->rng, (uint64_t)(b->began_s * 1e6), (uint64_t)getpid());
}

uint64_t backoff_left_ms(const struct backoff *b)
{
	return (uint64_t)ceil(fmax(0, 1e3 * (b->until_s - clock_now_s())));
}

uint64_t backoff_next_ms(struct backoff *b)
{
	uint64_t left = backoff_left_ms(b),
		 wait = b->next_ms / 2 + rng_below(&b->rng, b->next_ms / 2 + 1);

	b->next_ms = b->next_ms * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : b->next_ms * 2;
	return wait < left ? wait : left;
}

double backoff_passed_s(const struct backoff *b)
{
	return clock_now_s() - b->began_s;
}
