/* psk.h -- a key that two parties share before they meet, from a file that each has of the other.
 *
 * It goes into the salt of the pair's key (crypto/secagg.h): who records now what the two agree on,
 * and breaks Diffie-Hellman later, does not have their masks. Each says to the other, by a marker,
 * whether it has one and that it is the same.
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
	/* Not a proof, which the masks are, but a check: and 256 times 256 of them fit into KEYS. */
	PSK_MARKER_LEN = 8,
};

struct psk {
	size_t n; /* bytes; 0: there is none */
	uint8_t key[PSK_MAX];
};

/* From a file of PSK_MIN .. PSK_MAX bytes as they are, or of a line of text, which is hexadecimal digits,
 * or base64, of as many. ERR_INPUT, naming the file: it cannot be read, others than its owner may read it, or
 * it has something else in it; the sentence shows nothing of that. *p is for the caller to wipe. */
enum err psk_read(struct psk *p, const char *path) MUST_CHECK;

/* HMAC(key, label || message), its first bytes. What it is said of (job, attempt, who says it to
 * whom) the caller puts into message. */
void psk_marker(const struct psk *p, struct bytes message, uint8_t marker[static PSK_MARKER_LEN]);
bool psk_marker_is(const uint8_t a[static PSK_MARKER_LEN],
		   const uint8_t b[static PSK_MARKER_LEN]); /* the same; CT */

/* The salt of the pair's key: HMAC(key, label || h). CT. Wipe it. */
void psk_salt(const struct psk *p, const uint8_t h[static SHA256_LEN],
	      uint8_t salt[static SHA256_LEN]);

#endif
