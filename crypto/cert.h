/* cert.h -- keys, certificates and requests: PEM files, their extensions, and how they are made.
 * Private to crypto/.
 *
 * A PEM file has at most PEM_MAX bytes and holds one object of the requested kind. The file of a
 * private key must be accessible by its owner only. All read failures are ERR_INPUT and name the
 * file.
 *
 * A daemon's certificate binds its key to a name and a role, party or coordinator. The name is the
 * first DNS subject alternative name (further ones are hosts). The role is the extended key usage:
 * clientAuth for a party, which dials out; serverAuth for a coordinator, which listens.
 */
#ifndef CRYPTO_CERT_H
#define CRYPTO_CERT_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/pki.h"
#include "crypto/sign.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>

/* ---- certificates and requests ---- */

/* Makes a private key. ERR_INTERNAL if the CSPRNG fails. */
enum err cert_make_key(EVP_PKEY **key, enum pki_key_type type) MUST_CHECK;

/* Reads the first DNS name; false if there is none, or if config_check_name() refuses it. */
bool cert_name(const STACK_OF(X509_EXTENSION) * extensions,
	       char name[static IDENTITY_NAME_MAX + 1]);
/* Appends all alternative names, separated by blanks; false if there are none, or if one is not a
 * valid host name or address. It may then have appended some. */
bool cert_hosts(const STACK_OF(X509_EXTENSION) * extensions, struct buf *text);
/* Sets *role. Returns false unless the extended key usage is exactly that of a party or of a
 * coordinator. */
bool cert_role(const STACK_OF(X509_EXTENSION) * extensions, enum pki_role *role);

/* Makes a self-signed CA that may sign end-entity certificates only. */
enum err cert_make_ca(X509 **ca, EVP_PKEY *key, const char *name, unsigned days) MUST_CHECK;
enum err cert_make_request(X509_REQ **request, EVP_PKEY *key,
			   const struct pki_request *what) MUST_CHECK;
/* Certifies the request's key, name, hosts and role. The caller has checked the request. */
enum err cert_make(X509 **certificate, X509_REQ *request, X509 *ca, EVP_PKEY *ca_key,
		   unsigned days) MUST_CHECK;

/* ---- PEM files ---- */

enum { PEM_MAX = 64 << 10 };

/* Determines the kind of a PEM file from its first BEGIN line alone. */
enum pem_kind { PEM_OTHER, PEM_KEY, PEM_CERTIFICATE, PEM_REQUEST };
enum err pem_kind_of(enum pem_kind *kind, const char *path) MUST_CHECK;

enum err pem_key(EVP_PKEY **key, const char *path, const char *passphrase) MUST_CHECK;
enum err pem_certificate(X509 **certificate, const char *path) MUST_CHECK;
enum err pem_request(X509_REQ **request, const char *path) MUST_CHECK;

/* Writes a new file, with mode 0600 for a key. ERR_INPUT if the file exists; it then stays
 * unchanged. ERR_JOB if the file cannot be written. */
enum err pem_write_key(const EVP_PKEY *key, const char *path) MUST_CHECK;
enum err pem_write_certificate(const X509 *certificate, const char *path) MUST_CHECK;
enum err pem_write_request(const X509_REQ *request, const char *path) MUST_CHECK;

bool pem_supported(const EVP_PKEY *key); /* true for Ed25519, and for EC on the named curve P-256 */
/* Digest for signing with this key: SHA-256, or NULL for Ed25519, which hashes internally. */
const EVP_MD *pem_digest(const EVP_PKEY *key);

#endif
