#include "server/run/relay.h"

#include "common/base/alloc.h"
#include "crypto/seal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BOX_LEN = SECAGG_HASH_LEN + SEAL_TAG_LEN };

/* Receives the next message of party `from`, which must be SEALED of this kind for party `to`.
 * ERR_PEER: it is another message. */
static enum err relay_receive(struct run *run, enum sealed what, size_t from, size_t to,
			      struct msg *m)
{
	TRY(channel_recv(run->channel[from], MSG_SEALED, m));
	if (m->sealed.what != what || m->sealed.from != from || m->sealed.to != to)
		return peer_fault(run->channel[from],
				  "sent SEALED %u of party %" PRIu32 " to party %" PRIu32
				  "; expected %d, %zu, %zu",
				  m->sealed.what, m->sealed.from, m->sealed.to, what, from, to);
	return ERR_OK;
}

static enum err relay_sealed(struct run *run, enum sealed what, size_t from, size_t to)
{
	struct msg m;

	TRY(relay_receive(run, what, from, to, &m));
	return channel_send(run->channel[to], &m);
}

enum err relay_key(struct run *run, enum sealed what)
{
	for (size_t to = 1; to < run->L; to++)
		TRY(relay_sealed(run, what, 0, to));
	return ERR_OK;
}

/* Receives the L (L - 1) boxes of BOX_LEN bytes into `box`. */
static enum err take_all(struct run *run, enum sealed what, uint8_t *box)
{
	for (size_t from = 0; from < run->L; from++)
		for (size_t to = 0; to < run->L; to++) {
			struct msg m;

			if (to == from)
				continue;
			TRY(relay_receive(run, what, from, to, &m));
			if (m.sealed.box.n != BOX_LEN)
				return peer_fault(run->channel[from],
						  "sent SEALED of %zu bytes, expected %d",
						  m.sealed.box.n, BOX_LEN);
			memcpy(box, m.sealed.box.p, BOX_LEN);
			box += BOX_LEN;
		}
	return ERR_OK;
}

static enum err give_all(struct run *run, enum sealed what, const uint8_t *box)
{
	for (size_t from = 0; from < run->L; from++)
		for (size_t to = 0; to < run->L; to++) {
			struct msg m = { .type = MSG_SEALED,
					 .sealed = { (uint16_t)what,
						     (uint32_t)from,
						     (uint32_t)to,
						     { box, BOX_LEN } } };

			if (to == from)
				continue;
			TRY(channel_send(run->channel[to], &m));
			box += BOX_LEN;
		}
	return ERR_OK;
}

enum err relay_all(struct run *run, enum sealed what)
{
	uint8_t *boxes = alloc(run->L * run->L, BOX_LEN);
	enum err e = take_all(run, what, boxes);

	if (e == ERR_OK)
		e = give_all(run, what, boxes);
	free(boxes);
	return e;
}

/* -- comparison of broadcast values --------------------------------------------------------- */

/* Receives from each member one word per other member. For each member, computes the exclusive or
 * of the words for it. */
static enum err take_told(struct run *run, size_t first, size_t last, struct relayed_told *told)
{
	size_t bytes = (last - first - 1) * MSG_TOLD_LEN;

	*told = (struct relayed_told){ .first = first, .last = last };
	if (!bytes)
		return ERR_OK;
	told->word = alloc(last - first, sizeof(*told->word));
	for (size_t from = first; from < last; from++) {
		struct msg m;
		const uint8_t *p;

		TRY(channel_recv(run->channel[from], MSG_TOLD, &m));
		if (m.told.words.n != bytes)
			return peer_fault(run->channel[from],
					  "sent TOLD of %zu bytes, expected %zu", m.told.words.n,
					  bytes);
		p = m.told.words.p;
		for (size_t to = first; to < last; to++)
			for (size_t i = 0; i < MSG_TOLD_LEN && to != from; i++)
				told->word[to - first][i] ^= *p++;
	}
	return ERR_OK;
}

