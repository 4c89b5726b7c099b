#include "crypto/mask.h"
#include "common/base/alloc.h"
#include "crypto/fixed.h"
#include "crypto/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct peer {
	uint8_t key[PRG_KEY_LEN];
	enum mask_sign sign;
};

struct mask {
	struct mask *after;
	unsigned modulus_bits;
	bool open;
	/* One cipher context, which gets each peer's key in turn. A context per peer would not fit
	 * into the cache. */
	struct prg *prg;
	uint64_t done; /* bytes used of each stream */
	struct peer *peers;
	size_t count, room;
	uint8_t *stream; /* PRG_BLOCK bytes of one peer's stream, in locked memory like keys */
};

struct mask *mask_take(struct mask **list, unsigned modulus_bits)
{
	struct mask *m = *list;

	while (m && m->open)
		m = m->after;
	if (!m) {
		ALLOC(m, 1);
		m->prg = prg_new();
		m->stream = secret_new(PRG_BLOCK);
		m->after = *list;
		*list = m;
	}
	m->open = true;
	m->modulus_bits = modulus_bits;
	m->count = 0;
	m->done = 0;
	return m;
}

void mask_wide(struct mask *m)
{
	m->modulus_bits = 64;
}

void mask_peer(struct mask *m, const uint8_t key[static PRG_KEY_LEN], enum mask_sign sign)
{
	struct peer *p;

	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 16;
		struct peer *more = secret_new(room * sizeof(*more));

		if (m->count)
			memcpy(more, m->peers, m->count * sizeof(*more));
		secret_free(m->peers, m->room * sizeof(*more));
		m->peers = more;
		m->room = room;
	}
	p = &m->peers[m->count++];
	p->sign = sign;
	memcpy(p->key, key, sizeof(p->key));
}

/* Computes x~ = x + sum_{j>i} r_ij - sum_{j<i} r_ij, where r_ij is the stream of this party i and
 * its peer j (Protocol 4, lines 12 and 14). All peers' streams are applied to one block of x while
 * it is in the first-level cache. */
void mask_add(struct mask *m, void *x, size_t n)
{
	size_t word = m->modulus_bits / 8;

	assert(m->open);
	while (n > 0) {
		size_t part = n < PRG_BLOCK / word ? n : PRG_BLOCK / word;

		for (size_t i = 0; i < m->count; i++) {
			prg_start_at(m->prg, m->peers[i].key, m->done);
			prg_next(m->prg, m->stream, part * word);
			if (m->peers[i].sign == MASK_PLUS)
				words_add(m->modulus_bits, x, m->stream, part);
			else
				words_sub(m->modulus_bits, x, m->stream, part);
		}
		m->done += part * word;
		x = (uint8_t *)x + part * word;
		n -= part;
	}
}

void mask_tag(struct mask *m, uint8_t tag[static TAG_LEN])
{
	assert(m->open);
	for (size_t i = 0; i < m->count; i++) {
		prg_start_at(m->prg, m->peers[i].key, m->done);
		prg_next(m->prg, m->stream, TAG_LEN);
		tag_uniform(m->stream);
		if (m->peers[i].sign == MASK_PLUS)
			tag_plus(tag, m->stream);
		else
			tag_minus(tag, m->stream);
	}
	m->done += TAG_LEN;
}

void mask_close(struct mask *m)
{
	prg_stop(m->prg);
	if (m->count)
		wipe(m->peers, m->count * sizeof(*m->peers));
	m->count = 0;
	wipe(m->stream, PRG_BLOCK);
	m->open = false;
}

void mask_free(struct mask *list)
{
	while (list) {
		struct mask *m = list;

		list = m->after;
		prg_free(m->prg);
		secret_free(m->peers, m->room * sizeof(*m->peers));
		secret_free(m->stream, PRG_BLOCK);
		free(m);
	}
}
