/* psk.h -- a key that two parties share in advance. Each reads it from its file for the other
 * party.
 *
 * The salt of the key K_ij (crypto/secagg.h) depends on this shared key. So an attacker that
 * records the key agreement now and breaks Diffie-Hellman later still cannot compute the masks.
 * Each party sends the other a marker, which shows whether both have the same key, or none.
 */
#ifndef CRYPTO_PSK_H
#define CRYPTO_PSK_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PSK_MIN = 32, /* bytes of a key */
	PSK_MAX = 64,
	PSK_FILE_MAX = 256,
	/* Bytes of a marker, which is only an early check; the masks prove possession of the key.
	 * The message KEYS has room for 256 x 256 markers. */
	PSK_MARKER_LEN = 8,
};

struct psk {
	size_t n; /* bytes of the key; 0 if there is no key */
	uint8_t key[PSK_MAX];
};

/* Reads a file of PSK_MIN .. PSK_MAX raw bytes, or one line that encodes so many bytes in
 * hexadecimal or base64. ERR_INPUT, naming the file, if it is unreadable, can be read by users
 * other than its owner, or has other contents. The error does not quote the contents. The caller
 * wipes *p. */
enum err psk_read(struct psk *p, const char *path) MUST_CHECK;

/* Computes the first PSK_MARKER_LEN bytes of HMAC(key, label || message). The caller puts the
 * context (job, attempt, sender, receiver) into message. */
void psk_marker(const struct psk *p, struct bytes message, uint8_t marker[static PSK_MARKER_LEN]);
/* Compares markers. CT. */
bool psk_marker_is(const uint8_t a[static PSK_MARKER_LEN], const uint8_t b[static PSK_MARKER_LEN]);

/* Computes the salt of K_ij, HMAC(key, label || h), with h from secagg_session(). CT. The caller
 * wipes it. */
void psk_salt(const struct psk *p, const uint8_t h[static SHA256_LEN],
	      uint8_t salt[static SHA256_LEN]);

#endif
