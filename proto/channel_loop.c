/* The loop thread's side of a channel, and two channels joined in memory. */
#include "proto/channel_own.h"
#include "proto/codec.h"

#include "common/base/progress.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- queues ---- */

void queue_push(struct queue *q, const struct item *it)
{
	if (q->count == q->cap) {
		size_t cap = q->cap ? 2 * q->cap : 16;
		struct item *item;

		ALLOC(item, cap);
		for (size_t i = 0; i < q->count; i++)
			item[i] = q->item[(q->first + i) % q->cap];
		free(q->item);
		q->item = item;
		q->cap = cap;
		q->first = 0;
	}
	q->item[(q->first + q->count++) % q->cap] = *it;
	q->bytes += it->body.n + QUEUE_ITEM_COST;
}

bool queue_pop(struct queue *q, struct item *it)
{
	if (q->count == 0)
		return false;
	*it = q->item[q->first];
	q->first = (q->first + 1) % q->cap;
	q->count--;
	q->bytes -= it->body.n + QUEUE_ITEM_COST;
	return true;
}

void queue_clear(struct queue *q)
{
	struct item it;

	while (queue_pop(q, &it))
		item_release(&it);
}

void item_release(struct item *it)
{
	struct shared *s = it->shared;

	if (!s) {
		buf_release(&it->body);
		return;
	}
	it->body = (struct buf){ 0 };
	it->shared = NULL;
	if (atomic_fetch_sub(&s->holders, 1) == 1) {
		buf_release(&s->body);
		free(s);
	}
}

/* ---- waking the loop, and what it reports ---- */

void channel_wake(struct channel *ch)
{
	if (ch->wake)
		ch->wake(ch->wake_arg);
}

void channel_on_wake(struct channel *ch, void (*wake)(void *arg), void *arg)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	ch->wake = wake;
	ch->wake_arg = arg;
	if (ch->out.count > ch->held || ch->kept.left < ch->kept.queue.count)
		channel_wake(ch);
	pthread_mutex_unlock(&ch->mailbox->lock);
}

void channel_break(struct channel *ch, const struct reason *reason, const char *why)
{
	struct mailbox *p = ch->mailbox;

	reason_set(&ch->failed, reason, why);
	if (!p->broken)
		p->broken = ch;
	if (!p->alone)
		/* No process needs the job thread's results any more. */
		progress_stop(&p->progress);
	pthread_cond_broadcast(&p->changed);
}

static void channel_fail_with(struct channel *ch, const struct reason *reason, const char *why)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	ch->gone = true;
	ch->lost = false;
	queue_clear(&ch->out);
	ch->held = ch->held_bytes = 0;
	channel_break(ch, reason, why);
	pthread_mutex_unlock(&ch->mailbox->lock);
}

void channel_fail(struct channel *ch, enum err code, const char *why)
{
	channel_fail_with(ch, &(struct reason){ .code = code }, why);
}

void channel_fail_again(struct channel *ch, enum err code, const char *why)
{
	channel_fail_with(ch, &(struct reason){ .code = code, .again = true }, why);
}

void channel_fail_done(struct channel *ch, enum err code, const char *why)
{
	channel_fail_with(ch, &(struct reason){ .code = code, .done = true }, why);
}

void channel_note_progress(struct channel *ch, uint64_t progress)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	if (progress != ch->progress) {
		ch->progress = progress;
		ch->moved_s = clock_now_s();
		/* The coordinator reports to the parties that some party computes. A party must not
		 * report the coordinator's progress to the coordinator: each would count its own
		 * progress again, and would never detect that no process computes. */
		if (ch->own == COORD)
			ch->mailbox->progressed++;
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
}

uint64_t channel_progress(struct channel *ch)
{
	return mailbox_progress(ch->mailbox);
}

void channel_set_rtt(struct channel *ch, double rtt_s)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	ch->link.rtt_s = rtt_s;
	pthread_mutex_unlock(&ch->mailbox->lock);
}

void channel_set_congestion(struct channel *ch, const char *name)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	snprintf(ch->link.congestion, sizeof(ch->link.congestion), "%s", name);
	pthread_mutex_unlock(&ch->mailbox->lock);
}

/* ---- traffic ---- */

void channel_count_locked(struct channel *ch, enum msg_type type, bool sent, size_t messages,
			  size_t bytes)
{
	static const enum msg_type types[] = {
#define MSG(NAME, number, sender, body) MSG_##NAME,
#include "proto/messages.def"
#undef MSG
	};
	struct link_type *t;
	size_t i = 0;

	while (i < MSG_TYPES && types[i] != type)
		i++;
	if (i == MSG_TYPES)
		return;
	t = &ch->link.type[i];
	t->number = type;
	t->name = msg_name(type);
	if (sent) {
		t->messages_sent += messages;
		t->bytes_sent += bytes;
	} else {
		t->messages_received += messages;
		t->bytes_received += bytes;
	}
}

