/* ed25519.h -- whether a signature of Ed25519 (RFC 8032) fits, by libsodium: a third of the time that
 * libcrypto's check takes, which counts where each of a hundred parties checks those of all others.
 * libcrypto makes them. The only file that sees sodium.h.
 */
#ifndef CRYPTO_ED25519_H
#define CRYPTO_ED25519_H

#include "common/base/buf.h"

#include <stdbool.h>

enum { ED25519_LEN = 32, ED25519_SIGNATURE_LEN = 64 };

/* Does it fit that key and message? Not if it has another length, and not if the key, or the point in
 * the signature, is of small order: one signature by such a key would fit many messages, and libcrypto
 * takes it. 0.055 ms for 300 bytes. */
bool ed25519_fits(const uint8_t key[static ED25519_LEN], struct bytes message,
		  struct bytes signature);

#endif
