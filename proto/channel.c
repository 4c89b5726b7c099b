/* The job thread's side of a channel: its life, held messages, sending. */
#include "proto/channel_own.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct channel *channel_new(struct mailbox *p, enum sender own, const char *peer)
{
	struct channel *ch;

	assert(own == COORD || own == PARTY);
	assert(strlen(peer) <= MSG_NAME_MAX);
	ALLOC(ch, 1);
	ch->mailbox = p;
	ch->own = own;
	ch->step = "start";
	strncpy(ch->peer, peer, MSG_NAME_MAX);
	ch->moved_s = clock_now_s();
	ch->link.rtt_s = -1;
	pthread_mutex_lock(&p->lock);
	ch->next = p->channels;
	p->channels = ch;
	pthread_mutex_unlock(&p->lock);
	return ch;
}

void channel_free(struct channel *ch)
{
	struct mailbox *p;
	struct channel **at;

	if (!ch)
		return;
	channel_unpair(ch);
	p = ch->mailbox;
	pthread_mutex_lock(&p->lock);
	for (at = &p->channels; *at != ch;)
		at = &(*at)->next;
	*at = ch->next;
	if (p->broken == ch) { /* keeps the reason, because ch is freed */
		reason_set(&p->cancelled, &ch->failed, ch->failed.why);
		p->broken = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	queue_clear(&ch->in);
	queue_clear(&ch->out);
	queue_clear(&ch->kept.queue);
	free(ch->in.item);
	free(ch->out.item);
	free(ch->kept.queue.item);
	buf_release(&ch->current);
	buf_release(&ch->spare);
	for (size_t i = 0; i < ch->spares; i++)
		buf_release(&ch->spare_out[i]);
	free(ch->failed.why);
	free(ch->ended.why);
	free(ch);
}

const char *channel_peer(const struct channel *ch)
{
	return ch->peer;
}

void channel_step(struct channel *ch, const char *step)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	ch->step = step;
	pthread_mutex_unlock(&ch->mailbox->lock);
}

enum err channel_fault_at(const char *file, int line, const struct channel *ch, bool named,
			  const char *fmt, ...)
{
	char text[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set_at(file, line, ERR_PEER, "%s%s%s (during %s)", named ? ch->peer : "",
			  named ? " " : "", text, ch->step);
}

/* ---- messages held back until the recorder commits ---- */

/* Releases held messages to the queue. Call with the lock held. */
static void channel_let_go(struct channel *ch)
{
	ch->held = 0;
	ch->held_bytes = 0;
	channel_wake(ch);
}

enum err channel_release(struct channel *ch)
{
	bool any;

	if (!ch->recorder.note)
		return ERR_OK;
	pthread_mutex_lock(&ch->mailbox->lock);
	any = ch->held > 0;
	pthread_mutex_unlock(&ch->mailbox->lock);
	if (!any)
		return ERR_OK;
	TRY(ch->recorder.commit(ch->recorder.arg));
	pthread_mutex_lock(&ch->mailbox->lock);
	channel_let_go(ch);
	pthread_mutex_unlock(&ch->mailbox->lock);
	channel_pump(ch);
	return ERR_OK;
}

/* Removes messages that were queued but never committed, because they must not leave. */
static void drop_held(struct channel *ch)
{
	struct queue *q = &ch->out;

	ch->recorder.forget(ch->recorder.arg);
	pthread_mutex_lock(&ch->mailbox->lock);
	for (; ch->held; ch->held--) {
		struct item *it = &q->item[(q->first + --q->count) % q->cap];

		q->bytes -= it->body.n + QUEUE_ITEM_COST;
		ch->out_bytes -= FRAME_HEADER_LEN + it->body.n;
		item_release(it);
	}
	ch->held_bytes = 0;
	pthread_mutex_unlock(&ch->mailbox->lock);
}

void channel_record(struct channel *ch, const struct channel_recorder *r)
{
	if (ch->recorder.note)
		drop_held(ch);
	ch->recorder = r ? *r : (struct channel_recorder){ 0 };
}

/* Passes the message to the recorder before the message is queued. *hold: the message must wait for
 * a commit. */
static enum err write_down(struct channel *ch, const struct msg *m, struct bytes body, bool *hold)
{
	const struct channel_recorder *r = &ch->recorder;

	*hold = false;
	if (!r->note)
		return ERR_OK;
	if (m->type == MSG_PADDING)
		return channel_release(ch); /* PADDING must not overtake held messages */
	if (m->type == MSG_ABORT || (m->type == MSG_DECLINE && channel_release(ch) != ERR_OK))
		drop_held(ch);
	/* ABORT or DECLINE is the last message of a job in this direction. It contains nothing that
	 * depends on data, so it leaves even if it cannot be recorded. */
	if (m->type == MSG_ABORT || m->type == MSG_DECLINE) {
		(void)!r->note(r->arg, m, body);
		(void)!r->commit(r->arg);
		return ERR_OK;
	}
	*hold = true;
	return r->note(r->arg, m, body);
}

/* ---- ends of waiting ---- */

enum err channel_end_error(const struct channel *ch)
{
	return err_set(ch->ended.code, "%s", ch->ended.why);
}

enum err channel_end_all(struct channel *const ch[], size_t count, enum err code)
{
	const struct reason end = { .code = code };

	for (size_t i = 0; i < count; i++)
		reason_set(&ch[i]->ended, &end, err_detail());
	return code;
}

bool channel_stopped(struct channel *ch, enum err *code)
{
	const struct reason *stop = mailbox_stopped(ch->mailbox);

	if (!stop)
		return false;
	if (stop->whole)
		*code = err_set(stop->code, "%s", stop->why);
	else
		*code = err_set(stop->code, "%s (during %s)", stop->why, ch->step);
	return true;
}

enum err channel_overdue(struct channel *ch)
{
	const struct mailbox *p = ch->mailbox;
	enum err code;

	if (clock_now_s() >= p->job_until_s)
		code = err_set(
		    ERR_DEADLINE,
		    "the job exceeded job_timeout_s, %g s, while waiting for %s (during %s)",
		    p->job_timeout_s, ch->peer, ch->step);
	else
		code = err_set(ERR_DEADLINE, "no progress from %s for %g s (during %s)", ch->peer,
			       p->step_timeout_s, ch->step);
	channel_break(ch, &(struct reason){ .code = code, .whole = true }, err_detail());
	return code;
}

enum err channel_protocol_error(struct channel *ch, enum err code)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	channel_break(ch, &(struct reason){ .code = code, .whole = true }, err_detail());
	queue_clear(&ch->in);
	channel_end_all(&ch, 1, code);
	pthread_mutex_unlock(&ch->mailbox->lock);
	return code;
}

