/* okvs.h -- a table in which a value can be read for each of some keys, and which shows nothing of the keys
 * (an oblivious key-value store; Garimella, Pinkas, Rosulek, Trieu, Yanai, CRYPTO 2021; encoded by peeling).
 *
 *   places    of a key k of 16 bytes, in a table of three thirds of t words: with w_0, w_1, w_2 its first three
 *             32-bit words, big-endian, place i is i t + floor(w_i t / 2^32)
 *   read      D[place 0] + D[place 1] + D[place 2] mod 2^64
 *   make      the places that have a single key are taken off, with it, until none is left; in the reverse
 *             order each key's own place becomes value - the other two. All other places are random.
 *
 * Keys are themselves random (HMACs of ids), so with 1.3 words a key and OKVS_SPARE more all can be taken off
 * but in one of 770 sets of 1200 keys, and of fewer or more keys in one of thousands: as a rule because two keys have
 * the same three places. Then the keys are made anew, with another number. A table is uniform among
 * those that have these values: of keys with random values it shows nothing. A sum of tables reads as the sum of
 * what they read.
 */
#ifndef CRYPTO_OKVS_H
#define CRYPTO_OKVS_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { OKVS_KEY_LEN = 16, OKVS_SPARE = 768, OKVS_PRF_KEY_LEN = 16 };

/* Words of a table of up to n < 2^31 keys: 3 (floor(13 n / 30) + OKVS_SPARE / 3). */
size_t okvs_words(size_t n);

/* In which order n keys are taken off a table of `words` (of okvs_words(), for n or more). NULL: they cannot all
 * be: two of them are the same, or there is a knot. The keys must outlive it. O(n); about 11 bytes a word. */
struct okvs;
struct okvs *okvs_peel(const uint8_t (*key)[OKVS_KEY_LEN], size_t n, size_t words);
/* The table in which key[i] reads value[i] (n). ERR_INTERNAL: no entropy. O(words). */
enum err okvs_make(const struct okvs *o, const uint64_t *value, uint64_t *table) MUST_CHECK;
void okvs_free(struct okvs *o); /* accepts NULL */

uint64_t okvs_read(const uint64_t *table, size_t words, const uint8_t key[static OKVS_KEY_LEN]);

/* Sorts keys, rising, each with its number. In place. O(n). */
void okvs_sort(uint8_t (*key)[OKVS_KEY_LEN], uint32_t *number, size_t n);

/* Shares of zero: value[i] += sign PRF(key[i]) mod 2^64, sign +1 or -1, the PRF being the first 8 bytes,
 * little-endian, of AES-128 under prf of the key. Of two parties one adds and one subtracts. */
void okvs_share(const uint8_t prf[static OKVS_PRF_KEY_LEN], const uint8_t (*key)[OKVS_KEY_LEN], size_t n, int sign,
		uint64_t *value);

#endif
