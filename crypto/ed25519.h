/* ed25519.h -- checks signatures of Ed25519 (RFC 8032), by libcrypto, which also makes them.
 *
 * libcrypto takes public keys of small order and y coordinates of p and above. One signature by a
 * key of small order fits many messages, so these keys are refused here first.
 */
#ifndef CRYPTO_ED25519_H
#define CRYPTO_ED25519_H

#include "common/base/buf.h"

#include <stdbool.h>

enum { ED25519_LEN = 32, ED25519_SIGNATURE_LEN = 64 };

/* The encoded y coordinate is below p and not one of a point of small order. Whether it is on the
 * curve is for ed25519_fits() to find. */
bool ed25519_sound(const uint8_t point[static ED25519_LEN]);

/* The key and the point in the signature are sound, and the signature fits key and message; not if
 * it has another length. 0.08 ms for 300 bytes. */
bool ed25519_fits(const uint8_t key[static ED25519_LEN], struct bytes message,
		  struct bytes signature);

#endif
