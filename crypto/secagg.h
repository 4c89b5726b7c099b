/* secagg.h -- the secure sum: kCAGC Protocol 4 (arXiv 2411.12329, Appendix C), party side.
 *
 *   set-up   s_i random; S_i = g^s_i mod p, signed with the TLS identity key; all S_j verified
 *   keys     K_ij = HKDF-SHA256(S_j^s_i mod p; salt h; both names), h over all advertisements; a
 *            pre-shared key of i and j enters the salt (crypto/psk.h)
 *   a sum    x~_i = x_i + sum_{j>i} r_ij - sum_{j<i} r_ij  mod N over the group's members; x_i is
 *            the vector of party i, and x~_i the vector that it sends
 *
 * Parties are numbered by ascending name. r_ij is an AES-128-CTR stream, read as little-endian
 * words of Z_N. Its key is HKDF-Expand(K_ij, "coterie mask v2" || hash of member names, round and
 * transcript || history_ij). history_ij covers the broadcasts that both received in finished
 * groups.
 *
 * A mask is used once: each secagg_open() consumes the group's next round. CT: all arithmetic on
 * s_i and S_j^s_i is constant-time (crypto/dh.h); keys are wiped on free.
 */
#ifndef CRYPTO_SECAGG_H
#define CRYPTO_SECAGG_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/psk.h"
#include "crypto/sign.h"
#include "crypto/tag.h"

#include <stddef.h>
#include <stdint.h>

enum { SECAGG_NONCE_LEN = 32, SECAGG_HASH_LEN = 32, SECAGG_JOB_ID_LEN = 16 };

struct secagg_setup {
	uint8_t job_id[SECAGG_JOB_ID_LEN];
	uint32_t attempt;
	/* hash of the effective job and the list of parties */
	uint8_t params_hash[SECAGG_HASH_LEN];
	unsigned group_bits;      /* 2048, 3072, 4096 or 255: crypto/dh.h */
	unsigned modulus_bits;    /* 64 or 32 */
	size_t parties;           /* L >= 1 */
	const char *const *names; /* ascending in byte order; copied */
	size_t own;               /* this party's number */
	/* pre-shared keys by party, with n = 0 for a party without one; NULL: no keys; copied */
	const struct psk *psk;
};

/* A key advertisement. All pointers are borrowed: in the own advertisement from the secagg, in
 * another party's advertisement from its message. */
struct secagg_advert {
	struct bytes public_key; /* S_i, dh_len() bytes */
	const uint8_t *nonce;    /* SECAGG_NONCE_LEN random bytes */
	struct bytes spki;       /* DER SubjectPublicKeyInfo of the identity key */
	/* Signature of "coterie key advertisement v2\0" || job id || attempt || name || params hash
	 * || S_i || nonce || markers (exact bytes: docs/secure-sum.md). */
	struct bytes signature;
	/* PSK_MARKER_LEN bytes for each party, zeros if there is no shared key; or empty. */
	struct bytes markers;
};

struct secagg;

/* Draws s_i and the nonce, computes S_i and signs. ERR_INTERNAL if the CSPRNG or the signature
 * fails. */
enum err secagg_new(struct secagg **sa, const struct secagg_setup *setup,
		    const struct identity *id) MUST_CHECK;
void secagg_own_advert(const struct secagg *sa, struct secagg_advert *a);

/* Checks all advertisements against the pinned fingerprints (pins[j]: SHA-256 of party j's SPKI;
 * pins[own] is not read). Checks: signature, S_j (dh_check()), and the same pre-shared key as here,
 * or none. The own advertisement must be the one that was sent. Then derives all K_ij and wipes the
 * pre-shared keys. ERR_PEER names the party and the failed check. About 1 ms per peer. */
enum err secagg_agree(struct secagg *sa, const struct secagg_advert *adverts,
		      const uint8_t (*pins)[SECAGG_HASH_LEN]) MUST_CHECK;

/* Returns h, SECAGG_HASH_LEN bytes: the hash of the job id, the attempt, the parameters and all
 * advertisements (docs/secure-sum.md, Keys). Valid after secagg_agree(). */
const uint8_t *secagg_session(const struct secagg *sa);

/* Opens the mask of one vector of a group. The caller derives the members (ascending party numbers,
 * own included) itself and never takes them from the coordinator. transcript: running hash of the
 * broadcasts to this group. *round becomes the group's round, which increases by one with each
 * call. The mask of a group of one party is zero. ERR_INTERNAL: members are not ascending, or leave
 * out this party. */
struct mask;
enum err secagg_open(struct secagg *sa, const size_t *members, size_t count,
		     const uint8_t transcript[static SECAGG_HASH_LEN], struct mask **m,
		     uint64_t *round) MUST_CHECK;
/* Ends a group in which this party received the broadcasts hashed in transcript. For each other
 * member j: history_ij = SHA-256("coterie history v1\0" || history_ij || transcript), initially 0.
 * Every later mask of the pair depends on the history. So after two parties have received different
 * broadcasts, their masks never cancel again, in any group. members: ascending, own included. Call
 * it after secagg_agree(). */
void secagg_history(struct secagg *sa, const size_t *members, size_t count,
		    const uint8_t transcript[static SECAGG_HASH_LEN]);
const uint8_t *secagg_history_with(const struct secagg *sa, size_t j); /* SECAGG_HASH_LEN bytes */
/* Adds the next n words of the mask to x in place; x has words of setup.modulus_bits, or 64-bit
 * words after mask_wide(), in native order (little-endian hosts only). Call it for chunk after
 * chunk of a vector. For each block of 16 KiB it sets each peer's key again, which takes 0.2
 * microseconds of the 3 or more for the block. CT. */
void mask_add(struct mask *m, void *x, size_t n);
/* Makes this sum use 64-bit words, whatever setup.modulus_bits is. Call before the first
 * mask_add(). */
void mask_wide(struct mask *m);
/* Adds the mask of a tag (crypto/tag.h) mod p, with the same signs. Each pair contributes the
 * number in the next 16 bytes of its stream. Call after the last word, at most once. CT. */
void mask_tag(struct mask *m, uint8_t tag[static TAG_LEN]);
void mask_close(struct mask *m);

/* Derives keys for other purposes (crypto/seal.h): HKDF-Expand(K_ij, info). info must begin with a
 * label that no other purpose uses. j is another party. Call it after secagg_agree(). */
void secagg_pair_expand(const struct secagg *sa, size_t j, struct bytes info,
			uint8_t key[static SECAGG_HASH_LEN]);
const struct secagg_setup *secagg_setup_of(const struct secagg *sa);
/* Numbers of messages sealed to party j and opened from it. Owned by crypto/seal.c. */
struct secagg_sealed {
	uint64_t to, from;
};
struct secagg_sealed *secagg_sealed(struct secagg *sa, size_t j);

void secagg_free(struct secagg *sa); /* wipes, open masks included; accepts NULL */

#endif
