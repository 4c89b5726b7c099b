/* declines.h -- how many offers of one coordinator were declined of late.
 *
 * Each answer to an offer says a little: that the policy allows it, that the data are of its kind. One who
 * offers a thousand jobs to see which are declined gets no answer worth having after policy.max_declines
 * of them within an hour, whatever it offers, until an hour has passed since the first of these.
 */
#ifndef PARTY_DAEMON_DECLINES_H
#define PARTY_DAEMON_DECLINES_H

#include "common/base/err.h"

#include <stdbool.h>

enum { DECLINES_MAX = 1000 }; /* the most that policy.max_declines can be */

/* A ring of the times of the last `most` declines. Zeroed: none yet. */
struct declines {
	double at_s[DECLINES_MAX]; /* clock_now_s() */
	unsigned count, next;
	bool said; /* that the bound is reached, in the log */
};

/* May another offer be considered? ERR_PEER if `most` were declined in the hour before now_s. Times never
 * fall. O(1). */
enum err declines_check(struct declines *d, unsigned most, double now_s) MUST_CHECK;
/* One was declined that declines_check() let through. */
void declines_add(struct declines *d, unsigned most, double now_s);

#endif
