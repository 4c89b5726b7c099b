#include "party/work/secure.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/privacy/parts.h"
#include "crypto/fixed.h"
#include "crypto/secret.h"
#include "crypto/tag.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct secure {
	struct work *work;
	const struct tree_node *node;
	struct mask *mask;
	struct fixed fixed;
	struct tag *tag; /* tag of a broadcast sum; NULL for other sums */
	uint64_t round;
	/* `count`: number of words in the vector, with the canary. `sent`: number of words sent
	 * so far. */
	size_t count, sent;
	size_t word; /* bytes of a word */
	/* `held`: number of words in the chunk that is being filled. `room`: the chunk's
	 * capacity. */
	size_t held, room;
	uint8_t *chunk;
};

struct fixed secure_fixed(const struct work *work, size_t members)
{
	unsigned given = work->job.fraction_bits;

	return (struct fixed){ .modulus_bits = work->job.modulus_bits,
			       .fraction_bits = given == JOB_AUTO ? work->fraction : (int)given,
			       .parties = members };
}

static enum err secure_begin_sum(struct work *work, const struct tree_node *node, size_t count,
				 bool wide, bool opened, struct secure **out)
{
	struct work_sum *sum = &work->sum;
	struct secure *s;
	enum err e;

	sum->count = node->last - node->first;
	for (size_t i = 0; i < sum->count; i++)
		sum->members[i] = node->first + i;
	ALLOC(s, 1);
	s->work = work;
	s->node = node;
	s->count = count ? count + 1 : 0;
	s->fixed = wide ? (struct fixed){ 64, JOB_WIDE_FRACTION, sum->count }
			: secure_fixed(work, sum->count);
	s->word = s->fixed.modulus_bits / 8;
	sum->word = s->word;
	s->room = CHANNEL_CHUNK / s->word;
	if (s->room > s->count)
		s->room = s->count;
	e = secagg_open(work->secagg, sum->members, sum->count, work->transcript, &s->mask,
			&s->round);
	if (e != ERR_OK) {
		free(s);
		return e;
	}
	if (wide)
		mask_wide(s->mask);
	if (opened)
		s->tag = tag_new(work->group_key, secagg_session(work->secagg), node->id,
				 work->sums_opened, count);
	s->chunk = alloc(s->room, s->word);
	*out = s;
	return ERR_OK;
}

enum err secure_begin(struct work *work, const struct tree_node *node, size_t count, bool wide,
		      struct secure **s)
{
	return secure_begin_sum(work, node, count, wide, false, s);
}

static enum err send_chunk(struct secure *s)
{
	struct msg m = { .type = MSG_MASKED,
			 .masked = { .group = s->node->id,
				     .round = s->round,
				     .count = s->count,
				     .offset = s->sent,
				     .words = { s->chunk, s->held * s->word } } };
	uint8_t tag[TAG_LEN];

	mask_add(s->mask, s->chunk, s->held);
	s->sent += s->held;
	s->held = 0;
	if (s->tag && s->sent == s->count) {
		tag_make(s->tag, s->work->own, tag);
		mask_tag(s->mask, tag);
		m.masked.tag = (struct bytes){ tag, sizeof(tag) };
	}
	progress_tick();
	return channel_send(s->work->channel, &m);
}

