/* backoff.h -- delays before dialling again. Each delay is twice the last, up to a limit, and has a
 * random part.
 *
 * Parties that lost the coordinator at the same moment should not all return at the same moment, so
 * delays are random. They need not be secret.
 */
#ifndef PROTO_BACKOFF_H
#define PROTO_BACKOFF_H

#include "common/base/rng.h"

#include <stdint.h>

enum { BACKOFF_FIRST_MS = 50, BACKOFF_MAX_MS = 5000 };

struct backoff {
	double began_s, until_s; /* times of clock_now_s() */
	unsigned next_ms;
	struct rng rng;
};

/* Starts a series of attempts that lasts limit_s seconds. */
void backoff_begin(struct backoff *b, double limit_s);
/* Returns the delay before the next attempt. It is half of 50, 100, 200, ... 5000 ms, plus a random
 * part of at most the same length. It is never longer than the time left. */
uint64_t backoff_next_ms(struct backoff *b);
uint64_t backoff_left_ms(const struct backoff *b); /* returns 0 if the time is over */
double backoff_passed_s(const struct backoff *b);

#endif
