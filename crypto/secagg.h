/* secagg.h -- the secure sum: kCAGC Protocol 4 (arXiv 2411.12329, Appendix C), one party's side.
 *
 *   set-up   s_i random; S_i = g^s_i mod p, signed with the TLS identity key; all S_j verified
 *   keys     K_ij = HKDF-SHA256(S_j^s_i mod p; salt h; both names), h over all advertisements; where
 *            i and j share a key beforehand, it is in the salt (crypto/psk.h)
 *   a sum    x~_i = x_i + sum_{j>i} r_ij - sum_{j<i} r_ij  mod N over the group's members
 *
 * Parties are numbered by rising name. r_ij is the AES-128-CTR stream, read as little-endian words
 * of Z_N, of the key HKDF-Expand(K_ij, "coterie mask v2" || hash of member names, round and transcript ||
 * history_ij), history_ij being what both were told in groups that are over.
 * A mask is used once: opening a sum takes the group's next round for good.
 * CT: all arithmetic on s_i and S_j^s_i is constant-time (mpn_sec_powm); keys are wiped on free.
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
	uint8_t params_hash[SECAGG_HASH_LEN]; /* of the effective job and the list of parties */
	unsigned group_bits;                  /* 2048, 3072, 4096, 255: crypto/dh.h */
	unsigned modulus_bits;                /* 64 or 32 */
	size_t parties;                       /* L >= 1 */
	const char *const *names;             /* rising in byte order; copied */
	size_t own;                           /* this party's number */
	const struct psk *psk; /* by party, n 0 where there is none; NULL: none at all; copied */
};

/* A key advertisement. Views borrow: own advert from the secagg, others' from their message. */
struct secagg_advert {
	struct bytes public_key; /* S_i, dh_len() bytes */
	const uint8_t *nonce;    /* SECAGG_NONCE_LEN: the commitment to a coin */
	struct bytes spki;       /* DER SubjectPublicKeyInfo of the identity key */
	struct bytes
	    signature; /* over "coterie key advertisement v2\0" || job id || attempt || name ||
			  params hash || S_i || nonce || markers (exact bytes:
			  docs/secure-sum.md) */
	struct bytes markers; /* PSK_MARKER_LEN for each party, zeros where it shares no key with
				 it; or none at all */
};

struct secagg;

/* Draws s_i and a coin, whose hash is the nonce, computes S_i, signs. ERR_INTERNAL if the CSPRNG or the key fails. */
enum err secagg_new(struct secagg **sa, const struct secagg_setup *setup,
		    const struct identity *id) MUST_CHECK;
void secagg_own_advert(const struct secagg *sa, struct secagg_advert *a);

/* Checks all advertisements (own included: it must be what was sent) against the pinned
 * fingerprints (pins[j]: SHA-256 of party j's SPKI; pins[own] is not read): signature,
 * 2 <= S_j <= p - 2, Jacobi(S_j/p) = 1, and the same pre-shared key as here, or none. Then derives
 * all K_ij, and wipes the pre-shared keys. ERR_PEER naming the party and the check that failed.
 * ~1 ms per peer. */
enum err secagg_agree(struct secagg *sa, const struct secagg_advert *adverts,
		      const uint8_t (*pins)[SECAGG_HASH_LEN]) MUST_CHECK;

/* h, SECAGG_HASH_LEN: of the job's id, the attempt, the parameters and all advertisements
 * (docs/secure-sum.md, Keys). After secagg_agree(). */
const uint8_t *secagg_session(const struct secagg *sa);

/* Random draws are made from the coins of all parties: each is bound to its own by its nonce before it
 * sees another's, so that nobody chose it. Who comes last can end the job, and no more.
 * own: this party's coin, for all others. coins: by party, own included; ERR_PEER, naming whose
 * is not the one that it is bound to. After secagg_agree(). */
const uint8_t *secagg_own_coin(const struct secagg *sa); /* SECAGG_NONCE_LEN */
enum err secagg_draw(const struct secagg *sa, const uint8_t (*coins)[SECAGG_NONCE_LEN],
		     uint64_t *draw) MUST_CHECK;

/* One masked vector of a group. The members (rising party numbers, own among them) are worked out
 * by the caller, never taken from the coordinator. transcript: the running hash of the broadcasts
 * this group has seen. *round is the group's round, which rises by one with each call.
 * A group of one masks nothing. */
struct mask;
enum err secagg_open(struct secagg *sa, const size_t *members, size_t count,
		     const uint8_t transcript[static SECAGG_HASH_LEN], struct mask **m,
		     uint64_t *round) MUST_CHECK;
/* A group is over, in which this party heard what transcript is the hash of. For each other member j
 * (rising party numbers, own among them) history_ij = SHA-256("coterie history v1" || history_ij ||
 * transcript), 0 at first: from here on in every mask of the pair. So two that were told different
 * things never have masks that cancel again, whatever groups they are in. After secagg_agree(). */
void secagg_history(struct secagg *sa, const size_t *members, size_t count,
		    const uint8_t transcript[static SECAGG_HASH_LEN]);
const uint8_t *secagg_history_with(const struct secagg *sa, size_t j); /* SECAGG_HASH_LEN */
/* Adds the next n words of the mask to x in place; x is uint64_t or uint32_t by the modulus, in
 * native order (little-endian hosts only). Streaming: call it chunk after chunk. In blocks of
 * 16 KiB, for which each peer's key is scheduled anew: 0.2 microseconds, beside 3 or more of a whole block. CT. */
void mask_add(struct mask *m, void *x, size_t n);
/* This sum is of 64-bit words, whatever the set-up says. Before the first mask_add. */
void mask_wide(struct mask *m);
/* Adds the mask of a tag (crypto/tag.h) to it, mod p: of each pair the number that the next 16 bytes of
 * its stream are, by the same signs. Behind the last word, once at most. CT. */
void mask_tag(struct mask *m, uint8_t tag[static TAG_LEN]);
void mask_close(struct mask *m);

/* For keys of other purposes (crypto/seal.h): HKDF-Expand(K_ij, info), whose beginning must set it
 * apart from every other. j is another party; keys are agreed. */
void secagg_pair_expand(const struct secagg *sa, size_t j, struct bytes info,
			uint8_t key[static SECAGG_HASH_LEN]);
const struct secagg_setup *secagg_setup_of(const struct secagg *sa);
/* How many messages were sealed to party j, and opened of j: owned by crypto/seal.c. */
struct secagg_sealed {
	uint64_t to, from;
};
struct secagg_sealed *secagg_sealed(struct secagg *sa, size_t j);

void secagg_free(struct secagg *sa); /* wipes, masks still open included; accepts NULL */

#endif
