/* Server-sent events for watchers. A watcher's connection sleeps until there is news. Each event is
 * made once and sent to all watchers. */
#include "common/base/alloc.h"
#include "common/http/own.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 16 << 10, PATIENCE_MS = 500 };

/* Returns the event for `news`; makes it at the first call with that number. Only for the server's
 * thread. */
static const struct buf *make_event(struct http *h, uint64_t news)
{
	if (h->event_news == news)
		return &h->event;
	h->event.n = 0;
	buf_add(&h->event, "data: ", 6);
	h->site.event(h->site.arg, &h->event);
	buf_add(&h->event, "\n\n", 2);
	h->event_news = news;
	return &h->event;
}

/* Prepares the watcher's next event. True if there is something to send; false if the watcher was
 * suspended or must end. */
static bool next_event(struct watcher *w, bool *end)
{
	struct http *h = w->h;
	const struct buf *event;
	uint64_t news;

	pthread_mutex_lock(&h->lock);
	*end = h->closing || w->cut;
	news = h->news;
	if (!*end && news == w->seen) {
		w->suspended = true;
		MHD_suspend_connection(w->connection);
	}
	pthread_mutex_unlock(&h->lock);
	if (*end || news == w->seen)
		return false;
	event = make_event(h, news);
	w->seen = news;
	w->out.n = w->at = 0;
	buf_add(&w->out, event->p, event->n);
	return true;
}

static ssize_t http_events_read_some(void *watcher, uint64_t pos, char *out, size_t max)
{
	struct watcher *w = watcher;
	size_t n = w->out.n - w->at;
	bool end = false;

	(void)pos;
	if (!n) {
		if (!next_event(w, &end))
			return end ? MHD_CONTENT_READER_END_OF_STREAM : 0;
		n = w->out.n;
	}
	n = n < max ? n : max;
	memcpy(out, w->out.p + w->at, n);
	w->at += n;
	return (ssize_t)n;
}

static void http_events_forget(void *watcher)
{
	struct watcher *w = watcher;
	struct http *h = w->h;

	pthread_mutex_lock(&h->lock);
	for (struct watcher **at = &h->watchers; *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	pthread_mutex_unlock(&h->lock);
	buf_release(&w->out);
	free(w);
}

enum MHD_Result http_watch(struct http *h, struct MHD_Connection *c)
{
	struct MHD_Response *r;
	enum MHD_Result queued;
	struct watcher *w;

	ALLOC(w, 1);
	*w = (struct watcher){ .h = h, .connection = c };
	pthread_mutex_lock(&h->lock);
	w->next = h->watchers;
	h->watchers = w;
	w->seen = h->news - 1; /* so that the current state is sent at once */
	pthread_mutex_unlock(&h->lock);
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, http_events_read_some, w,
					      http_events_forget);
	if (!r) {
		http_events_forget(w);
		return MHD_NO;
	}
	http_security_headers(r);
	MHD_add_response_header(r, "Content-Type", "text/event-stream");
	queued = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return queued;
}

void http_announce(struct http *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->news++;
	for (struct watcher *w = h->watchers; w; w = w->next)
		if (w->suspended) {
			w->suspended = false;
			MHD_resume_connection(w->connection);
		}
	pthread_mutex_unlock(&h->lock);
}

/* True if all watchers have received the last news. A suspended watcher has received it. A watcher
 * that has ended does not count. */
static bool all_know(struct http *h)
{
	bool know = true;

	pthread_mutex_lock(&h->lock);
	for (struct watcher *w = h->watchers; w; w = w->next)
		know = know && w->suspended;
	pthread_mutex_unlock(&h->lock);
	return know;
}

static void give_time(struct http *h)
{
	const struct timespec nap = { .tv_nsec = 5000000 };

	for (int i = 0; i < PATIENCE_MS / 5 && !all_know(h); i++)
		nanosleep(&nap, NULL);
}

void http_announce_last(struct http *h)
{
	http_announce(h);
	give_time(h);
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	pthread_mutex_unlock(&h->lock);
	http_announce(h);
	give_time(h);
}
