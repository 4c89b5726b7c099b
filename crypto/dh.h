/* dh.h -- Diffie-Hellman over the finite-field groups of RFC 7919 (ffdhe2048, 3072, 4096; g = 2).
 *
 * p is a safe prime and g = 2 generates the subgroup of prime order (p - 1) / 2, the squares.
 * Numbers are big-endian byte strings exactly as long as p. The only file that sees gmp.h.
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
const struct dh_group *dh_group(unsigned bits);     /* 2048, 3072, 4096; otherwise NULL */
size_t dh_len(const struct dh_group *group);        /* bytes of p */
const char *dh_prime(const struct dh_group *group); /* p in hexadecimal, for tests */

/* A fresh secret exponent. ERR_INTERNAL if the CSPRNG fails. */
enum err dh_secret(uint8_t secret[static DH_SECRET_LEN]) MUST_CHECK;

/* out = g^secret mod p and out = public^secret mod p, dh_len() bytes. The caller has checked
 * public_key (dh_check). CT: mpn_sec_powm on fixed-size limbs, on stack and heap that are wiped. */
void dh_public(const struct dh_group *group, const uint8_t secret[static DH_SECRET_LEN], uint8_t *out);
void dh_shared(const struct dh_group *group, const uint8_t secret[static DH_SECRET_LEN],
	       const uint8_t *public_key, uint8_t *out);

/* NULL if S has dh_len() bytes, 2 <= S <= p - 2 and Jacobi(S / p) = 1, which for a safe prime is
 * membership of the subgroup; otherwise what is wrong with it. */
const char *dh_check(const struct dh_group *group, struct bytes public_key);

#endif
