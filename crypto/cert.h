/* cert.h -- making certificates and requests, and what they say. For the files of crypto/ only.
 *
 * A daemon's certificate says one thing: this key is NAME, a party or a coordinator. The name is
 * the first DNS subject alternative name (further ones are hosts), the role is the extended key
 * usage: clientAuth for a party, which dials out, serverAuth for a coordinator, which listens.
 */
#ifndef CRYPTO_CERT_H
#define CRYPTO_CERT_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/pki.h"
#include "crypto/sign.h"

#include <openssl/x509.h>
#include <stdbool.h>

/* A fresh key. ERR_INTERNAL if the CSPRNG fails. */
enum err cert_make_key(EVP_PKEY **key, enum pki_key_type type) MUST_CHECK;

/* The first DNS name, if it is a name as config_check_name() has it. */
bool cert_name(const STACK_OF(X509_EXTENSION) *extensions,
	       char name[static IDENTITY_NAME_MAX + 1]);
/* All alternative names, with blanks between; false if one is neither DNS nor an address. */
bool cert_hosts(const STACK_OF(X509_EXTENSION) *extensions, struct buf *text);
/* False unless the extended key usage is exactly that of one role. */
bool cert_role(const STACK_OF(X509_EXTENSION) *extensions, enum pki_role *role);

/* ca: self-signed, may sign daemons' certificates only. */
enum err cert_make_ca(X509 **ca, EVP_PKEY *key, const char *name, unsigned days) MUST_CHECK;
enum err cert_make_request(X509_REQ **request, EVP_PKEY *key, const struct pki_request *what)
    MUST_CHECK;
/* A certificate for the request's key, name, hosts and role, which the caller has checked. */
enum err cert_make(X509 **certificate, X509_REQ *request, X509 *ca, EVP_PKEY *ca_key,
		   unsigned days) MUST_CHECK;

#endif
