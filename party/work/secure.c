#include "party/work/secure.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/progress.h"
#include "crypto/fixed.h"
#include "crypto/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct secure {
	struct work *work;
	const struct tree_node *node;
	struct mask *mask;
	struct fixed fixed;
	uint64_t round;
	size_t count, sent; /* words in all, the canary among them; words in messages so far */
	size_t word;        /* bytes */
	size_t held, room;  /* words in the chunk being filled, and its capacity */
	uint8_t *chunk;
};

enum err secure_begin(struct work *work, const struct tree_node *node, size_t count, bool wide,
		      struct secure **out)
{
	size_t members[PARTIES_MAX], L = node->last - node->first;
	struct secure *s;
	enum err e;

	for (size_t i = 0; i < L; i++)
		members[i] = node->first + i;
	ALLOC(s, 1);
	s->work = work;
	s->node = node;
	s->count = count ? count + 1 : 0;
	s->fixed =
	    (struct fixed){ .modulus_bits = wide ? 64 : work->job.modulus_bits,
			    .fraction_bits = wide ? JOB_WIDE_FRACTION : work->job.fraction_bits,
			    .parties = L };
	s->word = s->fixed.modulus_bits / 8;
	work->sum = (struct work_sum){ node->first, node->last, s->word };
	s->room = CHANNEL_CHUNK / s->word;
	if (s->room > s->count)
		s->room = s->count;
	e = secagg_open(work->secagg, members, L, work->transcript, &s->mask, &s->round);
	if (e != ERR_OK) {
		free(s);
		return e;
	}
	if (wide)
		mask_wide(s->mask);
	s->chunk = alloc(s->room, s->word);
	*out = s;
	return ERR_OK;
}

static enum err send_chunk(struct secure *s)
{
	struct msg m = { .type = MSG_MASKED,
			 .masked = { .group = s->node->id,
				     .round = s->round,
				     .count = s->count,
				     .offset = s->sent,
				     .words = { s->chunk, s->held * s->word } } };

	mask_add(s->mask, s->chunk, s->held);
	s->sent += s->held;
	s->held = 0;
	progress_tick();
	return channel_send(s->work->channel, &m);
}

enum err secure_add(struct secure *s, const double *x, size_t n)
{
	while (n) {
		size_t take = n < s->room - s->held ? n : s->room - s->held;
		double bad;
		enum err e = fixed_encode(&s->fixed, x, take, s->chunk + s->held * s->word, &bad);

		if (e != ERR_OK) {
			log_private("the value outside the bound is %.17g; it is shown here only",
				    bad);
			return e;
		}
		s->held += take;
		x += take;
		n -= take;
		if (s->held == s->room)
			TRY(send_chunk(s));
	}
	return ERR_OK;
}

enum err secure_end(struct secure *s)
{
	static const uint64_t one = 1;

	/* A 1 of each member: by their sum the coordinator sees that the masks have cancelled. */
	if (s->count)
		memcpy(s->chunk + s->held++ * s->word, &one, s->word); /* little-endian */
	if (s->held)
		TRY(send_chunk(s));
	assert(s->sent == s->count);
	s->work->record->phase[s->work->record->phases - 1].rounds++;
	return s->count ? told_say(s->work) : ERR_OK;
}

void secure_free(struct secure *s)
{
	if (!s)
		return;
	mask_close(s->mask);
	wipe(s->chunk, s->room * s->word);
	free(s->chunk);
	free(s);
}

static enum err send_all(struct work *work, const struct tree_node *node, const double *x,
			 size_t count, bool wide)
{
	struct secure *s;
	enum err e;

	TRY(secure_begin(work, node, count, wide, &s));
	e = secure_add(s, x, count);
	if (e == ERR_OK)
		e = secure_end(s);
	secure_free(s);
	return e;
}

enum err secure_send(struct work *work, const struct tree_node *node, const double *x, size_t count)
{
	return send_all(work, node, x, count, false);
}

enum err secure_send_wide(struct work *work, const struct tree_node *node, const double *x,
			  size_t count)
{
	return send_all(work, node, x, count, true);
}