enum err secure_add(struct secure *s, const double *x, size_t n)
{
	while (n) {
		size_t take = n < s->room - s->held ? n : s->room - s->held;
		enum err e = fixed_encode(&s->fixed, x, take, s->chunk + s->held * s->word, NULL);

		if (e != ERR_OK) {
			s->work->ending = ENDING_BOUND;
			return e;
		}
		if (s->tag)
			tag_add(s->tag, (const uint64_t *)(const void *)s->chunk + s->held, take);
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
	/* Each member adds 1. The coordinator sees from the sum of these words whether the masks
	 * have cancelled. */
	const uint64_t canary = 1;

	if (s->count)
		/* The word is little-endian. */
		memcpy(s->chunk + s->held++ * s->word, &canary, s->word);
	if (s->held)
		TRY(send_chunk(s));
	assert(s->sent == s->count);
	s->work->record->phase[s->work->record->phases - 1].rounds++;
	return s->count ? broadcasts_confirm(s->work) : ERR_OK;
}

void secure_free(struct secure *s)
{
	if (!s)
		return;
	mask_close(s->mask);
	tag_free(s->tag);
	wipe(s->chunk, s->room * s->word);
	free(s->chunk);
	free(s);
}

static enum err secure_send_all(struct work *work, const struct tree_node *node, const double *x,
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
	return secure_send_all(work, node, x, count, false);
}

enum err secure_send_wide(struct work *work, const struct tree_node *node, const double *x,
			  size_t count)
{
	return secure_send_all(work, node, x, count, true);
}

enum err secure_send_words(struct work *work, const struct tree_node *node, const uint64_t *x,
			   size_t count)
{
	struct secure *s;
	enum err e;

	TRY(secure_begin_sum(work, node, count, true, false, &s));
	e = ERR_OK;
	for (size_t at = 0, take; at < count && e == ERR_OK; at += take) {
		take = count - at < s->room - s->held ? count - at : s->room - s->held;
		memcpy(s->chunk + s->held * s->word, x + at, take * s->word);
		s->held += take;
		if (s->held == s->room)
			e = send_chunk(s);
	}
	if (e == ERR_OK)
		e = secure_end(s);
	secure_free(s);
	return e;
}

/* ---- broadcast sums ---- */

/* Receives the words of the sum. The tag follows the last word. */
static enum err recv_sum(struct work *work, const struct secure *s, uint64_t *words,
			 uint8_t tag[static TAG_LEN])
{
	size_t done = 0, count = s->count - 1;

	while (done < count) {
		size_t now;
		struct msg m;

		TRY(channel_recv(work->channel, MSG_SUM, &m));
		now = m.masked.words.n / sizeof(*words);
		if (m.masked.group != s->node->id || m.masked.round != work->sums_opened ||
		    m.masked.count != count || m.masked.offset != done || now == 0 ||
		    m.masked.words.n % sizeof(*words) || now > count - done)
			return peer_fault(work->channel,
					  "sent SUM with %zu bytes from word %" PRIu64
					  " of %" PRIu64 " of group %" PRIu32 ", number %" PRIu64
					  "; due were words from %zu of %zu of group %" PRIu32
					  ", number %" PRIu64,
					  m.masked.words.n, m.masked.offset, m.masked.count,
					  m.masked.group, m.masked.round, done, count, s->node->id,
					  work->sums_opened);
		memcpy(words + done, m.masked.words.p, m.masked.words.n);
		done += now;
		if (m.masked.tag.n != (done == count ? TAG_LEN : 0))
			return peer_fault(work->channel,
					  "sent SUM %" PRIu64
					  " with %zu bytes of a tag behind %zu of %zu words",
					  work->sums_opened, m.masked.tag.n, done, count);
		if (done == count)
			memcpy(tag, m.masked.tag.p, TAG_LEN);
	}
	return ERR_OK;
}

/* Sets x to the sum that the coordinator broadcasts. Checks that its words are in their range and
 * that its tag is valid. */
static enum err take_sum(struct secure *s, double *x)
{
	struct work *work = s->work;
	size_t count = s->count - 1;
	uint64_t *words = alloc(count, sizeof(*words));
	uint8_t tag[TAG_LEN];
	enum err e = recv_sum(work, s, words, tag);

	if (e == ERR_OK) {
		tag_add(s->tag, words, count);
		if (tag_in_range(words, count) && tag_is_number(tag) &&
		    tag_holds(s->tag, work->sum.members, work->sum.count, tag))
			fixed_decode(&s->fixed, words, count, x);
		else
			e = peer_fault(work->channel,
				       "sent SUM %" PRIu64
				       " that is not the sum of the parties' terms and tags",
				       work->sums_opened);
	}
	free(words);
	return e;
}

enum err secure_sum_verified(struct work *work, const struct tree_node *node, double *x,
			     size_t count)
{
	struct secure *s = NULL;
	enum err e;

	assert(work->group_key && count > 0);
	e = secure_begin_sum(work, node, count, true, true, &s);
	if (e == ERR_OK)
		e = secure_add(s, x, count);
	if (e == ERR_OK)
		e = secure_end(s);
	if (e == ERR_OK)
		e = take_sum(s, x);
	work->sums_opened++;
	if (e == ERR_OK)
		work_note_received(work, x, count * sizeof(*x));
	secure_free(s);
	return e;
}

enum err secure_sum_verified_parts(struct work *work, const struct tree_node *node, double *x,
				   size_t n)
{
	double *part, most = ldexp(1, PARTS_EXPONENT);
	enum err e;

	for (size_t i = 0; i < n; i++)
		if (!(fabs(x[i]) < most))
			return err_set(ERR_INPUT,
				       "sums of its numbers, or of their squares, are %g or more: "
				       "divide the data of all parties by one number",
				       most);
	part = alloc(n, PARTS * sizeof(*part));
	parts_split(x, n, part);
	e = secure_sum_verified(work, node, part, PARTS * n);
	if (e == ERR_OK)
		e = parts_join(part, n, work->L, x);
	wipe(part, n * PARTS * sizeof(*part));
	free(part);
	return e;
}
