#include "server/run/batches.h"
#include "common/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One party's boxes of this exchange, one after the other, and where each ends. */
struct sent {
	struct buf bytes;
	struct box {
		uint32_t to;
		size_t end;
	} * box;
	size_t boxes, room;
	size_t due; /* whom the next box is for; L: all is there */
};

static enum err take_box(const struct run *run, size_t from, enum sealed what,
			 const struct msg_sealed *m, struct sent *s)
{
	if (m->what != what || m->from != from || m->to != s->due || m->box.n > RELAY_BOX)
		return peer_fault(run->channel[from],
				  "sent SEALED %u of party %" PRIu32 " to party %" PRIu32
				  " with %zu bytes; expected %d, %zu, %zu and at most %d",
				  m->what, m->from, m->to, m->box.n, what, from, s->due, RELAY_BOX);
	if (s->boxes == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->box = alloc_again(s->box, s->room, sizeof(*s->box));
	}
	buf_add(&s->bytes, m->box.p, m->box.n);
	s->box[s->boxes++] = (struct box){ m->to, s->bytes.n };
	if (m->box.n < RELAY_BOX)
		s->due += s->due + 1 == from ? 2 : 1;
	return ERR_OK;
}

static enum err gather(struct run *run, enum sealed what, struct sent *sent)
{
	bool *wanted = alloc(run->L, sizeof(*wanted));
	size_t left = run->L, l;
	enum err e = ERR_OK;

	for (l = 0; l < run->L; l++) {
		sent[l].due = l == 0 ? 1 : 0;
		wanted[l] = sent[l].due < run->L;
		left -= !wanted[l];
	}
	while (left > 0 && e == ERR_OK) {
		struct msg m;

		e = channel_recv_any(run->channel, wanted, run->L, MSG_SEALED, &l, &m);
		if (e == ERR_OK)
			e = take_box(run, l, what, &m.sealed, &sent[l]);
		if (e == ERR_OK && sent[l].due >= run->L) {
			wanted[l] = false;
			left--;
		}
	}
	free(wanted);
	return e;
}

enum err relay_batches(struct run *run, enum sealed what, struct batch_totals *sum)
{
	struct sent *sent = alloc(run->L, sizeof(*sent));
	enum err e = gather(run, what, sent);

	for (size_t l = 0; l < run->L; l++) {
		struct sent *s = &sent[l];
		size_t at = 0;

		/* In their order, which is that of the receivers. */
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
