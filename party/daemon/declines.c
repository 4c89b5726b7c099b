#include "party/daemon/declines.h"
#include "common/base/log.h"

#define HOUR_S 3600.0

enum err declines_check(struct declines *d, unsigned most, double now_s)
{
	double left_s;

	if (d->count < most || now_s - d->at_s[d->next] >= HOUR_S) {
		d->said = false;
		return ERR_OK;
	}
	left_s = HOUR_S - (now_s - d->at_s[d->next]);
	if (!d->said)
		log_error("%u offers were declined within an hour, policy.max_declines is %u: "
			  "those of the next "
			  "%.0f s are declined unread",
			  most, most, left_s);
	d->said = true;
	return err_set(
	    ERR_PEER,
	    "%u offers were declined within an hour, policy.max_declines is %u: for %.0f s more no "
	    "offer is considered",
	    most, most, left_s);
}

void declines_add(struct declines *d, unsigned most, double now_s)
{
	d->at_s[d->next] = now_s;
	d->next = (d->next + 1) % most;
	d->count += d->count < most;
}
