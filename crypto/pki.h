/* pki.h -- a small certificate authority in a folder: keys, requests, certificates in PEM files.
 *
 * Keys are made where they are used and never leave that host. Files are never overwritten, and key
 * files have mode 0600. Errors: ERR_INPUT for bad arguments or file contents, ERR_JOB if a file
 * cannot be written, ERR_INTERNAL if libcrypto fails.
 */
#ifndef CRYPTO_PKI_H
#define CRYPTO_PKI_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/limit.h"
#include "crypto/sign.h"

#include <stddef.h>
#include <stdint.h>

enum pki_role { PKI_PARTY, PKI_COORDINATOR };
enum pki_key_type { PKI_ED25519, PKI_P256 };
enum { PKI_DAYS_MAX = 36500, PKI_HOSTS_MAX = 16 };

/* Makes DIR, DIR/ca.key and DIR/ca.crt, valid for `days`. name: the CA's, 1 to 64 printable
 * bytes. */
enum err pki_init(const char *dir, const char *name, enum pki_key_type key_type,
		  unsigned days) MUST_CHECK;

struct pki_request {
	const char *name; /* 1..64 of A-Z a-z 0-9 . _ - */
	enum pki_role role;
	enum pki_key_type key_type;
	const char *hosts[PKI_HOSTS_MAX]; /* further host names or addresses */
	size_t host_count;
};

/* Makes DIR, DIR/NAME.key and DIR/NAME.csr. */
enum err pki_make_request(const char *dir, const struct pki_request *what) MUST_CHECK;

/* Signs a request with the CA in ca_dir and writes the certificate to path. First checks the
 * request's signature, name, role and hosts. Refuses a request that asks for other things. The
 * certificate may not outlive the CA. says (may be NULL) receives a description of the certificate
 * for the user. */
enum err pki_sign(const char *ca_dir, const char *request_path, const char *path, unsigned days,
		  struct buf *says) MUST_CHECK;

/* Computes the fingerprint of the public key in a certificate, request or private key file. */
enum err pki_fingerprint(const char *path, uint8_t fp[static FINGERPRINT_LEN]) MUST_CHECK;
/* Appends the public contents of a certificate, request or private key file, one "field: value" per
 * line. */
enum err pki_show(const char *path, struct buf *text) MUST_CHECK;

/* For runs on one machine: makes DIR/{ca,coordinator,party-00,party-01,...}.{key,crt}, all
 * Ed25519. */
enum err pki_lab(const char *dir, size_t parties) MUST_CHECK;

#endif
