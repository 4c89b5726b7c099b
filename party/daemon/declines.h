/* declines.h -- limits how many offers of a coordinator are declined per hour.
 *
 * Each answer to an offer discloses a little: whether the policy permits it, and whether the data
 * suit it. After DECLINES_MAX declined offers within an hour, the party gives a probing coordinator
 * the same answer to all offers, until an hour has passed since the first of these. */
#ifndef PARTY_DAEMON_DECLINES_H
#define PARTY_DAEMON_DECLINES_H

#include "common/base/err.h"

#include <stdbool.h>

enum { DECLINES_MAX = 60 };

/* A ring of the times of the last declines. Empty if zeroed. */
struct declines {
	double at_s[DECLINES_MAX]; /* clock_now_s() */
	unsigned count, next;
	bool said; /* the log already reports that the limit was reached */
};

/* Returns ERR_PEER if DECLINES_MAX offers were declined in the hour before now_s. Times never
 * decrease. O(1). */
enum err declines_check(struct declines *d, double now_s) MUST_CHECK;
/* Call after declining an offer that declines_check() let through. */
void declines_add(struct declines *d, double now_s);

#endif
