/* dh.h -- Diffie-Hellman: the finite-field groups of RFC 7919 (ffdhe2048, 3072, 4096; g = 2), and
 * X25519 of RFC 7748.
 *
 * ffdhe: p is a safe prime and g = 2 generates the subgroup of prime order (p - 1) / 2, the
 * squares. Numbers are big-endian byte strings exactly as long as p. The only file that sees gmp.h.
 * X25519: g is the point 9, and what is written here as a power is a multiple of a point: 32 bytes,
 * little-endian.
 */
#ifndef CRYPTO_DH_H
#define CRYPTO_DH_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum {
	DH_BYTES_MAX = 512, /* of p in ffdhe4096 */
	DH_SECRET_LEN = 40, /* 320 bits, the top one set: a collision search takes 2^160 steps */
};

struct dh_group;
const struct dh_group *dh_group(unsigned bits); /* 2048, 3072, 4096, 255: X25519; otherwise NULL */
size_t dh_len(const struct dh_group *group);    /* bytes of p, and of a public key */
const char *
dh_prime(const struct dh_group *group); /* p in hexadecimal, for tests; of X25519 2^255 - 19 */

/* A fresh secret exponent; X25519 uses the last 32 bytes of it. ERR_INTERNAL if the CSPRNG fails.
 */
enum err dh_secret(uint8_t secret[static DH_SECRET_LEN]) MUST_CHECK;

/* A secret exponent in its group, for any number of powers: a copy, which is wiped when freed. */
struct dh_key;
struct dh_key *dh_key_new(const struct dh_group *group, const uint8_t secret[static DH_SECRET_LEN]);
void dh_key_free(struct dh_key *key); /* accepts NULL */

/* out = g^secret mod p and out = public^secret mod p, dh_len() bytes. The caller has checked
 * public_key (dh_check). CT: mpn_sec_powm on fixed-size limbs, on stack and heap that are wiped;
 * crypto/x25519.h. */
void dh_public(const struct dh_key *key, uint8_t *out);
void dh_shared(const struct dh_key *key, const uint8_t *public_key, uint8_t *out);

/* NULL if S has dh_len() bytes, 2 <= S <= p - 2 and is in no small subgroup; otherwise what is
 * wrong with it. ffdhe: Jacobi(S / p) = 1, which for a safe prime is membership of the subgroup.
 * X25519: 8 S, 8 being the curve's cofactor, is not zero (RFC 7748, 6.1), nor then is any multiple
 * that X25519 computes. */
const char *dh_check(const struct dh_group *group, struct bytes public_key);

#endif
