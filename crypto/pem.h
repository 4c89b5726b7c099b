/* pem.h -- keys, certificates and requests in PEM files. For the files of crypto/ only.
 *
 * A file is regular, at most PEM_MAX bytes, and holds one object of the kind asked for; a private
 * key's file is readable by its owner alone and not encrypted. All failures are ERR_INPUT and name
 * the file.
 */
#ifndef CRYPTO_PEM_H
#define CRYPTO_PEM_H

#include "common/base/err.h"

#include <openssl/x509.h>
#include <stdbool.h>

enum { PEM_MAX = 64 << 10 };

enum err pem_key(EVP_PKEY **key, const char *path) MUST_CHECK;
enum err pem_certificate(X509 **certificate, const char *path) MUST_CHECK;
enum err pem_request(X509_REQ **request, const char *path) MUST_CHECK;

/* What kind of object a file starts with, by its first BEGIN line; nothing else is checked. */
enum pem_kind { PEM_OTHER, PEM_KEY, PEM_CERTIFICATE, PEM_REQUEST };
enum err pem_kind_of(enum pem_kind *kind, const char *path) MUST_CHECK;

bool pem_supported(const EVP_PKEY *key); /* Ed25519, or EC on the named curve P-256 */

#endif
