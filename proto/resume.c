/* Frame numbers, acknowledgements and sending again, so that a lost connection does not end a job.
 */
#include "proto/channel_own.h"
#include "proto/codec.h"

#include <assert.h>
#include <string.h>

/* ---- room for bodies ---- */

struct buf channel_spare(struct channel *ch)
{
	struct buf b = { 0 };

	if (ch->spares) {
		b = ch->spare_out[--ch->spares];
		ch->spare_bytes -= b.cap;
	}
	return b;
}

void channel_recycle(struct channel *ch, struct buf *b)
{
	if (b->cap >= FRAME_GROW && ch->spares < SPARES &&
	    ch->spare_bytes + b->cap <= SPARE_BYTES) {
		b->n = 0;
		ch->spare_bytes += b->cap;
		ch->spare_out[ch->spares++] = *b;
		*b = (struct buf){ 0 };
	}
	buf_release(b);
}

/* ---- which job ---- */

void channel_of_job(struct channel *ch, const uint8_t job_id[static JOB_ID_LEN], uint32_t attempt)
{
	memcpy(ch->job_id, job_id, JOB_ID_LEN);
	ch->attempt = attempt;
	ch->knows_job = true;
}

void channel_keep(struct channel *ch)
{
	ch->keeping = true;
}

/* Job id and attempt come first in it; whether the rest parses is for the job thread to see. */
void channel_note_offer(struct channel *ch, enum msg_type type, struct bytes body)
{
	if (type == MSG_OFFER && ch->own == PARTY && !ch->knows_job && body.n >= JOB_ID_LEN + 4)
		channel_of_job(ch, body.p, get_u32(body.p + JOB_ID_LEN));
}

/* ---- frames that leave ---- */

/* Locked. An ABORT does not wait for room. */
static bool may_take(const struct channel *ch)
{
	const struct queue *q = &ch->out;

	if (q->count <= ch->held)
		return false;
	return ch->kept.bytes < CHANNEL_KEPT_MAX || q->item[q->first].type == MSG_ABORT;
}

bool channel_next(struct channel *ch, enum msg_type *type, uint32_t *seq, struct bytes *body)
{
	const struct kept_frame *f;
	struct item it;

	pthread_mutex_lock(&ch->post->lock);
	f = kept_due(&ch->kept, seq);
	if (!f && may_take(ch) && channel_pop_out(ch, &it)) {
		channel_count_locked(ch, it.type, true, 1, FRAME_HEADER_LEN + it.body.n);
		kept_push(&ch->kept, it.type, &it.body);
		f = kept_due(&ch->kept, seq);
	}
	if (f) {
		*type = f->type;
		*body = (struct bytes){ f->body.p, f->body.n };
	}
	pthread_mutex_unlock(&ch->post->lock);
	return f;
}

void channel_went(struct channel *ch)
{
	pthread_mutex_lock(&ch->post->lock);
	kept_went(&ch->kept);
	pthread_mutex_unlock(&ch->post->lock);
}

/* Locked. */
static void forget(struct channel *ch, uint32_t received)
{
	struct buf body;

	while (kept_pop(&ch->kept, received, &body))
		channel_recycle(ch, &body);
	if (ch->kept.count == 0)
		pthread_cond_broadcast(&ch->post->changed); /* who drains */
}

enum err channel_acked(struct channel *ch, uint32_t received)
{
	enum err e;

	pthread_mutex_lock(&ch->post->lock);
	e = kept_check(&ch->kept, received, true);
	if (e == ERR_OK)
		forget(ch, received);
	pthread_mutex_unlock(&ch->post->lock);
	return e;
}

/* ---- frames that come ---- */

/* The sender waits for the acknowledgement of these, and for nothing else. */
static bool is_last(enum msg_type type)
{
	return type == MSG_DONE || type == MSG_ABORT || type == MSG_DECLINE;
}

bool channel_came(struct channel *ch, enum msg_type type, uint32_t seq, size_t bytes)
{
	ch->received = seq;
	ch->untold += bytes;
	return ch->untold >= CHANNEL_ACK_EVERY || is_last(type);
}

bool channel_ack_due(struct channel *ch, struct msg *ack)
{
	if (ch->told == ch->received)
		return false;
	ch->told = ch->received;
	ch->untold = 0;
	*ack = (struct msg){ .type = MSG_ACK, .ack.received = ch->received };
	return true;
}

uint32_t channel_last(const struct channel *ch)
{
	return ch->received;
}

/* ---- lost and found ---- */

/* Locked. What is kept is counted as to be sent when there is a connection again. */
static size_t queued_bytes(const struct channel *ch)
{
	return ch->out.bytes - ch->out.count * QUEUE_ITEM_COST + ch->out.count * FRAME_HEADER_LEN;
}

bool channel_lost(struct channel *ch)
{
	bool away;

	pthread_mutex_lock(&ch->post->lock);
	away = ch->keeping && ch->knows_job && !ch->gone && ch->failed.code == ERR_OK;
	if (away) {
		ch->away = true;
		ch->out_bytes = queued_bytes(ch);
		kept_again(&ch->kept);
		pthread_cond_broadcast(&ch->post->changed);
	}
	pthread_mutex_unlock(&ch->post->lock);
	return away;
}

bool channel_is_away(struct channel *ch)
{
	bool away;

	pthread_mutex_lock(&ch->post->lock);
	away = ch->away;
	pthread_mutex_unlock(&ch->post->lock);
	return away;
}

uint64_t channel_job(const struct channel *ch)
{
	return get_u64(ch->job_id);
}

bool channel_is_untouched(const struct channel *ch)
{
	return ch->received == 0 && ch->kept.acked == 0;
}

void channel_resume_say(const struct channel *ch, struct msg *resume)
{
	*resume = (struct msg){ .type = MSG_RESUME,
				.resume = { .attempt = ch->attempt, .received = ch->received } };
	memcpy(resume->resume.job_id, ch->job_id, JOB_ID_LEN);
}

/* Locked. */
static enum err check_resume(const struct channel *ch, const struct msg_resume *peer)
{
	if (!ch->knows_job || memcmp(peer->job_id, ch->job_id, JOB_ID_LEN) != 0)
		return err_set(ERR_PEER, "%s goes on with another job than the one under way",
			       ch->peer);
	if (peer->attempt != ch->attempt)
		return err_set(ERR_PEER, "%s goes on with attempt %u, the one under way is %u",
			       ch->peer, peer->attempt, ch->attempt);
	if (ch->gone)
		return err_set(ERR_PEER, "%s is not waited for any more: %s", ch->peer,
			       ch->failed.why);
	return kept_check(&ch->kept, peer->received, false);
}

enum err channel_resume_check(struct channel *ch, const struct msg_resume *peer)
{
	enum err e;

	pthread_mutex_lock(&ch->post->lock);
	e = check_resume(ch, peer);
	pthread_mutex_unlock(&ch->post->lock);
	return e;
}

enum err channel_resume(struct channel *ch, const struct msg_resume *peer)
{
	enum err e;

	assert(channel_is_away(ch));

	pthread_mutex_lock(&ch->post->lock);
	e = check_resume(ch, peer);
	if (e == ERR_OK) {
		forget(ch, peer->received);
		ch->away = false;
		ch->again = ch->kept.bytes;
		ch->out_bytes += ch->kept.bytes;
		ch->link.resent += ch->kept.bytes;
		ch->link.reconnects++;
		ch->told = ch->received; /* RESUME says so */
		ch->untold = 0;
		pthread_cond_broadcast(&ch->post->changed);
	}
	pthread_mutex_unlock(&ch->post->lock);
	return e;
}
