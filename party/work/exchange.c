#include "party/work/exchange.h"
#include "crypto/seal.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

enum { HEAD = sizeof(uint64_t), TEXT_MAX = RELAY_BOX - SEAL_TAG_LEN, LEAST = 4096 };

size_t exchange_padded(size_t n)
{
	size_t step = LEAST;

	n += HEAD;
	while (step * 8 <= n)
		step *= 2;
	return (n + step - 1) / step * step;
}

static enum err recv_batch(struct work *work, size_t from, enum sealed what, struct buf *in,
			   size_t most)
{
	const struct msg_sealed *s;
	uint64_t bytes = 0;
	struct msg m;
	enum err e;
	size_t len;

	do {
		if (in->n > exchange_padded(most))
			return step_fault(
			    work->channel,
			    "%s sent a batch of more than the %zu bytes that it can have",
			    work->name[from], most);
		TRY(channel_recv(work->channel, MSG_SEALED, &m));
		s = &m.sealed;
		if (s->what != what || s->from != from || s->to != work->own ||
		    s->box.n < SEAL_TAG_LEN || s->box.n > RELAY_BOX)
			return peer_fault(work->channel,
					  "passed on SEALED %u of party %" PRIu32
					  " to party %" PRIu32
					  " with %zu bytes; expected %d, %zu, %zu and %d to %d",
					  s->what, s->from, s->to, s->box.n, what, from, work->own,
					  SEAL_TAG_LEN, RELAY_BOX);
		len = s->box.n - SEAL_TAG_LEN;
		e = seal_open(work->secagg, from, (uint16_t)what, s->box, buf_extend(in, len));
		if (e != ERR_OK)
			return err_prefix(e, "as %s passed it on", channel_peer(work->channel));
	} while (len == TEXT_MAX);
	/* The length in an opened box is only a claim of the sender. */
	if (in->n >= HEAD)
		memcpy(&bytes, in->p, HEAD);
	bytes = le64toh(bytes);
	if (in->n < HEAD || bytes > in->n - HEAD || exchange_padded((size_t)bytes) != in->n)
		return step_fault(work->channel,
				  "%s sent a batch of %zu bytes that does not end as it says",
				  work->name[from], in->n);
	buf_drop(in, HEAD);
	in->n = (size_t)bytes;
	return ERR_OK;
}

enum err party_exchange(struct work *work, enum sealed what, struct buf *out, struct buf *in,
			size_t most)
{
	enum err e = ERR_OK;

	for (size_t l = 0; l < work->L && e == ERR_OK; l++) {
		size_t whole = exchange_padded(out[l].n), at = 0, now;
		size_t fill = whole - HEAD - out[l].n;
		uint64_t len = htole64(out[l].n);
		struct buf text = { 0 };

		if (l == work->own)
			continue;
		buf_add(&text, &len, HEAD);
		buf_add(&text, out[l].p, out[l].n);
		buf_release(&out[l]);
		memset(buf_extend(&text, fill), 0, fill);
		do {
			now = whole - at < TEXT_MAX ? whole - at : TEXT_MAX;
			e = work_send_sealed(work, l, what, (struct bytes){ text.p + at, now });
			at += now;
		} while (e == ERR_OK && now == TEXT_MAX);
		buf_release(&text);
	}
	TRY(e);
	work->broadcasts.per_party = true; /* each party receives other batches */
	for (size_t l = 0; l < work->L && e == ERR_OK; l++)
		if (l != work->own)
			e = recv_batch(work, l, what, &in[l], most);
	work->broadcasts.per_party = false;
	return e;
}
