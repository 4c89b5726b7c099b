#include "crypto/okvs.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "crypto/must.h"
#include "crypto/prg.h"
#include "crypto/secret.h"

#include <assert.h>
#include <endian.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 3, BLOCK = 1024, FEW = 24, TICK = 1 << 20 };

/* Prefetch distances in steps. Without prefetch, most of the time is spent waiting for memory.
 * Peeling reads the item at a place, then the key of the item, then the other places of the key. */
enum { AHEAD_ITEM = 24, AHEAD_KEY = 16, AHEAD_PLACES = 8 };

struct okvs {
	const uint8_t (*key)[OKVS_KEY_LEN];
	size_t n, words;
	/* For each place: xor of the numbers of its keys; after peeling, the number of the key
	 * peeled at it. */
	uint32_t *item;
	uint32_t *order; /* n places in peeling order */
};

size_t okvs_words(size_t n)
{
	return PLACES * (13 * n / 30 + OKVS_SPARE / PLACES);
}

static void places(const uint8_t *key, size_t words, uint32_t place[static PLACES])
{
	uint64_t third = words / PLACES;
	uint32_t w[PLACES];

	memcpy(w, key, sizeof(w));
	for (size_t i = 0; i < PLACES; i++)
		place[i] = (uint32_t)(i * third + (be32toh(w[i]) * third >> 32));
}

/* Peels keys that are alone at a place. `order` has the peeled places, followed by places that are
 * not yet handled. Each place enters `order` at most once. */
static size_t peel(struct okvs *o, uint8_t *left)
{
	size_t done = 0, at = 0, waiting = 0;
	uint32_t place[PLACES];

	for (size_t j = 0; j < o->words; j++)
		if (left[j] == 1)
			o->order[waiting++] = (uint32_t)j;
	for (; at < waiting; at++) {
		uint32_t own = o->order[at], i = o->item[own];

		if (at + AHEAD_ITEM < waiting) {
			__builtin_prefetch(&o->item[o->order[at + AHEAD_ITEM]], 1);
			__builtin_prefetch(&left[o->order[at + AHEAD_ITEM]], 1);
			__builtin_prefetch(o->key[o->item[o->order[at + AHEAD_KEY]]]);
			places(o->key[o->item[o->order[at + AHEAD_PLACES]]], o->words, place);
			for (size_t p = 0; p < PLACES; p++) {
				__builtin_prefetch(&o->item[place[p]], 1);
				__builtin_prefetch(&left[place[p]], 1);
			}
		}
		if (left[own] != 1) /* the key was peeled at another of its places */
			continue;
		o->order[done++] = own;
		places(o->key[i], o->words, place);
		for (size_t p = 0; p < PLACES; p++) {
			uint32_t j = place[p];

			left[j]--;
			if (j == own)
				continue;
			o->item[j] ^= i;
			if (left[j] == 1)
				o->order[waiting++] = j;
		}
		if (done % TICK == 0)
			progress_tick();
	}
	return done;
}

struct okvs *okvs_peel(const uint8_t (*key)[OKVS_KEY_LEN], size_t n, size_t words)
{
	struct okvs *o = alloc(1, sizeof(*o));
	uint8_t *left = alloc(words, 1); /* unpeeled keys of each place */
	uint32_t place[PLACES];
	bool fits = true;

	assert(words % PLACES == 0 && words <= UINT32_MAX);
	*o = (struct okvs){ .key = key, .n = n, .words = words };
	ALLOC(o->item, words);
	ALLOC(o->order, words);
	for (size_t i = 0; i < n; i++) {
		places(key[i], words, place);
		for (size_t p = 0; p < PLACES; p++) {
			fits &= left[place[p]] < UINT8_MAX;
			left[place[p]]++;
			o->item[place[p]] ^= (uint32_t)i;
		}
		if (i % TICK == 0)
			progress_tick();
	}
	fits = fits && peel(o, left) == n;
	free(left);
	if (fits)
		return o;
	okvs_free(o);
	return NULL;
}

enum err okvs_make(const struct okvs *o, const uint64_t *value, uint64_t *table)
{
	const size_t block = PRG_BLOCK / sizeof(*table);
	uint8_t seed[PRG_KEY_LEN];
	struct prg *prg;
	uint32_t place[PLACES];

