/* Frame numbers, acknowledgements and sending again, so that a lost connection does not end a job.
 *
 * A frame is kept as the bytes that were sent, and the same bytes are sent again. Nothing is
 * recomputed.
 *
 *   acked | frames that have left | frames that have not | the channel's out-queue
 *         ^ kept.queue's first    ^ first + left
 */
#include "proto/channel_own.h"
#include "proto/codec.h"

#include <assert.h>
#include <inttypes.h>
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

static size_t spare_most(const struct channel *ch)
{
	return ch->spare_little ? SPARE_LITTLE : SPARE_BYTES;
}

void channel_spare_little(struct channel *ch, bool little)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	ch->spare_little = little;
	while (ch->spare_bytes > spare_most(ch)) {
		struct buf b = channel_spare(ch);

		buf_release(&b);
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
}

void channel_recycle(struct channel *ch, struct buf *b)
{
	if (b->cap >= FRAME_GROW && ch->spares < SPARES &&
	    ch->spare_bytes + b->cap <= spare_most(ch)) {
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

/* ---- sent frames ---- */

bool channel_next(struct channel *ch, enum msg_type *type, uint32_t *seq, struct bytes *body)
{
	struct queue *out = &ch->out, *kept = &ch->kept.queue;
	struct item it;
	bool any;

	pthread_mutex_lock(&ch->mailbox->lock);
	/* An ABORT does not wait for space among the kept frames. */
	if (ch->kept.left == kept->count && out->count > ch->held &&
	    (ch->kept.bytes < CHANNEL_KEPT_MAX || out->item[out->first].type == MSG_ABORT) &&
	    queue_pop(out, &it)) {
		channel_count_locked(ch, it.type, true, 1, FRAME_HEADER_LEN + it.body.n);
		ch->kept.bytes += FRAME_HEADER_LEN + it.body.n;
		queue_push(kept, &it);
	}
	any = ch->kept.left < kept->count;
	if (any) {
		it = kept->item[(kept->first + ch->kept.left) % kept->cap];
		*type = it.type;
		*seq = ch->kept.acked + (uint32_t)ch->kept.left + 1;
		*body = (struct bytes){ it.body.p, it.body.n };
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
	return any;
}

void channel_went(struct channel *ch)
{
	pthread_mutex_lock(&ch->mailbox->lock);
	assert(ch->kept.left < ch->kept.queue.count);
	ch->kept.left++;
	pthread_mutex_unlock(&ch->mailbox->lock);
}

/* Releases the frames up to this number, which the peer has received. Call with the lock held. */
static void resume_forget_received(struct channel *ch, uint32_t received)
{
	struct kept *k = &ch->kept;
	struct item it;

	while (k->acked < received && queue_pop(&k->queue, &it)) {
		k->bytes -= FRAME_HEADER_LEN + it.body.n;
		k->left -= k->left > 0;
		k->acked++;
		if (it.shared)
			item_release(&it);
		else
			channel_recycle(ch, &it.body);
	}
	if (k->queue.count == 0)
		pthread_cond_broadcast(&ch->mailbox->changed); /* for channel_drain() */
}

/* Checks the number of an acknowledgement. It must not be below the last one, and must cover at
 * most `most` of the kept frames. Call with the lock held. */
static enum err check_acked(const struct kept *k, uint32_t received, size_t most)
{
	if (received >= k->acked && received - k->acked <= most)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "an acknowledgement of frame %" PRIu32 ", expected %" PRIu32 " to %" PRIu32,
		       received, k->acked, k->acked + (uint32_t)most);
}

enum err channel_acked(struct channel *ch, uint32_t received)
{
	enum err e;

	pthread_mutex_lock(&ch->mailbox->lock);
	e = check_acked(&ch->kept, received, ch->kept.left);
	if (e == ERR_OK)
		resume_forget_received(ch, received);
	pthread_mutex_unlock(&ch->mailbox->lock);
	return e;
}

/* ---- received frames ---- */

bool channel_came(struct channel *ch, enum msg_type type, uint32_t seq, size_t bytes)
{
	ch->received = seq;
	ch->unacknowledged += bytes;
	/* The sender of a last message waits only for the acknowledgement, so send it now. */
	return ch->unacknowledged >= CHANNEL_ACK_EVERY || type == MSG_DONE || type == MSG_ABORT ||
	       type == MSG_DECLINE;
}

bool channel_ack_due(struct channel *ch, struct msg *ack)
{
	if (ch->acknowledged == ch->received)
		return false;
	ch->acknowledged = ch->received;
	ch->unacknowledged = 0;
	*ack = (struct msg){ .type = MSG_ACK, .ack.received = ch->received };
	return true;
}

uint32_t channel_last(const struct channel *ch)
{
	return ch->received;
}

/* ---- lost and restored connections ---- */

bool channel_lost(struct channel *ch)
{
	bool lost;

	pthread_mutex_lock(&ch->mailbox->lock);
	lost = ch->keeping && ch->knows_job && !ch->gone && ch->failed.code == ERR_OK;
	if (lost) {
		ch->lost = true;
		/* Kept frames will be sent again on the next connection, so they count as bytes to
		 * send. */
		ch->out_bytes = ch->out.bytes - ch->out.count * QUEUE_ITEM_COST +
				ch->out.count * FRAME_HEADER_LEN;
		ch->kept.left = 0;
		pthread_cond_broadcast(&ch->mailbox->changed);
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
	return lost;
}

bool channel_is_lost(struct channel *ch)
{
	bool lost;

	pthread_mutex_lock(&ch->mailbox->lock);
	lost = ch->lost;
	pthread_mutex_unlock(&ch->mailbox->lock);
	return lost;
}

uint64_t channel_job(const struct channel *ch)
{
	return get_u64(ch->job_id);
}

bool channel_is_untouched(const struct channel *ch)
{
	return ch->received == 0 && ch->kept.acked == 0;
}

void channel_resume_fill(const struct channel *ch, struct msg *resume)
{
	*resume = (struct msg){ .type = MSG_RESUME,
				.resume = { .attempt = ch->attempt, .received = ch->received } };
	memcpy(resume->resume.job_id, ch->job_id, JOB_ID_LEN);
}

/* Call with the lock held. */
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
	return check_acked(&ch->kept, peer->received, ch->kept.queue.count);
}

enum err channel_resume_check(struct channel *ch, const struct msg_resume *peer)
{
	enum err e;

	pthread_mutex_lock(&ch->mailbox->lock);
	e = check_resume(ch, peer);
	pthread_mutex_unlock(&ch->mailbox->lock);
	return e;
}

enum err channel_resume(struct channel *ch, const struct msg_resume *peer)
{
	enum err e;

	assert(channel_is_lost(ch));

	pthread_mutex_lock(&ch->mailbox->lock);
	e = check_resume(ch, peer);
	if (e == ERR_OK) {
		resume_forget_received(ch, peer->received);
		ch->lost = false;
		ch->again = ch->kept.bytes;
		ch->out_bytes += ch->kept.bytes;
		ch->link.resent += ch->kept.bytes;
		ch->link.reconnects++;
		ch->acknowledged = ch->received; /* RESUME acknowledges all received frames */
		ch->unacknowledged = 0;
		pthread_cond_broadcast(&ch->mailbox->changed);
	}
	pthread_mutex_unlock(&ch->mailbox->lock);
	return e;
}
