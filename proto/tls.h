/* tls.h -- TLS 1.3 between two byte streams. It has no sockets, no threads and no timers.
 *
 * The caller passes received bytes to tls_input() and takes plaintext from tls_read(). It passes
 * plaintext to tls_write() and takes bytes to send from tls_output(). Both ends show a certificate.
 * This module checks chain, dates and purpose (extended key usage clientAuth of the client,
 * serverAuth of the server); the caller decides whether to accept the name. There are no tickets,
 * no resumption and no early data, and only a few key updates are accepted.
 *
 * Only tls.c uses OpenSSL's TLS; tls_check.c checks files before use. Errors are ERR_PEER with a
 * sentence that continues the peer's name: "shows a certificate that has expired".
 */
#ifndef PROTO_TLS_H
#define PROTO_TLS_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/identity.h"
#include "proto/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* TLS_ASKS: a client that only asks for versions. It signals this by ALPN in its first message. A
 * server that does not know this protocol ignores the signal, and the client detects that. */
enum tls_role { TLS_SERVER, TLS_CLIENT, TLS_ASKS };
enum tls_state {
	TLS_HANDSHAKE,
	TLS_OPEN,
	TLS_ENDED, /* the peer has closed its direction */
};
/* Most plaintext bytes in one record. Writes of multiples of this size fill their records. */
enum { TLS_RECORD = 16 << 10 };
enum { TLS_DATE = 40 }; /* bytes for "2026-11-24 06:28:54 UTC" */

/* Identity and trust, which connections share. It may be freed while they exist. */
struct tls_context;
/* Loads the files. ERR_INPUT, with the file's name: one is invalid. ERR_INTERNAL: OpenSSL fails. */
enum err tls_context_new(struct tls_context **ctx, enum tls_role role,
			 const struct identity_files *files) MUST_CHECK;
/* Checks whether peers will accept these files. Loads them, and verifies this process's chain,
 * dates and purpose against the CAs. Every certificate in the file of CAs must be a CA's. Lists
 * of revoked certificates must be current and signed by a CA. ERR_INPUT, with the file's name: a
 * check fails. Keeps nothing. */
enum err tls_check(enum tls_role role, const struct identity_files *files) MUST_CHECK;
/* Loads all lists of revoked certificates in a file into the store. From then on, a certificate is
 * looked up in the list of the CA that signed it. ERR_INPUT: the file cannot be read, has no list
 * or more than 64, or one is damaged. */
struct x509_store_st;
enum err tls_load_crl(struct x509_store_st *store, const char *path) MUST_CHECK;
/* Sets *days to the whole days left of a file's certificate, below 0 if it has expired, and date to
 * its end. If the file has several certificates, uses the first to expire. ERR_INPUT: the file is
 * invalid. */
enum err tls_days_left(const char *path, int *days, char date[static TLS_DATE]) MUST_CHECK;
/* As tls_days_left(), but sets *when to the time at which the certificate expires. */
enum err tls_ends(const char *path, time_t *when) MUST_CHECK;
/* Returns the *n names and addresses of a file's first certificate, "hub, hub.example.org,
 * 10.0.0.1". names ends in a zero byte; the caller releases it. ERR_INPUT: the file is invalid. */
enum err tls_names(const char *path, struct buf *names, size_t *n) MUST_CHECK;
/* Returns whether browsers accept the file's first certificate. Returns false if it cannot be read,
 * or if its key or that of its CA is Ed25519. */
bool tls_for_browsers(const char *path);
/* Returns whether the certificate is in its last 21 days or has expired; *days and date: as
 * tls_days_left(). Returns false if it cannot be read. */
bool tls_expires_soon(const char *certificate, int *days, char date[static TLS_DATE]);
/* Finds the time until the first of a file's lists of revoked certificates expires: seconds from
 * now, below 0 if it has expired. Returns false if no list ever expires, or if the file has
 * none that can be read. */
bool tls_lists_expire(const char *crl, int64_t *seconds, char date[static TLS_DATE]);
struct asn1_string_st;
void tls_date_text(const struct asn1_string_st *time, char text[static TLS_DATE]);
void tls_context_free(struct tls_context *ctx); /* accepts NULL */

struct tls;
struct tls *tls_new(struct tls_context *ctx);
void tls_free(struct tls *t); /* accepts NULL */
enum tls_state tls_state(const struct tls *t);

/* Passes received bytes. They are borrowed until tls_handshake() or tls_read() has read them
 * all. */
void tls_input(struct tls *t, const uint8_t *p, size_t n);
/* Continues the handshake as far as the input reaches; the client's first call begins it. After an
 * error, tls_output() may have an alert, which should be sent. */
enum err tls_handshake(struct tls *t) MUST_CHECK;
/* Reads up to `room` bytes of plaintext, at most those of one record. *got 0: the input is used up,
 * or the peer has closed. */
enum err tls_read(struct tls *t, uint8_t *out, size_t room, size_t *got) MUST_CHECK;
/* Returns whether tls_read() failed because bytes arrived damaged, either here or, according to its
 * alert, at the peer. The connection then counts as lost. */
bool tls_is_damaged(const struct tls *t);
/* Call only when the connection is open. Writes one record for each TLS_RECORD bytes, and one for
 * the rest. */
enum err tls_write(struct tls *t, const uint8_t *p, size_t n) MUST_CHECK;
void tls_end(struct tls *t); /* sends close_notify; not during the handshake */

/* Returns ciphertext to send. The caller removes bytes that it has sent. */
struct buf *tls_output(struct tls *t);

/* Returns true if the client dialled only to ask for versions (TLS_ASKS). Both ends return the
 * same. */
bool tls_is_question(const struct tls *t);
/* Return facts about the peer of an open connection: the first DNS name of its certificate; the
 * SHA-256 of its public key. */
const char *tls_peer_name(const struct tls *t);
void tls_peer_fingerprint(const struct tls *t, uint8_t fp[static HASH_LEN]);

#endif
