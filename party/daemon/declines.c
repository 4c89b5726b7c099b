#include "party/daemon/declines.h"
#include "common/base/log.h"

#define HOUR_S 3600.0

enum err declines_check(struct declines *d, double now_s)
{
	double left_s;

	if (d->count < DECLINES_MAX || now_s - d->at_s[d->next] >= HOUR_S) {
		d->said = false;
		return ERR_OK;
	}
	left_s = HOUR_S - (now_s - d->at_s[d->next]);
	if (!d->said)
		log_error("%d offers were declined within an hour: the party declines those of "
			  "the next %.0f s without reading them",
			  DECLINES_MAX, left_s);
	d->said = true;
	return err_set(ERR_PEER,
		       "%d offers were declined within an hour: for %.0f s more no offer is "
		       "considered",
		       DECLINES_MAX, left_s);
}

void declines_add(struct declines *d, double now_s)
{
	d->at_s[d->next] = now_s;
	d->next = (d->next + 1) % DECLINES_MAX;
	d->count += d->count < DECLINES_MAX;
}