enum err relay_give_last(struct run *run, const struct relayed_told *told)
{
	for (size_t l = told->first; l < told->last && told->word; l++) {
		struct msg m = { .type = MSG_TOLD,
				 .told.words = { told->word[l - told->first], MSG_TOLD_LEN } };

		TRY(channel_send(run->channel[l], &m));
	}
	return ERR_OK;
}

enum err relay_told(struct run *run, uint32_t group, size_t first, size_t last)
{
	struct relayed_told told;
	enum err e;

	assert(group < TREE_NODES_MAX);
	if (!run->compares || run->compared[group] == run->phase)
		return ERR_OK;
	run->compared[group] = run->phase;
	e = take_told(run, first, last, &told);
	if (e == ERR_OK)
		e = relay_give_last(run, &told);
	relayed_told_release(&told);
	return e;
}

enum err relay_take_last(struct run *run, struct relayed_told *told)
{
	*told = (struct relayed_told){ 0 };
	return run->compares ? take_told(run, 0, run->L, told) : ERR_OK;
}

void relayed_told_release(struct relayed_told *told)
{
	free(told->word);
}

/* -- batches -------------------------------------------------------------------------------- */

/* The boxes of one party in this exchange, concatenated, with the end of each box. */
struct sent {
	struct buf bytes;
	struct box {
		uint32_t to;
		size_t end;
	} * box;
	size_t boxes, room;
	size_t due; /* receiver of the next box; L: all boxes have arrived */
};

static enum err relay_gather(struct run *run, enum sealed what, struct sent *sent)
{
	bool *wanted = alloc(run->L, sizeof(*wanted));
	size_t left = run->L, l;
	enum err e = ERR_OK;

	for (l = 0; l < run->L; l++) {
		sent[l].due = l == 0 ? 1 : 0;
		wanted[l] = sent[l].due < run->L;
		left -= !wanted[l];
	}
	while (left > 0) {
		const struct msg_sealed *b;
		struct sent *s;
		struct msg m;

		e = channel_recv_any(run->channel, wanted, run->L, MSG_SEALED, &l, &m);
		if (e != ERR_OK)
			break;
		b = &m.sealed;
		s = &sent[l];
		if (b->what != what || b->from != l || b->to != s->due || b->box.n > RELAY_BOX) {
			e = peer_fault(run->channel[l],
				       "sent SEALED %u of party %" PRIu32 " to party %" PRIu32
				       " with %zu bytes; expected %d, %zu, %zu and at most %d",
				       b->what, b->from, b->to, b->box.n, what, l, s->due,
				       RELAY_BOX);
			break;
		}
		ALLOC_ROOM(s->box, s->boxes, s->room);
		buf_add(&s->bytes, b->box.p, b->box.n);
		s->box[s->boxes++] = (struct box){ b->to, s->bytes.n };
		if (b->box.n < RELAY_BOX)
			s->due += s->due + 1 == l ? 2 : 1;
		wanted[l] = s->due < run->L;
		left -= !wanted[l];
	}
	free(wanted);
	return e;
}

enum err relay_batches(struct run *run, enum sealed what, struct batch_totals *sum)
{
	struct sent *sent = alloc(run->L, sizeof(*sent));
	enum err e = relay_gather(run, what, sent);

	for (size_t l = 0; l < run->L; l++) {
		struct sent *s = &sent[l];
		size_t at = 0;

		for (size_t i = 0; i < s->boxes && e == ERR_OK; i++) {
			struct msg m = { .type = MSG_SEALED,
					 .sealed = { (uint16_t)what,
						     (uint32_t)l,
						     s->box[i].to,
						     { s->bytes.p + at, s->box[i].end - at } } };

			e = channel_send(run->channel[s->box[i].to], &m);
			at = s->box[i].end;
		}
		sum->boxes += s->boxes;
		sum->bytes += s->bytes.n;
		buf_release(&s->bytes);
		free(s->box);
	}
	free(sent);
	return e;
}
