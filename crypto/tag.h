/* tag.h -- tags with which parties verify a sum that the coordinator broadcasts.
 *
 * p = 2^127 - 1 is larger than any difference of two words of Z_N, N = 2^64, so a tag binds the
 * unique integer in (-N/2, N/2) of each word. The parties share a group key that the coordinator
 * does not have. It yields for each sum a_j in [0, 2^64) for j = 0 .. 255, R mod p, and an offset
 * b_i mod p of each party i. With x_ij the signed word of entry j at party i:
 *
 *   H(x)   = sum_q R^q ( sum_j a_j x_(256 q + j) )  mod p
 *   sent     tau_i = ( b_i + H(x_i) ) mod p, masked in Z_p (mask_tag(), crypto/secagg.h)
 *   broadcast  s_j = sum_i x_ij,  T = sum_i tau_i mod p
 *   checked  T = ( H(s) + sum_i b_i ) mod p
 *
 * If s (n words) or T is changed without the key, a party's check still passes with probability at
 * most 2^-64 + n / (256 p). To a reader who does not know b_i, tau_i is uniformly random. Each
 * number of a group must be used for one sum only: two vectors of one party under one number would
 * reveal a_j. docs/secure-sum.md has bytes and proof.
 *
 * A number mod p is TAG_LEN bytes, little-endian, below p. CT: time depends on lengths only.
 */
#ifndef CRYPTO_TAG_H
#define CRYPTO_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAG_LEN = 16, TAG_KEY_LEN = 32, TAG_SESSION_LEN = 32 };

/* ---- numbers mod p ---- */

/* Returns true if x is below p. Use it to check received numbers. */
bool tag_is_number(const uint8_t x[static TAG_LEN]);
/* tag_plus() and tag_minus() compute acc = acc + x and acc = acc - x mod p. Both numbers must be
 * below p. */
void tag_plus(uint8_t acc[static TAG_LEN], const uint8_t x[static TAG_LEN]);
void tag_minus(uint8_t acc[static TAG_LEN], const uint8_t x[static TAG_LEN]);
/* Reduces uniform bytes to a number, in place: the lowest 127 bits, with the value p mapped to
 * 0. The statistical distance from uniform is 2^-127. */
void tag_uniform(uint8_t x[static TAG_LEN]);

/* ---- tags ---- */

struct tag; /* keys of one sum, and the state of one vector */

/* key: the group's key, which must be new for each attempt. session: secagg_session(). group: as in
 * the message MASKED. number: number of the sum among the group's broadcast sums, from 0, as in the
 * message SUM. count: words of the sum, at least 1. */
struct tag *tag_new(const uint8_t key[static TAG_KEY_LEN],
		    const uint8_t session[static TAG_SESSION_LEN], uint32_t group, uint64_t number,
		    size_t count);
/* Adds the next n words, signed integers, of this party's vector or of the sum. Chunks may have any
 * length. */
void tag_add(struct tag *t, const uint64_t *x, size_t n);
/* Checks a received sum: true if no word is -2^63. A sum of terms within their bounds is in (-2^63,
 * 2^63). */
bool tag_in_range(const uint64_t *x, size_t n);
/* Computes tau_i of party i for the added words, which must be as many as tag_new() was told.
 * Afterwards the words of the sum may be added. */
void tag_make(struct tag *t, size_t party, uint8_t tau[static TAG_LEN]);
/* members: `count` ascending numbers of parties. True if `told` is T of these parties for the added
 * words, which must be as many as tag_new() was told. */
bool tag_holds(struct tag *t, const size_t *members, size_t count,
	       const uint8_t told[static TAG_LEN]);
void tag_free(struct tag *t); /* wipes; accepts NULL */

#endif
