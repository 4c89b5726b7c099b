/* x25519.h -- the function X25519 of RFC 7748, by libcrypto.
 *
 * Scalars and points are 32 bytes, little-endian as in the RFC; libcrypto clamps scalars and clears
 * a point's top bit. CT: libcrypto's ladder; its copies of a scalar are wiped. 0.04 ms each.
 */
#ifndef CRYPTO_X25519_H
#define CRYPTO_X25519_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { X25519_LEN = 32 };

/* A scalar that can be multiplied with any number of points, one at a time. Making it takes as long
 * as one x25519(). */
struct x25519;
struct x25519 *x25519_new(const uint8_t scalar[static X25519_LEN]);
void x25519_free(struct x25519 *x); /* wipes; accepts NULL */

/* Computes out = scalar times the base point, 9. */
void x25519_base(const struct x25519 *x, uint8_t out[static X25519_LEN]);

/* Computes out = scalar times point; out may be point. Returns false, and sets out to zeros, if the
 * result is the point at infinity. In this case point is of small order, and any other scalar gives
 * the same result. */
bool x25519(struct x25519 *x, const uint8_t point[static X25519_LEN],
	    uint8_t out[static X25519_LEN]) MUST_CHECK;

#endif
