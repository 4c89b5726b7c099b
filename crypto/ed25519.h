/* ed25519.h -- verifies Ed25519 signatures (RFC 8032) with libcrypto.
 *
 * libcrypto accepts public keys of small order and y coordinates >= p. One signature by a key of
 * small order fits many messages, so such keys are refused here first.
 */
#ifndef CRYPTO_ED25519_H
#define CRYPTO_ED25519_H

#include "common/base/buf.h"

#include <stdbool.h>

enum { ED25519_LEN = 32, ED25519_SIGNATURE_LEN = 64 };

/* True if the encoded y coordinate is below p and does not belong to a point of small order. Does
 * not check that the point is on the curve; ed25519_fits() does. */
bool ed25519_sound(const uint8_t point[static ED25519_LEN]);

/* True if ed25519_sound() accepts the key and the first half of the signature, which is a point,
 * and if the signature has ED25519_SIGNATURE_LEN bytes and fits key and message. 0.08 ms for a
 * message of 300 bytes. */
bool ed25519_fits(const uint8_t key[static ED25519_LEN], struct bytes message,
		  struct bytes signature);

#endif