void channel_count(struct channel *ch, enum msg_type type, bool sent, size_t messages, size_t bytes)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	channel_count_locked(ch, type, sent, messages, bytes);
	pthread_mutex_unlock(&ch->mailbox->lock);
}

uint64_t channel_bytes(struct channel *ch)
{
	uint64_t n = 0;

	pthread_mutex_lock(&ch->mailbox->lock);
	for (size_t i = 0; i < MSG_TYPES; i++)
		n += ch->link.type[i].bytes_sent + ch->link.type[i].bytes_received;
	pthread_mutex_unlock(&ch->mailbox->lock);
	return n;
}

void channel_link(struct channel *ch, struct link_state *link)
{
	size_t types = 0;

	pthread_mutex_lock(&ch->mailbox->lock);
	*link = ch->link;
	snprintf(link->peer, sizeof(link->peer), "%s", ch->peer);
	if (ch->knows_job)
		hex_write(ch->job_id, JOB_ID_LEN, link->job);
	for (size_t i = 0; i < MSG_TYPES; i++)
		if (ch->link.type[i].messages_sent || ch->link.type[i].messages_received)
			link->type[types++] = ch->link.type[i];
	link->types = types;
	pthread_mutex_unlock(&ch->mailbox->lock);
}

/* ---- messages ---- */

