/* Padding, for TCP's slow start. */
#include "common/base/alloc.h"
#include "proto/channel_own.h"

#include <stdlib.h>

enum {
	WINDOW_FIRST =
	    14000, /* ten segments of 1448 bytes (RFC 6928), less what TLS and others add */
	WINDOW_MAX = 512 << 10,
};

/* A shorter round trip is not worth the bytes. */
static const double LONG_S = 0.02;

static enum err pad(struct channel *ch, size_t bytes)
{
	uint8_t *zeros = alloc(bytes, 1);
	struct msg m = { .type = MSG_PADDING, .probe = { { zeros, bytes } } };
	enum err e = channel_send(ch, &m);

	free(zeros);
	return e;
}

enum err channel_warm(struct channel *ch, size_t need)
{
	struct post *p = ch->post;
	size_t more = 0, fill;
	enum err e;

	TRY(channel_release(ch));
	if (need > WINDOW_MAX)
		need = WINDOW_MAX;
	pthread_mutex_lock(&p->lock);
	if (!ch->window)
		ch->window = WINDOW_FIRST;
	/* Also to stay there: idle for long, it shrinks. */
	fill = ch->window < need ? ch->window : need;
	if (ch->link.rtt_s >= LONG_S && ch->flight < fill)
		more = fill - ch->flight;
	ch->window += ch->flight + more; /* each byte that arrives lets one more be on its way */
	ch->flight = 0;
	pthread_mutex_unlock(&p->lock);
	if (!more)
		return ERR_OK;
	e = pad(ch, more);
	pthread_mutex_lock(&p->lock);
	ch->flight = 0; /* counted above */
	pthread_mutex_unlock(&p->lock);
	return e;
}

enum err channel_warm_on(struct channel *ch, size_t need, size_t spare)
{
	struct post *p = ch->post;
	size_t more = 0, fill;
	enum err e;

	TRY(channel_release(ch));
	if (need > WINDOW_MAX)
		need = WINDOW_MAX;
	pthread_mutex_lock(&p->lock);
	fill = ch->window < need ? ch->window : need;
	spare += ch->flight;
	if (ch->link.rtt_s >= LONG_S && spare < fill)
		more = fill - spare;
	ch->window += more;
	pthread_mutex_unlock(&p->lock);
	if (!more)
		return ERR_OK;
	e = pad(ch, more);
	pthread_mutex_lock(&p->lock);
	ch->flight = 0;
	pthread_mutex_unlock(&p->lock);
	return e;
}

enum err channel_touch(struct channel *ch)
{
	struct channel_link link;

	channel_link(ch, &link);
	return link.rtt_s >= LONG_S ? pad(ch, 1) : ERR_OK;
}
