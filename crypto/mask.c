#include "crypto/mask.h"
#include "common/base/alloc.h"
#include "crypto/fixed.h"
#include "crypto/secret.h"

#include <assert.h>
#include <stdlib.h>

struct peer {
	struct prg *prg;
	enum mask_sign sign;
};

struct mask {
	struct mask *after;
	unsigned modulus_bits;
	bool open;
	struct peer *peers;
	size_t count, made; /* peers of this sum; peers that have a context */
	uint8_t stream[PRG_BLOCK];
};

struct mask *mask_take(struct mask **list, unsigned modulus_bits)
{
	struct mask *m = *list;

	while (m && m->open)
		m = m->after;
	if (!m) {
		ALLOC(m, 1);
		m->after = *list;
		*list = m;
	}
	m->open = true;
	m->modulus_bits = modulus_bits;
	m->count = 0;
	return m;
}

void mask_wide(struct mask *m)
{
	m->modulus_bits = 64;
}

void mask_peer(struct mask *m, const uint8_t key[static PRG_KEY_LEN], enum mask_sign sign)
{
	struct peer *p;

	if (m->count == m->made) {
		m->peers = alloc_again(m->peers, m->made + 1, sizeof(*m->peers));
		m->peers[m->made++].prg = prg_new();
	}
	p = &m->peers[m->count++];
	p->sign = sign;
	prg_start(p->prg, key);
}

/* x~ = x + sum_{j>i} r_ij - sum_{j<i} r_ij (Protocol 4, lines 12 and 14). All peers pass over one
 * block of x while it is in the first cache. */
void mask_add(struct mask *m, void *x, size_t n)
{
	size_t word = m->modulus_bits / 8;

	assert(m->open);
	while (n > 0) {
		size_t part = n < PRG_BLOCK / word ? n : PRG_BLOCK / word;

		for (size_t i = 0; i < m->count; i++) {
			prg_next(m->peers[i].prg, m->stream, part * word);
			if (m->peers[i].sign == MASK_PLUS)
				words_add(m->modulus_bits, x, m->stream, part);
			else
				words_sub(m->modulus_bits, x, m->stream, part);
		}
		x = (uint8_t *)x + part * word;
		n -= part;
	}
}

void mask_close(struct mask *m)
{
	for (size_t i = 0; i < m->count; i++)
		prg_stop(m->peers[i].prg);
	wipe(m->stream, sizeof(m->stream));
	m->open = false;
}

void mask_free(struct mask *list)
{
	while (list) {
		struct mask *m = list;

		list = m->after;
		for (size_t i = 0; i < m->made; i++)
			prg_free(m->peers[i].prg);
		free(m->peers);
		wipe(m->stream, sizeof(m->stream));
		free(m);
	}
}
