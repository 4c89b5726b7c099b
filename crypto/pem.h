/* pem.h -- keys, certificates and requests in PEM files. For the files of crypto/ only.
 *
 * A file has at most PEM_MAX bytes and holds one object of the kind asked for; a private key's
 * file is open to its owner alone and not encrypted. All failures to read are ERR_INPUT and name
 * the file.
 */
#ifndef CRYPTO_PEM_H
#define CRYPTO_PEM_H

#include "common/base/err.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>

enum { PEM_MAX = 64 << 10 };

/* The kind of a PEM file, by its first BEGIN line alone. */
enum pem_kind { PEM_OTHER, PEM_KEY, PEM_CERTIFICATE, PEM_REQUEST };
enum err pem_kind_of(enum pem_kind *kind, const char *path) MUST_CHECK;

enum err pem_key(EVP_PKEY **key, const char *path) MUST_CHECK;
enum err pem_certificate(X509 **certificate, const char *path) MUST_CHECK;
enum err pem_request(X509_REQ **request, const char *path) MUST_CHECK;

/* Into a new file: ERR_INPUT if there is one already, which stays as it is; ERR_JOB if it cannot be
 * written. Keys get mode 0600. */
enum err pem_write_key(const EVP_PKEY *key, const char *path) MUST_CHECK;
enum err pem_write_certificate(const X509 *certificate, const char *path) MUST_CHECK;
enum err pem_write_request(const X509_REQ *request, const char *path) MUST_CHECK;

bool pem_supported(const EVP_PKEY *key); /* Ed25519, or EC on the named curve P-256 */
/* The digest for signing with this key: NULL for Ed25519, which hashes by itself; otherwise SHA-256. */
const EVP_MD *pem_digest(const EVP_PKEY *key);

#endif
