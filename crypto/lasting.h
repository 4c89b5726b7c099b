/* lasting.h -- a sum that is had although some of its members are lost: double masks, after Bonawitz et al. (CCS
 * 2017, Fig. 4), whose shared Diffie-Hellman exponents are keys of one sum here.
 *
 *   a sum    x~_i = x_i + PRG(b_i) + sum_{j>i} r_ij - sum_{j<i} r_ij   b_i: a seed of this sum, shared to all
 *                                                        members, any t of whom have it (crypto/shamir.h)
 *   left     U, of t members or more, is who has given its x~
 *   answers  of each i in U: its share of b_j of each j in U, and the key of r_ij of each lost j
 *   the sum  over U: sum x~_i - sum PRG(b_i) -+ r_ij
 *
 * A member answers once, for one U: of each other it gives a share or a key, never both. r_ij is of this sum
 * alone, so its key opens no other. CT in seeds, shares and keys.
 */
#ifndef CRYPTO_LASTING_H
#define CRYPTO_LASTING_H

#include "crypto/prg.h"
#include "crypto/secagg.h"
#include "crypto/shamir.h"

/* t: so many of a job's L parties that two lists of as many have one in common. */
size_t lasting_least(size_t parties);
/* Bytes of an answer: a share of each that is left, a key of each that is lost. */
size_t lasting_answer_len(size_t members, size_t left);

/* ---- a member's ---- */

struct lasting; /* one sum at one member */

/* As secagg_open(), with a second mask, of a new seed. t of the members have it together. ERR_INTERNAL also: the
 * CSPRNG fails. */
enum err lasting_open(struct secagg *sa, const size_t *members, size_t count, size_t t,
		      const uint8_t transcript[static SECAGG_HASH_LEN], struct mask **m,
		      uint64_t *round, struct lasting **out) MUST_CHECK;
/* The share of the own seed that is party j's, another member. */
void lasting_share(const struct lasting *s, size_t j, uint8_t share[static SHAMIR_LEN]);
/* The share of party j's seed that it has given this one. */
void lasting_keep(struct lasting *s, size_t j, const uint8_t share[static SHAMIR_LEN]);
/* U as the coordinator says it, once. left: rising party numbers. ERR_PEER: they are no members, fewer than t, or
 * this party is not one of them; or it was said before, and this is refused whatever it says. */
enum err lasting_left(struct lasting *s, const size_t *left, size_t count) MUST_CHECK;
/* What this member answers, lasting_answer_len() bytes, once: of each member in rising order its share if it
 * is left, or the key if it is lost. Shares of all that are left were kept. */
void lasting_answer(struct lasting *s, uint8_t *out);
void lasting_free(struct lasting *s); /* wipes; accepts NULL */

/* ---- the coordinator's ---- */

/* What is still on the sum of the vectors of those who are left, as a mask that takes it off: mask_add() on the sum.
 * members and left rise; answers: of each that is left, in that order. *list: of masks (crypto/mask.h), NULL
 * before; the caller frees it. */
void lasting_lift(unsigned modulus_bits, size_t t, const size_t *members, size_t count,
		  const size_t *left, size_t left_count, const uint8_t *const *answer,
		  struct mask **list, struct mask **m);

#endif