	TRY(random_secret(seed, sizeof(seed)));
	prg = prg_new();
	prg_start(prg, seed);
	wipe(seed, sizeof(seed));
	for (size_t j = 0; j < o->words; j += block)
		prg_next(prg, table + j,
			 (o->words - j < block ? o->words - j : block) * sizeof(*table));
	prg_free(prg);
	for (size_t k = o->n; k-- > 0;) {
		uint32_t own = o->order[k], i = o->item[own];
		uint64_t others = 0;

		if (k >= AHEAD_ITEM) {
			__builtin_prefetch(&o->item[o->order[k - AHEAD_ITEM]]);
			__builtin_prefetch(o->key[o->item[o->order[k - AHEAD_KEY]]]);
			__builtin_prefetch(&value[o->item[o->order[k - AHEAD_KEY]]]);
			places(o->key[o->item[o->order[k - AHEAD_PLACES]]], o->words, place);
			for (size_t p = 0; p < PLACES; p++)
				__builtin_prefetch(&table[place[p]], 1);
		}
		places(o->key[i], o->words, place);
		for (size_t p = 0; p < PLACES; p++)
			others += place[p] == own ? 0 : table[place[p]];
		table[own] = value[i] - others;
		if (k % TICK == 0)
			progress_tick();
	}
	return ERR_OK;
}

void okvs_free(struct okvs *o)
{
	if (!o)
		return;
	free(o->item);
	free(o->order);
	free(o);
}

uint64_t okvs_read(const uint64_t *table, size_t words, const uint8_t key[static OKVS_KEY_LEN])
{
	uint32_t place[PLACES];

	places(key, words, place);
	return table[place[0]] + table[place[1]] + table[place[2]];
}

static void okvs_swap(uint8_t (*key)[OKVS_KEY_LEN], uint32_t *number, size_t i, size_t j)
{
	uint8_t k[OKVS_KEY_LEN];
	uint32_t aside = number[i];

	memcpy(k, key[i], OKVS_KEY_LEN);
	memcpy(key[i], key[j], OKVS_KEY_LEN);
	memcpy(key[j], k, OKVS_KEY_LEN);
	number[i] = number[j];
	number[j] = aside;
}

/* Sorts by byte `at`, then sorts the keys of equal bytes by the next byte, and so on. Keys are
 * random, so few keys share their first bytes. */
static void sort_by(uint8_t (*key)[OKVS_KEY_LEN], uint32_t *number, size_t n, size_t at)
{
	size_t next[256] = { 0 }, end[256], sum = 0;

	if (n <= FEW || at == OKVS_KEY_LEN) {
		for (size_t i = 1; i < n; i++)
			for (size_t j = i; j > 0 && memcmp(key[j - 1], key[j], OKVS_KEY_LEN) > 0;
			     j--)
				okvs_swap(key, number, j - 1, j);
		return;
	}
	for (size_t i = 0; i < n; i++)
		next[key[i][at]]++;
	for (size_t b = 0; b < 256; b++) {
		size_t count = next[b];

		next[b] = sum;
		end[b] = sum += count;
	}
	for (size_t b = 0; b < 256; b++)
		while (next[b] < end[b]) {
			uint8_t c = key[next[b]][at];

			if (c == b)
				next[b]++;
			else
				okvs_swap(key, number, next[b], next[c]++);
		}
	for (size_t b = 0, first = 0; b < 256; first = end[b++])
		sort_by(key + first, number + first, end[b] - first, at + 1);
}

void okvs_sort(uint8_t (*key)[OKVS_KEY_LEN], uint32_t *number, size_t n)
{
	sort_by(key, number, n, 0);
}

void okvs_share(const uint8_t prf[static OKVS_PRF_KEY_LEN], const uint8_t (*key)[OKVS_KEY_LEN],
		size_t n, int sign, uint64_t *value)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t out[BLOCK][OKVS_KEY_LEN];

	must(c && EVP_EncryptInit_ex2(c, EVP_aes_128_ecb(), prf, NULL, NULL) &&
		 EVP_CIPHER_CTX_set_padding(c, 0),
	     "AES-128-ECB");
	for (size_t i = 0; i < n; i += BLOCK) {
		size_t now = n - i < BLOCK ? n - i : BLOCK;
		int len = (int)(now * OKVS_KEY_LEN), made;

		must(EVP_EncryptUpdate(c, out[0], &made, key[i], len) && made == len,
		     "AES-128-ECB");
		for (size_t k = 0; k < now; k++) {
			uint64_t share;

			memcpy(&share, out[k], sizeof(share));
			share = le64toh(share);
			value[i + k] += sign < 0 ? -share : share;
		}
	}
	wipe(out, sizeof(out));
	EVP_CIPHER_CTX_free(c); /* cleanses the key schedule */
}
