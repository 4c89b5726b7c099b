/* kdf.h -- HKDF-SHA256 (RFC 5869), its two halves. */
#ifndef CRYPTO_KDF_H
#define CRYPTO_KDF_H

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { KDF_KEY_LEN = 32, KDF_OUT_MAX = 255 * KDF_KEY_LEN };

/* PRK = HMAC(salt, secret). CT in the secret. */
void kdf_extract(struct bytes salt, struct bytes secret, uint8_t key[static KDF_KEY_LEN]);
/* OKM, n <= KDF_OUT_MAX bytes. info may have any length (libcrypto's own HKDF stops at 2 KiB, which
 * the member names of a large group exceed). CT in the key. */
void kdf_expand(const uint8_t key[static KDF_KEY_LEN], struct bytes info, uint8_t *out, size_t n);

#endif
