/* tls_cert.h -- reads the certificate of a peer, and says why it was refused; for tls.c and
 * tls_check.c. */
#ifndef PROTO_TLS_CERT_H
#define PROTO_TLS_CERT_H

#include "proto/msg.h"
#include "proto/tls.h"

#include <openssl/x509_vfy.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets name to the first DNS name among the subject alternative names. Returns false if there is no
 * usable one. */
bool tls_cert_name(X509 *cert, char name[static MSG_NAME_MAX + 1]);
/* Describes the peer's fault in text. It follows from OpenSSL's verdict on the current certificate
 * of the chain. server: this end listens. */
void tls_cert_refused(X509_STORE_CTX *store, int depth, bool server, char *text, size_t size);
/* Replaces errors that would send a misleading alert. If this host's list of revoked certificates
 * is missing or old, OpenSSL's alert would claim that the peer's certificate has expired or its CA
 * is unknown. For a certificate that is not valid yet, it would claim that the certificate is
 * bad. */
int tls_cert_error(int error);
/* Returns X509_V_ERR_CERT_SIGNATURE_FAILURE for each error by which our CA did not sign the
 * certificate, and other errors as they are. */
int tls_cert_verdict(int error);
/* Formats the current time like the dates of certificates. */
void tls_clock_text(char text[static TLS_DATE]);

#endif
