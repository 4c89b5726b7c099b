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
	/* 320 bits with the top one set: a collision search takes 2^160 steps. */
	DH_SECRET_LEN = 40,
};

struct dh_group;
/* bits: 2048, 3072, 4096, or 255 for X25519; NULL for any other. */
const struct dh_group *dh_group(unsigned bits);
size_t dh_len(const struct dh_group *group); /* bytes of p, and of a public key */
/* p in hexadecimal, for tests; 2^255 - 19 for X25519. */
const char *dh_prime(const struct dh_group *group);

/* Draws a secret exponent; X25519 uses its last 32 bytes. ERR_INTERNAL if the CSPRNG fails. */
enum err dh_secret(uint8_t secret[static DH_SECRET_LEN]) MUST_CHECK;

/* A copy of a secret exponent with its group, for any number of powers. dh_key_free() wipes it. */
struct dh_key;
struct dh_key *dh_key_new(const struct dh_group *group, const uint8_t secret[static DH_SECRET_LEN]);
void dh_key_free(struct dh_key *key); /* accepts NULL */

/* out = g^secret mod p and out = public_key^secret mod p, dh_len() bytes. The caller has checked
 * public_key (dh_check). CT: mpn_sec_powm on fixed-size limbs in memory that is wiped; X25519 as
 * in crypto/x25519.h. */
void dh_public(const struct dh_key *key, uint8_t *out);
void dh_shared(const struct dh_key *key, const uint8_t *public_key, uint8_t *out);

/* Checks that S has dh_len() bytes, 2 <= S <= p - 2 and S is in no small subgroup. Returns NULL, or
 * the reason for the refusal.
 *
 * ffdhe: Jacobi(S / p) = 1, which for a safe prime is membership of the subgroup. X25519: 8 S is
 * not zero, 8 being the curve's cofactor (RFC 7748, 6.1). Then no multiple that X25519 computes is
 * zero either.
 */
const char *dh_check(const struct dh_group *group, struct bytes public_key);

#endif