/* ---- sending ---- */

/* Waits for space in the out-queue. Call with the lock held. */
static enum err wait_for_room(struct channel *ch)
{
	struct mailbox *p = ch->mailbox;
	double start = clock_now_s(), until;
	enum err e = ERR_OK;

	if (ch->ended.code != ERR_OK)
		return channel_end_error(ch);
	while (e == ERR_OK) {
		bool full = ch->out_bytes > CHANNEL_OUT_MAX;

		/* An error of another channel ends this call only if it would have to wait. */
		if ((full || ch->failed.code != ERR_OK || p->cancelled.code != ERR_OK) &&
		    channel_stopped(ch, &e))
			break;
		if (!full)
			break;
		until = fmin(fmax(start, ch->moved_s) + p->step_timeout_s, p->job_until_s);
		if (clock_now_s() >= until)
			e = channel_overdue(ch);
		else
			mailbox_wait(p, until);
	}
	p->times.wire_s += clock_now_s() - start;
	return e == ERR_OK ? e : channel_end_all(&ch, 1, e);
}

/* Removes all messages that still wait to be sent, because ABORT replaces them. Call with the lock
 * held. */
static enum err room_for_abort(struct channel *ch)
{
	struct item it;

	if (ch->gone)
		return err_set(ERR_PEER, "%s", ch->failed.why);
	ch->held = ch->held_bytes = 0;
	while (queue_pop(&ch->out, &it)) {
		ch->out_bytes -= FRAME_HEADER_LEN + it.body.n;
		item_release(&it);
	}
	return ERR_OK;
}

/* Call with the lock held. */
static void enqueue(struct channel *ch, const struct item *it)
{
	ch->mailbox->exchange = true;
	ch->out_bytes += FRAME_HEADER_LEN + it->body.n;
	ch->flight += FRAME_HEADER_LEN + it->body.n;
	queue_push(&ch->out, it);
}

enum err channel_send(struct channel *ch, const struct msg *m)
{
	struct mailbox *p = ch->mailbox;
	struct item it = { .type = m->type };
	bool hold, full = false;
	enum err e;

