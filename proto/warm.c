/* Padding, for TCP's slow start. */
#include "common/base/alloc.h"
#include "proto/channel_own.h"

#include <stdlib.h>

enum {
	WINDOW_FIRST = 12 << 10, /* ten segments (RFC 6928), less what TLS and others add */
	WINDOW_MAX = 512 << 10,
};

/* A shorter round trip is not worth the bytes. */
static const double LONG_S = 0.02;

enum err channel_warm(struct channel *ch, size_t need)
{
	struct post *p = ch->post;
	struct msg m = { .type = MSG_PADDING };
	size_t pad = 0, fill;
	uint8_t *zeros;
	enum err e;

	if (need > WINDOW_MAX)
		need = WINDOW_MAX;
	pthread_mutex_lock(&p->lock);
	if (!ch->window)
		ch->window = WINDOW_FIRST;
	fill = ch->window < need ? ch->window
				 : need; /* also to stay there: idle for long, it shrinks */
	if (ch->link.rtt_s >= LONG_S && ch->flight < fill)
		pad = fill - ch->flight;
	ch->window += ch->flight + pad; /* each byte that arrives lets one more be on its way */
	ch->flight = 0;
	pthread_mutex_unlock(&p->lock);
	if (!pad)
		return ERR_OK;
	zeros = alloc(pad, 1);
	m.probe.zeros = (struct bytes){ zeros, pad };
	e = channel_send(ch, &m);
	free(zeros);
	pthread_mutex_lock(&p->lock);
	ch->flight = 0; /* counted above */
	pthread_mutex_unlock(&p->lock);
	return e;
}
