/* okvs.h -- an oblivious key-value store: a table that returns a value for each of some keys and
 * reveals nothing about the keys (Garimella, Pinkas, Rosulek, Trieu, Yanai, CRYPTO 2021; encoded by
 * peeling).
 *
 *   places  of a 16-byte key, in a table of three thirds of t words: w_0, w_1, w_2 are its first
 * three 32-bit words, big-endian; place i is i t + floor(w_i t / 2^32)
 *   read    D[place 0] + D[place 1] + D[place 2] mod 2^64
 *   make    keys that are alone at a place are peeled, with the place, until none is left; in
 *           reverse order each key's own place becomes value - the other two. All other
 *           places are random.
 *
 * Keys are random (HMACs of ids). With 1.3 words a key and OKVS_SPARE more, peeling fails for one
 * in 770 sets of 1200 keys. For fewer or more keys it fails for one set in thousands. The usual
 * cause is two keys with the same three places. After a failure the caller derives other keys from
 * the ids and the number of the try.
 *
 * A table is uniform among the tables with these values. If the values are random, it reveals
 * nothing about the keys. Reading a sum of tables gives the sum of the values.
 */
#ifndef CRYPTO_OKVS_H
#define CRYPTO_OKVS_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { OKVS_KEY_LEN = 16, OKVS_SPARE = 768, OKVS_PRF_KEY_LEN = 16 };

/* Returns the number of words of a table for up to n < 2^31 keys: 3 (floor(13 n / 30) + OKVS_SPARE
 * / 3). */
size_t okvs_words(size_t n);

/* Computes the peeling order of n keys in a table of `words` (from okvs_words(), for n or more).
 * Returns NULL if not all keys can be peeled: two are equal, some keys remain of which none is
 * alone at a place, or a place has more than 255 keys. The keys must outlive the result. O(n);
 * about 11 bytes a word. */
struct okvs;
struct okvs *okvs_peel(const uint8_t (*key)[OKVS_KEY_LEN], size_t n, size_t words);
/* Fills the table so that key[i] reads value[i], n values. ERR_INTERNAL if there is no entropy.
 * O(words). */
enum err okvs_make(const struct okvs *o, const uint64_t *value, uint64_t *table) MUST_CHECK;
void okvs_free(struct okvs *o); /* accepts NULL */

uint64_t okvs_read(const uint64_t *table, size_t words, const uint8_t key[static OKVS_KEY_LEN]);

/* Sorts keys ascending in place, each with its number. O(n). */
void okvs_sort(uint8_t (*key)[OKVS_KEY_LEN], uint32_t *number, size_t n);

/* Adds shares of zero: value[i] += sign PRF(key[i]) mod 2^64, sign +1 or -1. The PRF is the first 8
 * bytes, little-endian, of AES-128 of the key under prf. One of the two parties calls it with sign
 * +1, the other with -1. */
void okvs_share(const uint8_t prf[static OKVS_PRF_KEY_LEN], const uint8_t (*key)[OKVS_KEY_LEN],
		size_t n, int sign, uint64_t *value);

#endif