	assert(msg_sender(m->type) & ch->own && !msg_is_link(m->type));
	pthread_mutex_lock(&p->lock);
	it.body = channel_spare(ch);
	pthread_mutex_unlock(&p->lock);
	msg_encode(&it.body, m);
	e = write_down(ch, m, (struct bytes){ it.body.p, it.body.n }, &hold);
	if (e != ERR_OK) {
		buf_release(&it.body);
		return e;
	}
	pthread_mutex_lock(&p->lock);
	if (it.body.cap / 4 >= it.body.n + 1024) { /* moves the body to a smaller buffer */
		struct buf small = { 0 };

		buf_add(&small, it.body.p, it.body.n);
		channel_recycle(ch, &it.body);
		it.body = small;
	}
	e = m->type == MSG_ABORT ? room_for_abort(ch) : wait_for_room(ch);
	if (e == ERR_OK) {
		ch->held += hold;
		ch->held_bytes += hold ? it.body.n : 0;
		full = ch->held_bytes >= CHANNEL_HELD_MAX;
		enqueue(ch, &it);
		if (!hold)
			channel_let_go(ch);
	}
	pthread_mutex_unlock(&p->lock);
	if (e != ERR_OK)
		buf_release(&it.body);
	if (full)
		return channel_release(ch);
	channel_pump(ch);
	return e;
}

/* Queues the shared message on one channel. */
static enum err send_shared(struct channel *ch, enum msg_type type, struct shared *s)
{
	struct item it = { .type = type, .body = { .p = s->body.p, .n = s->body.n }, .shared = s };
	enum err e;

	assert(!ch->recorder.note && msg_sender(type) & ch->own && type != MSG_ABORT);
	pthread_mutex_lock(&ch->mailbox->lock);
	e = wait_for_room(ch);
	if (e == ERR_OK) {
		atomic_fetch_add(&s->holders, 1);
		enqueue(ch, &it);
		channel_let_go(ch);
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
	if (e == ERR_OK)
		channel_pump(ch);
	return e;
}

enum err channel_send_all(struct channel *const ch[], size_t count, const struct msg *m)
{
	struct shared *s;
	struct item own;
	enum err e = ERR_OK;

	if (count == 1)
		return channel_send(ch[0], m);
	ALLOC(s, 1);
	msg_encode(&s->body, m);
	atomic_init(&s->holders, 1);
	for (size_t i = 0; i < count && e == ERR_OK; i++)
		e = send_shared(ch[i], m->type, s);
	own = (struct item){ .shared = s };
	item_release(&own);
	return e;
}

/* Waits until the kernel has all sent bytes. With acked, waits until the peer has acknowledged
 * them. */
static enum err wait_until_out(struct channel *ch, double timeout_s, bool acked)
{
	struct mailbox *p = ch->mailbox;
	double start = clock_now_s(), until = start + timeout_s;
	enum err e = channel_release(ch);

	pthread_mutex_lock(&p->lock);
	while (e == ERR_OK && (ch->out_bytes > 0 || (acked && ch->kept.queue.count > 0))) {
		bool lost = acked && ch->lost;

		if (lost)
			until = clock_now_s() + timeout_s;
		if (ch->gone)
			e = err_set(ERR_PEER, "%s", ch->failed.why);
		else if (lost && p->cancelled.code != ERR_OK)
			e = err_set(p->cancelled.code, "%s", p->cancelled.why);
		else if (clock_now_s() < until)
			mailbox_wait(p, until);
		else if (acked)
			e = err_set(ERR_DEADLINE, "%s did not acknowledge %zu frames within %g s",
				    ch->peer, ch->out.count + ch->kept.queue.count, timeout_s);
		else
			e = err_set(ERR_DEADLINE, "%zu bytes for %s not sent within %g s",
				    ch->out_bytes, ch->peer, timeout_s);
	}
	p->times.wire_s += clock_now_s() - start;
	pthread_mutex_unlock(&p->lock);
	return e;
}

enum err channel_flush(struct channel *ch, double timeout_s)
{
	return wait_until_out(ch, timeout_s, false);
}

enum err channel_drain(struct channel *ch, double timeout_s)
{
	return wait_until_out(ch, timeout_s, true);
}

enum err channel_pause(struct channel *ch, double s)
{
	struct mailbox *p = ch->mailbox;
	double until = clock_now_s() + s;
	enum err e = channel_release(ch);
	bool stopped = false;

	pthread_mutex_lock(&p->lock);
	while (e == ERR_OK && !stopped && clock_now_s() < until) {
		stopped = channel_stopped(ch, &e);
		if (!stopped)
			mailbox_wait(p, until);
	}
	p->times.wait_s += s - fmax(0, until - clock_now_s());
	if (stopped)
		channel_end_all(&ch, 1, e);
	pthread_mutex_unlock(&p->lock);
	return e;
}
