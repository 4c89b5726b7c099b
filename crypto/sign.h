/* sign.h -- a daemon's identity: its TLS key and certificate, Ed25519 or ECDSA P-256. */
#ifndef CRYPTO_SIGN_H
#define CRYPTO_SIGN_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FINGERPRINT_LEN = 32,
	FINGERPRINT_TEXT_LEN = 7 + 64 + 1,
	SIGNATURE_MAX = 128,
	SPKI_MAX = 512,
	IDENTITY_NAME_MAX = 64
};

struct identity; /* private key, SPKI and name; the key never leaves it */

/* Loads an identity. ERR_INPUT if a file is missing, unreadable, malformed or of an unsupported
 * kind. ERR_INPUT also if users other than its owner may read the key, if key and certificate do
 * not match, or if the certificate has no name that config_check_name() accepts. passphrase: path
 * of the passphrase file of an encrypted key, or NULL. */
enum err identity_load(struct identity **id, const char *certificate_path, const char *key_path,
		       const char *passphrase) MUST_CHECK;
/* Checks an identity as identity_load() does, without keeping it. If name is not NULL, ERR_INPUT
 * also if the certificate is for another name. */
enum err identity_check(const char *certificate_path, const char *key_path, const char *passphrase,
			const char *name) MUST_CHECK;
void identity_free(struct identity *id);
struct bytes identity_spki(const struct identity *id);
void identity_fingerprint(const struct identity *id, uint8_t fp[static FINGERPRINT_LEN]);
/* Returns the first DNS subject alternative name of the certificate. */
const char *identity_name(const struct identity *id);

enum err sign_make(const struct identity *id, struct bytes message,
		   uint8_t signature[static SIGNATURE_MAX], size_t *len) MUST_CHECK;
/* Checks a signature. ERR_PEER if spki does not parse or is of another kind, or if the signature is
 * not valid. */
enum err sign_check(struct bytes spki, struct bytes message, struct bytes signature) MUST_CHECK;

/* Computes the fingerprint: SHA-256 of the DER SubjectPublicKeyInfo. Its text is "sha256:" and 64
 * hexadecimal digits. */
void fingerprint_of(struct bytes spki, uint8_t fp[static FINGERPRINT_LEN]);
void fingerprint_text(const uint8_t fp[static FINGERPRINT_LEN],
		      char text[static FINGERPRINT_TEXT_LEN]);
bool fingerprint_parse(const char *text, uint8_t fp[static FINGERPRINT_LEN]);

#endif
