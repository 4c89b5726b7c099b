/* tls.h -- TLS 1.3 between two byte streams: no sockets, no threads, no clock of its own.
 *
 * Received bytes go in (tls_input), plaintext is taken out (tls_read); plaintext goes in
 * (tls_write), bytes to be sent lie in tls_output. Both ends show a certificate: chain, dates and
 * purpose (extended key usage clientAuth of the client, serverAuth of the server) are checked here;
 * whether the name is welcome is the caller's to say. No tickets, no resumption, no early data, and
 * no more than a few changes of keys.
 *
 * tls.c is the only file that sees OpenSSL's TLS; tls_check.c looks at files before they are used.
 * Errors are ERR_PEER with a sentence about the peer that reads on after its name: "shows a
 * certificate that has expired".
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

/* TLS_ASKS: a client that only asks, as its first message (ALPN) says. A server that does not know
 * the question ignores it, and the client notices that. */
enum tls_role { TLS_SERVER, TLS_CLIENT, TLS_ASKS };
enum tls_state {
	TLS_HANDSHAKE,
	TLS_OPEN,
	TLS_ENDED, /* the peer has said that nothing more will come */
};
/* Most plaintext in one record: writes of multiples waste nothing. */
enum { TLS_RECORD = 16 << 10 };
enum { TLS_DATE = 40 }; /* room for "2026-11-24 06:28:54 UTC" */

/* Identity and trust, shared by connections; may be freed while they live. */
struct tls_context;
/* ERR_INPUT naming the file. */
enum err tls_context_new(struct tls_context **ctx, enum tls_role role,
			 const struct identity_files *files) MUST_CHECK;
/* Will others accept these files? Loads them, and verifies the own chain, dates and purpose against
 * the CAs, each of which must be one. Lists must be signed by a CA and current. ERR_INPUT naming
 * the file; keeps nothing. */
enum err tls_check(enum tls_role role, const struct identity_files *files) MUST_CHECK;
/* Loads all lists of a file into the store; from there on certificates signed by a CA are looked up
 * in its list. ERR_INPUT: there is none, or it is no list, one is damaged, or there are too
 * many. */
struct x509_store_st;
enum err tls_load_crl(struct x509_store_st *store, const char *path) MUST_CHECK;
/* Whole days left of a file's certificate, below 0 if it has ended, and the date of its end; of
 * several certificates, the one that ends first. ERR_INPUT. */
enum err tls_days_left(const char *path, int *days, char date[static TLS_DATE]) MUST_CHECK;
enum err tls_ends(const char *path, time_t *when) MUST_CHECK; /* the same, as a time */
/* The *n names and addresses of a file's first certificate, "hub, hub.example.org, 10.0.0.1". names
 * is terminated with a 0; the caller releases it. ERR_INPUT. */
enum err tls_names(const char *path, struct buf *names, size_t *n) MUST_CHECK;
/* Do browsers accept the file's first certificate? False if its key or that of its CA is of
 * Ed25519, or if it cannot be read. */
bool tls_for_browsers(const char *path);
/* Is the certificate in its last 21 days? How many are left, and until when. */
bool tls_expires_soon(const char *certificate, int *days, char date[static TLS_DATE]);
/* When does the first of a file's lists expire? Seconds from now, below 0 if it has. False: none
 * ever does. */
bool tls_lists_expire(const char *crl, int64_t *seconds, char date[static TLS_DATE]);
struct asn1_string_st;
void tls_date_text(const struct asn1_string_st *time, char text[static TLS_DATE]);
void tls_context_free(struct tls_context *ctx); /* accepts NULL */

struct tls;
struct tls *tls_new(struct tls_context *ctx);
void tls_free(struct tls *t); /* accepts NULL */
enum tls_state tls_state(const struct tls *t);

/* Received bytes; borrowed until tls_handshake or tls_read has taken them all. */
void tls_input(struct tls *t, const uint8_t *p, size_t n);
/* Goes on with the handshake as far as the input reaches; the client's first call begins it. After
 * an error there may be an alert in the output, worth sending. */
enum err tls_handshake(struct tls *t) MUST_CHECK;
/* Up to room bytes of plaintext, at most a record's. *got 0: the input is used up, or the peer has
 * ended. */
enum err tls_read(struct tls *t, uint8_t *out, size_t room, size_t *got) MUST_CHECK;
/* Did tls_read fail because bytes arrived damaged, or because the peer reports that of ours? The
 * connection then counts as lost. */
bool tls_is_damaged(const struct tls *t);
/* Only when open. One record for each TLS_RECORD bytes or part thereof. */
enum err tls_write(struct tls *t, const uint8_t *p, size_t n) MUST_CHECK;
void tls_end(struct tls *t); /* says that nothing more will come; not during the handshake */

/* Ciphertext to be sent; the caller drops the bytes that were. */
struct buf *tls_output(struct tls *t);

/* Is the open connection a question? Both ends know it. */
bool tls_is_question(const struct tls *t);
/* The open connection's peer: its certificate's first DNS name, SHA-256 of its public key. */
const char *tls_peer_name(const struct tls *t);
void tls_peer_fingerprint(const struct tls *t, uint8_t fp[static HASH_LEN]);

#endif
