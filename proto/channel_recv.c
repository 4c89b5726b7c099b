/* The job thread's side of a channel: receiving. */
#include "proto/channel_own.h"

#include "common/base/clock.h"

#include <assert.h>
#include <math.h>

void channel_observe(struct channel *ch, channel_observer *f, void *arg)
{
	ch->observe = f;
	ch->observe_arg = arg;
}

void channel_set_aside(struct channel *ch, channel_aside *f, void *arg)
{
	ch->aside = f;
	ch->aside_arg = arg;
}

/* ---- waiting for a message ---- */

/* Takes the next message of any wanted channel. If several channels have messages, they take turns.
 * Call with the lock held. */
static bool pop_any(struct channel *const ch[], const bool wanted[], size_t count, size_t *which,
		    struct item *it)
{
	struct mailbox *p = ch[0]->mailbox;

	for (size_t k = 0; k < count; k++) {
		size_t i = (p->turn + k) % count;

		if ((!wanted || wanted[i]) && queue_pop(&ch[i]->in, it)) {
			*which = i;
			p->turn = i + 1;
			return true;
		}
	}
	return false;
}

/* Call with the lock held. */
static enum err wait_for_item(struct channel *const ch[], const bool wanted[], size_t count,
			      size_t *which, struct item *it)
{
	struct mailbox *p = ch[0]->mailbox;
	double start = clock_now_s();
	bool waited = false;

	for (;; waited = true) {
		struct channel *late = NULL; /* the wanted peer whose deadline is the first */
		double until = HUGE_VAL;
		enum err e;

		for (size_t i = 0; i < count; i++)
			if ((!wanted || wanted[i]) && ch[i]->ended.code != ERR_OK)
				return channel_end_error(ch[i]);
		if (clock_now_s() < p->job_until_s && pop_any(ch, wanted, count, which, it)) {
			if (waited)
				mailbox_account(p, ch[*which], start, it);
			return ERR_OK;
		}
		if (channel_stopped(ch[0], &e))
			return channel_end_all(ch, count, e);
		for (size_t i = 0; i < count; i++) {
			double due = fmax(start, ch[i]->moved_s) + p->step_timeout_s;

			if ((!wanted || wanted[i]) && due < until) {
				until = due;
				late = ch[i];
			}
		}
		assert(late); /* at least one channel is wanted */
		until = fmin(until, p->job_until_s);
		if (clock_now_s() >= until)
			return channel_end_all(ch, count, channel_overdue(late));
		mailbox_wait(p, until);
	}
}

/* Takes the next message of any type, which becomes the current message of its channel. *which:
 * index of that channel. */
static enum err next_item(struct channel *const ch[], const bool wanted[], size_t count,
			  size_t *which, struct item *it)
{
	struct mailbox *p = ch[0]->mailbox;
	struct channel *from;
	enum err e;

	for (size_t i = 0; i < count; i++)
		TRY(channel_release(ch[i]));
	pthread_mutex_lock(&p->lock);
	e = wait_for_item(ch, wanted, count, which, it);
	if (e != ERR_OK) {
		pthread_mutex_unlock(&p->lock);
		return e;
	}
	from = ch[*which];
	if (from->current.cap > from->spare.cap) { /* keep the larger buffer for reuse */
		struct buf swap = from->spare;

		from->spare = from->current;
		from->current = swap;
	}
	buf_release(&from->current);
	from->current = it->body;
	if (from->reader_waits && from->in.bytes <= CHANNEL_IN_MAX / 2) {
		from->reader_waits = false;
		channel_wake(from);
	}
	pthread_mutex_unlock(&p->lock);
	channel_pump(from);
	return ERR_OK;
}

static enum err look_aside(struct channel *from, const struct item *it, bool *taken)
{
	enum err e;

	*taken = false;
	if (!from->aside)
		return ERR_OK;
	e = from->aside(from->aside_arg, it->type, (struct bytes){ it->body.p, it->body.n }, taken);
	return e == ERR_OK ? e : channel_protocol_error(from, e);
}

enum err channel_recv_aside(struct channel *ch)
{
	struct channel *const only[] = { ch };
	struct item it;
	size_t which;
	bool taken;

	TRY(next_item(only, NULL, 1, &which, &it));
	TRY(look_aside(ch, &it, &taken));
	if (taken)
		return ERR_OK;
	return channel_protocol_error(
	    ch, peer_fault(ch, "sent %s, which is not due", msg_name(it.type)));
}

enum err channel_recv(struct channel *ch, enum msg_type expect, struct msg *m)
{
	size_t which;

	return channel_recv_either(&ch, NULL, 1, expect, expect, &which, m);
}

enum err channel_recv_any(struct channel *const ch[], const bool wanted[], size_t count,
			  enum msg_type expect, size_t *which, struct msg *m)
{
	return channel_recv_either(ch, wanted, count, expect, expect, which, m);
}

enum err channel_recv_either(struct channel *const ch[], const bool wanted[], size_t count,
			     enum msg_type expect, enum msg_type other, size_t *which,
			     struct msg *m)
{
	struct channel *from;
	struct item it;
	bool taken;
	enum err e;

	assert(msg_sender(expect) & (ch[0]->own ^ BOTH) && !msg_is_link(expect));
	do {
		TRY(next_item(ch, wanted, count, which, &it));
		from = ch[*which];
		TRY(look_aside(from, &it, &taken));
	} while (taken);
	if (it.type != expect && it.type != other)
		return channel_protocol_error(
		    from,
		    peer_fault(from, "sent %s, expected %s", msg_name(it.type), msg_name(expect)));
	e = msg_decode(m, (uint16_t)it.type, (struct bytes){ it.body.p, it.body.n });
	if (e != ERR_OK) {
		err_prefix(e, "%s (during %s)", from->peer, from->step);
		return channel_protocol_error(from, e);
	}
	if (from->observe)
		from->observe(from->observe_arg, it.type, (struct bytes){ it.body.p, it.body.n });
	return ERR_OK;
}
