/* tag.h -- tags by which parties verify a sum that the coordinator tells them.
 *
 * p is the largest prime below 2^54, so that 1024 terms below it stay below 2^64. For each sum and tag
 * t = 1, 2 a point r_t and, for each party i, an offset beta_ti come from the group key, which the
 * coordinator does not have. With x_ij the signed word of entry j at party i:
 *
 *   sent, masked as the words are    tau_ti = (beta_ti + sum_j r_t^(j+1) x_ij) mod p
 *   told                             s_j = sum_i x_ij, T_t = sum_i tau_ti
 *   checked                          T_t mod p = (sum_i beta_ti + sum_j r_t^(j+1) s_j) mod p, both t
 *
 * Whoever alters s without r_t passes with probability at most ((n + 1) / p)^2: 2^-68 for n = 10^6.
 * tau_ti is uniform to whoever does not have beta_ti. Each number of a group serves one sum.
 * docs/secure-sum.md has the bytes.
 */
#ifndef CRYPTO_TAG_H
#define CRYPTO_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAG_WORDS = 2, TAG_KEY_LEN = 32 };
#define TAG_PRIME ((1ULL << 54) - 33)

struct tag; /* of one vector, word by word */

/* group: the sum's, as in MASKED; number: of its sums that are told, from 0, as in SUM. count:
 * the words that will come, which only bounds what is prepared. About 3 microseconds. */
struct tag *tag_new(const uint8_t key[static TAG_KEY_LEN], uint32_t group, uint64_t number,
		    size_t count);
/* The next n words: of this party's own vector, or of the told sum; in pieces of any length. CT: time
 * depends on n only. */
void tag_add(struct tag *t, const uint64_t *x, size_t n);
/* tau_1i, tau_2i of party i and the words that were added. */
void tag_make(const struct tag *t, size_t party, uint64_t tau[static TAG_WORDS]);
/* Are T_1, T_2 those of these parties, whose numbers rise, and of the words that were added? */
bool tag_holds(const struct tag *t, const size_t *members, size_t count,
	       const uint64_t told[static TAG_WORDS]);
void tag_free(struct tag *t); /* wipes; accepts NULL */

#endif
