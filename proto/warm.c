/* Padding that opens TCP's congestion window and keeps it open. */
#include "common/base/alloc.h"
#include "proto/channel_own.h"

#include <stdlib.h>

enum {
	WINDOW_FIRST = 14000, /* ten segments of 1448 bytes (RFC 6928), less TLS and headers */
	WINDOW_MAX = 512 << 10,
};

/* If the round trip is shorter than this, padding is not worth its bytes. */
static const double LONG_S = 0.02;

static enum err warm_send_padding(struct channel *ch, size_t bytes)
{
	uint8_t *zeros = alloc(bytes, 1);
	struct msg m = { .type = MSG_PADDING, .padding = { { zeros, bytes } } };
	enum err e = channel_send(ch, &m);

	free(zeros);
	return e;
}

/* Returns how many zeros must be sent if `ahead` bytes are already in flight. Call with the lock
 * held. */
static size_t missing(const struct channel *ch, size_t need, size_t ahead)
{
	size_t fill = need < WINDOW_MAX ? need : WINDOW_MAX;

	fill = fill < ch->window ? fill : ch->window;
	return ch->link.rtt_s >= LONG_S && ahead < fill ? fill - ahead : 0;
}

static enum err fill_up(struct channel *ch, size_t more)
{
	enum err e;

	if (!more)
		return ERR_OK;
	e = warm_send_padding(ch, more);
	pthread_mutex_lock(&ch->mailbox->lock);
	ch->flight = 0; /* channel_warm() has already raised the window by these bytes */
	pthread_mutex_unlock(&ch->mailbox->lock);
	return e;
}

enum err channel_warm(struct channel *ch, size_t need)
{
	size_t more;

	TRY(channel_release(ch));
	pthread_mutex_lock(&ch->mailbox->lock);
	if (!ch->window)
		ch->window = WINDOW_FIRST;
	/* Padding also preserves the window, which shrinks if the connection is idle for long. */
	more = missing(ch, need, ch->flight);
	ch->window += ch->flight + more; /* for each byte that arrives, one more can be in flight */
	ch->flight = 0;
	pthread_mutex_unlock(&ch->mailbox->lock);
	return fill_up(ch, more);
}

enum err channel_warm_on(struct channel *ch, size_t need, size_t spare)
{
	size_t more;

	TRY(channel_release(ch));
	pthread_mutex_lock(&ch->mailbox->lock);
	more = missing(ch, need, ch->flight + spare);
	ch->window += more;
	pthread_mutex_unlock(&ch->mailbox->lock);
	return fill_up(ch, more);
}

enum err channel_touch(struct channel *ch)
{
	struct link_state link;

	channel_link(ch, &link);
	return link.rtt_s >= LONG_S ? warm_send_padding(ch, 1) : ERR_OK;
}