bool channel_take(struct channel *ch, enum msg_type *type, struct buf *body)
{
	struct item it;
	bool any;

	pthread_mutex_lock(&ch->mailbox->lock);
	any = ch->out.count > ch->held && queue_pop(&ch->out, &it);
	if (any) {
		*type = it.type;
		channel_count_locked(ch, it.type, true, 1, FRAME_HEADER_LEN + it.body.n);
		channel_recycle(ch, body);
		if (it.shared) {
			buf_add(body, it.body.p, it.body.n);
			item_release(&it);
		} else {
			*body = it.body;
		}
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
	return any;
}

void channel_sent(struct channel *ch, size_t bytes)
{
	size_t again;

	pthread_mutex_lock(&ch->mailbox->lock);
	assert(bytes <= ch->out_bytes);
	ch->out_bytes -= bytes;
	again = bytes < ch->again ? bytes : ch->again;
	ch->again -= again;
	if (bytes > again) {
		ch->moved_s = clock_now_s();
		ch->mailbox->moved++;
	}
	pthread_cond_broadcast(&ch->mailbox->changed);
	pthread_mutex_unlock(&ch->mailbox->lock);
}

bool channel_is_full(struct channel *ch)
{
	bool full;

	pthread_mutex_lock(&ch->mailbox->lock);
	full = ch->in.bytes >= CHANNEL_IN_MAX;
	/* If this end cannot send before the peer acknowledges, it must continue to read the
	 * acknowledgements. */
	if (ch->kept.bytes >= CHANNEL_KEPT_MAX && ch->in.bytes < CHANNEL_KEPT_MAX)
		full = false;
	if (full)
		ch->reader_waits = true;
	pthread_mutex_unlock(&ch->mailbox->lock);
	return full;
}

/* Ends the job because of the peer's ABORT or DECLINE. may_say_again: the message may announce
 * another attempt, as the coordinator's ABORT, or state that the party would take part in one, as
 * DECLINE. Call with the lock held. */
static void end_by_peer(struct channel *ch, uint16_t code, bool may_say_again, bool whole,
			const char *why)
{
	bool again = code == MSG_AGAIN && may_say_again;
	struct reason reason = { .code = code == MSG_AGAIN ? ERR_PEER : (enum err)code,
				 .whole = whole,
				 .again = again };

	if (!again)
		ch->mailbox->final = true;
	channel_break(ch, &reason, why);
}

/* Copies a peer's sentence. Only printable ASCII remains, because the sentence is written to
 * terminals and logs. */
static void printable(char *out, size_t out_len, struct bytes text)
{
	size_t n = text.n < out_len - 1 ? text.n : out_len - 1;

	for (size_t i = 0; i < n; i++)
		out[i] = text.p[i] >= 0x20 && text.p[i] < 0x7f ? (char)text.p[i] : '?';
	out[n] = '\0';
}

/* Handles ABORT and DECLINE. A DECLINE of one party ends the job for all parties, as an ABORT
 * does. */
static void deliver_end(struct channel *ch, enum msg_type type, struct bytes body)
{
	char text[MSG_TEXT_MAX + 1], why[MSG_NAME_MAX + MSG_TEXT_MAX + 32];
	struct msg m;
	enum err e = msg_decode(&m, (uint16_t)type, body);

	if (e == ERR_OK && type == MSG_ABORT && ch->own == COORD && !m.abort.ending)
		e = err_set(ERR_PEER, "ABORT of a party, whose ending has no number");
	if (e == ERR_OK && type == MSG_ABORT && ch->own == PARTY && m.abort.ending)
		e = err_set(ERR_PEER, "ABORT of a coordinator, whose ending has a number");
	if (e != ERR_OK)
		err_prefix(e, "%s", ch->peer);
	pthread_mutex_lock(&ch->mailbox->lock);
	channel_count_locked(ch, type, false, 1, FRAME_HEADER_LEN + body.n);
	if (e != ERR_OK) {
		channel_break(ch, &(struct reason){ .code = e }, err_detail());
	} else if (type == MSG_DECLINE) {
		snprintf(why, sizeof(why), "%s declined the job: %s%s%.*s; see its log", ch->peer,
			 msg_ending(m.decline.ending),
			 !m.decline.subject.n                 ? ""
			 : m.decline.ending == ENDING_UNKNOWN ? ": job."
							      : ": ",
			 (int)m.decline.subject.n, (const char *)m.decline.subject.p);
		end_by_peer(ch, m.decline.code, true, false, why);
	} else if (ch->own == COORD) {
		snprintf(why, sizeof(why), "%s says: %s; see its log", ch->peer,
			 msg_ending(m.abort.ending));
		end_by_peer(ch, m.abort.code, false, false, why);
	} else {
		printable(text, sizeof(text), m.abort.text);
		if (!*text)
			snprintf(why, sizeof(why), "%s ended the job without a reason", ch->peer);
		else
			snprintf(why, sizeof(why), "%s says: %s", ch->peer, text);
		end_by_peer(ch, m.abort.code, true, true, why);
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
}

void channel_deliver(struct channel *ch, enum msg_type type, struct buf *body, double first_byte_s)
{
	struct mailbox *p = ch->mailbox;
	struct item it = { .type = type, .first_byte_s = first_byte_s, .whole_s = clock_now_s() };

	if (type == MSG_ABORT || (type == MSG_DECLINE && ch->own == COORD)) {
		deliver_end(ch, type, (struct bytes){ body->p, body->n });
		body->n = 0;
		return;
	}
	/* An OFFER begins with job id and attempt; the job thread checks whether the rest
	 * parses. */
	if (type == MSG_OFFER && ch->own == PARTY && !ch->knows_job && body->n >= JOB_ID_LEN + 4)
		channel_of_job(ch, body->p, get_u32(body->p + JOB_ID_LEN));
	pthread_mutex_lock(&p->lock);
	if (ch->failed.code == ERR_OK) {
		channel_count_locked(ch, type, false, 1, FRAME_HEADER_LEN + body->n);
		it.body = *body;
		*body = ch->spare;
		ch->spare = (struct buf){ 0 };
		queue_push(&ch->in, &it);
		ch->moved_s = it.whole_s;
		p->moved++;
		pthread_cond_broadcast(&p->changed);
	}
	body->n = 0;
	pthread_mutex_unlock(&p->lock);
}

/* ---- two channels in memory ---- */

void channel_pair(struct channel *a, struct channel *b)
{
	struct pair *pair;

	assert(!a->pair && !b->pair);
	ALLOC(pair, 1);
	pthread_mutex_init(&pair->lock, NULL);
	pair->end[0] = a;
	pair->end[1] = b;
	a->pair = b->pair = pair;
}

static void move_queued(struct channel *from, struct channel *to, bool even_if_full)
{
	struct buf body = { 0 };
	enum msg_type type;

	while ((even_if_full || !channel_is_full(to)) && channel_take(from, &type, &body)) {
		size_t bytes = FRAME_HEADER_LEN + body.n;

		channel_deliver(to, type, &body, clock_now_s());
		channel_sent(from, bytes);
	}
	buf_release(&body);
}

void channel_pump(struct channel *ch)
{
	struct pair *pair = ch->pair;

	if (!pair)
		return;
	pthread_mutex_lock(&pair->lock);
	if (pair->end[0] && pair->end[1]) {
		move_queued(pair->end[0], pair->end[1], false);
		move_queued(pair->end[1], pair->end[0], false);
	}
	pthread_mutex_unlock(&pair->lock);
}

void channel_unpair(struct channel *ch)
{
	struct pair *pair = ch->pair;
	struct channel *other;
	char why[MSG_NAME_MAX + 8];

	if (!pair)
		return;
	pthread_mutex_lock(&pair->lock);
	other = pair->end[pair->end[0] == ch];
	pair->end[pair->end[0] != ch] = NULL;
	if (other) {
		move_queued(ch, other, true);
		snprintf(why, sizeof(why), "%s left", other->peer);
		channel_fail(other, ERR_PEER, why);
	}
	pthread_mutex_unlock(&pair->lock);
	ch->pair = NULL;
	if (other)
		return;
	pthread_mutex_destroy(&pair->lock);
	free(pair);
}
