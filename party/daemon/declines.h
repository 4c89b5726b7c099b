/* declines.h -- limits how many offers of a coordinator are declined per hour.
 *
 * Each answer to an offer discloses a little: whether the policy permits it, and whether the data
 * suit it. Once the party has declined DECLINES_MAX offers within an hour, a probing coordinator
 * gets the same answer to all offers. This lasts until an hour has passed since the first of the
 * declined offers. */
#ifndef PARTY_DAEMON_DECLINES_H
#define PARTY_DAEMON_DECLINES_H

#include "common/base/err.h"

#include <stdbool.h>

enum { DECLINES_MAX = 60 };

/* A ring of the times of the last declined offers. A zeroed object is empty. */
struct declines {
	double at_s[DECLINES_MAX]; /* times of clock_now_s() */
	unsigned count, next;
	bool said; /* the log already has the message that the limit was reached */
};

/* Returns ERR_PEER if DECLINES_MAX offers were declined in the hour before now_s. now_s must not
 * decrease between calls. O(1). */
enum err declines_check(struct declines *d, double now_s) MUST_CHECK;
/* Call after declining an offer that declines_check() let through. */
void declines_add(struct declines *d, double now_s);

#endif
