/* dh.h -- Diffie-Hellman: the finite-field groups of RFC 7919 (ffdhe2048, 3072, 4096; g = 2), and
 * X25519 of RFC 7748.
 *
 * ffdhe: p is a safe prime and g = 2 generates the subgroup of prime order (p - 1) / 2, the
 * quadratic residues. Numbers are big-endian byte strings exactly as long as p.
 *
 * X25519: g is the point 9, and a power here stands for a multiple of a point. Points are 32 bytes,
 * little-endian.
 */
#ifndef CRYPTO_DH_H
#define CRYPTO_DH_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum {
	DH_BYTES_MAX = 512, /* bytes of p in ffdhe4096 */
	/* 320 bits, of which the top bit is set; a collision search takes 2^160 steps */
	DH_SECRET_LEN = 40,
};

struct dh_group;
/* Returns the group. bits: 2048, 3072, 4096, or 255 for X25519. Returns NULL for any other
 * number. */
const struct dh_group *dh_group(unsigned bits);
size_t dh_len(const struct dh_group *group); /* bytes of p, and of a public key */
/* Returns p in hexadecimal, for tests; for X25519 returns 2^255 - 19. */
const char *dh_prime(const struct dh_group *group);

/* Draws a secret exponent; X25519 uses its last 32 bytes. ERR_INTERNAL if the CSPRNG fails. */
enum err dh_secret(uint8_t secret[static DH_SECRET_LEN]) MUST_CHECK;

/* A copy of a secret exponent with its group, for any number of powers. dh_key_free() wipes it. */
struct dh_key;
struct dh_key *dh_key_new(const struct dh_group *group, const uint8_t secret[static DH_SECRET_LEN]);
void dh_key_free(struct dh_key *key); /* accepts NULL */

/* dh_public() computes out = g^secret mod p, and dh_shared() out = public_key^secret mod p, where
 * `out` has dh_len() bytes. The caller has checked public_key (dh_check). CT: mpn_sec_powm on
 * fixed-size limbs in memory that is wiped; X25519 as in crypto/x25519.h. */
void dh_public(const struct dh_key *key, uint8_t *out);
void dh_shared(const struct dh_key *key, const uint8_t *public_key, uint8_t *out);

/* Checks a public key S: it has dh_len() bytes, 2 <= S <= p - 2, and it is not in a small subgroup.
 * Returns NULL, or the reason for the refusal.
 *
 * ffdhe: checks Jacobi(S / p) = 1. For a safe prime, that means that S is in the large subgroup.
 * X25519: checks that 8 S is not zero, where 8 is the curve's cofactor (RFC 7748, 6.1). Then no
 * multiple that X25519 computes is zero.
 */
const char *dh_check(const struct dh_group *group, struct bytes public_key);

#endif
