/* wire.h -- joins pairs of channels through a thread that may change messages between them. */
#ifndef TESTS_UNIT_BOTH_WIRE_H
#define TESTS_UNIT_BOTH_WIRE_H

#include "common/base/clock.h"
#include "proto/frame.h"
#include "tests/unit/both/federation.h"

struct wire {
	size_t n;
	struct channel *hub[FED_MAX], *party[FED_MAX];
	/* Called for each message; may replace its body. l: the party at one end of the pair. */
	void (*pass)(void *arg, size_t l, enum msg_type type, struct buf *body);
	void *arg;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool woken, stopped;
};

static inline void wire_wake(void *arg)
{
	struct wire *w = arg;

	pthread_mutex_lock(&w->lock);
	w->woken = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static inline void wire_move(struct wire *w, size_t l, struct channel *from, struct channel *to)
{
	struct buf body = { 0 };
	enum msg_type type;

	while (!channel_is_full(to) && channel_take(from, &type, &body)) {
		size_t sent = FRAME_HEADER_LEN + body.n;

		w->pass(w->arg, l, type, &body);
		channel_deliver(to, type, &body, clock_now_s());
		channel_sent(from, sent);
	}
	buf_release(&body);
}

static inline bool wire_wait(struct wire *w)
{
	bool stopped;

	pthread_mutex_lock(&w->lock);
	while (!w->woken && !w->stopped)
		pthread_cond_wait(&w->changed, &w->lock);
	w->woken = false;
	stopped = w->stopped;
	pthread_mutex_unlock(&w->lock);
	return !stopped;
}

static inline void *wire_run(void *arg)
{
	struct wire *w = arg;

	while (wire_wait(w))
		for (size_t l = 0; l < w->n; l++) {
			wire_move(w, l, w->hub[l], w->party[l]);
			wire_move(w, l, w->party[l], w->hub[l]);
		}
	return NULL;
}

/* Joins the channels; nothing else may join them. The caller has set all members of w before
 * `thread`. */
static inline void wire_start(struct wire *w)
{
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	for (size_t l = 0; l < w->n; l++) {
		channel_on_wake(w->hub[l], wire_wake, w);
		channel_on_wake(w->party[l], wire_wake, w);
	}
	pthread_create(&w->thread, NULL, wire_run, w);
}

static inline void wire_stop(struct wire *w)
{
	for (size_t l = 0; l < w->n; l++) {
		channel_on_wake(w->hub[l], NULL, NULL);
		channel_on_wake(w->party[l], NULL, NULL);
	}
	pthread_mutex_lock(&w->lock);
	w->stopped = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
}

/* Runs an opened federation to its end; its channels are not yet joined. The caller has set pass
 * and arg of w. */
static inline void wire_federation_run(struct wire *w, struct federation *f)
{
	w->n = f->server.L;
	for (size_t l = 0; l < w->n; l++) {
		w->hub[l] = f->server.channel[l];
		w->party[l] = f->party[l].channel[0];
	}
	wire_start(w);
	federation_run(f);
	wire_stop(w);
}

#endif
