#include "proto/tls.h"
#include "proto/tls_cert.h"

#include "common/base/alloc.h"
#include "common/base/passphrase.h"

#include <assert.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most key updates that a peer may request. A key update costs its receiver more than its sender.
 * This end never changes keys within a connection. */
enum { KEY_UPDATES_MAX = 8 };

struct tls_context {
	SSL_CTX *ssl_ctx;
};

struct tls {
	SSL *ssl;
	const uint8_t *in; /* received bytes that OpenSSL has not read yet */
	size_t in_len;
	struct buf out;
	bool any_input, ended;
	unsigned key_updates; /* number of key updates that the peer has sent */
	/* A read after the handshake failed because bytes were damaged in transit. */
	bool damaged;
	char peer[MSG_NAME_MAX + 1];
	uint8_t fingerprint[HASH_LEN];
	char refused[384]; /* why the peer's certificate was rejected, or "" */
};

/* ---- the BIO: OpenSSL reads where we point, and writes into our buffer ---- */

static int bio_read(BIO *bio, char *to, size_t len, size_t *got)
{
	struct tls *t = BIO_get_data(bio);

	BIO_clear_retry_flags(bio);
	if (t->key_updates > KEY_UPDATES_MAX) /* otherwise OpenSSL would continue to read */
		t->in_len = 0;
	*got = len < t->in_len ? len : t->in_len;
	if (*got == 0) {
		BIO_set_retry_read(bio);
		return 0;
	}
	memcpy(to, t->in, *got);
	t->in += *got;
	t->in_len -= *got;
	return 1;
}

static int bio_write(BIO *bio, const char *from, size_t len, size_t *written)
{
	struct tls *t = BIO_get_data(bio);

	BIO_clear_retry_flags(bio);
	buf_add(&t->out, from, len);
	*written = len;
	return 1;
}

static long bio_ctrl(BIO *bio, int cmd, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return cmd == BIO_CTRL_FLUSH;
}

static BIO_METHOD *bio_method(void)
{
	static BIO_METHOD *method; /* made by the first context, and never freed */

	if (!method) {
		method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "memory");
		if (!method)
			return NULL;
		BIO_meth_set_read_ex(method, bio_read);
		BIO_meth_set_write_ex(method, bio_write);
		BIO_meth_set_ctrl(method, bio_ctrl);
	}
	return method;
}

/* ---- the peer's certificate ---- */

/* OpenSSL calls this for each certificate of the chain; ok is its verdict. Also checks that the
 * peer's own certificate has an extended key usage and a name. */
static int on_verify(int ok, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct tls *t = SSL_get_app_data(ssl);
	X509 *cert = X509_STORE_CTX_get_current_cert(store);
	int depth = X509_STORE_CTX_get_error_depth(store);

	if (ok && depth == 0 && X509_get_extended_key_usage(cert) == UINT32_MAX) {
		X509_STORE_CTX_set_error(store, X509_V_ERR_INVALID_PURPOSE);
		ok = 0;
	}
	if (!ok) {
		tls_cert_refused(store, depth, SSL_is_server(ssl), t->refused, sizeof(t->refused));
		X509_STORE_CTX_set_error(store, tls_cert_error(X509_STORE_CTX_get_error(store)));
	} else if (depth == 0 && !tls_cert_name(cert, t->peer)) {
		snprintf(t->refused, sizeof(t->refused),
			 "shows a certificate without a usable DNS name of at most %d bytes",
			 MSG_NAME_MAX);
		X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
		ok = 0;
	}
	return ok;
}

/* ---- errors ---- */

/* Returns ERR_PEER with the cause of an alert that the peer sent. */
static enum err describe_alert(const struct tls *t, int alert)
{
	static const struct {
		int alert;
		const char *text;
	} own[] = {
		{ SSL_AD_CERTIFICATE_REVOKED, "our certificate was revoked by the CA" },
		{ SSL_AD_UNKNOWN_CA, "our certificate is not signed by its CA (unknown CA)" },
		{ SSL_AD_DECRYPT_ERROR,
		  "our certificate is not signed by its CA (of the same name?)" },
		{ SSL_AD_UNSUPPORTED_CERTIFICATE, "our certificate is of the wrong purpose" },
		{ SSL_AD_BAD_CERTIFICATE, "our certificate is not accepted" },
		{ SSL_AD_CERTIFICATE_UNKNOWN,
		  "our certificate cannot be checked there, as without a current list of revoked "
		  "certificates: its log says why" },
		{ SSL_AD_CERTIFICATE_REQUIRED, "it wants a certificate" },
		{ SSL_AD_PROTOCOL_VERSION, "it does not speak TLS 1.3" },
	};

	if (alert == SSL_AD_CERTIFICATE_EXPIRED) {
		char from[TLS_DATE], until[TLS_DATE], now[TLS_DATE];
		const X509 *own_one = SSL_get_certificate(t->ssl);

		tls_date_text(X509_get0_notBefore(own_one), from);
		tls_date_text(X509_get0_notAfter(own_one), until);
		tls_clock_text(now);
		return err_set(ERR_PEER,
			       "refuses us: our certificate has expired or is not valid yet by its "
			       "clock; it is valid from %s to %s, and it is %s here: set the clock "
			       "that is wrong, or have the certificate renewed",
			       from, until, now);
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].alert == alert)
			return err_set(ERR_PEER, "refuses us: %s", own[i].text);
	return err_set(ERR_PEER, "refuses us: TLS alert %d, %s", alert,
		       SSL_alert_desc_string_long(alert));
}

static enum err describe_error(const struct tls *t)
{
	unsigned long first = ERR_peek_error();
	int reason = ERR_GET_REASON(first);

	ERR_clear_error();
	if (t->refused[0])
		return err_set(ERR_PEER, "%s", t->refused);
	if (ERR_GET_LIB(first) == ERR_LIB_SSL) {
		if (reason > SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256)
			return describe_alert(t, reason - SSL_AD_REASON_OFFSET);
		switch (reason) {
		case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
			return err_set(ERR_PEER, "shows no certificate");
		case SSL_R_UNSUPPORTED_PROTOCOL:
		case SSL_R_VERSION_TOO_LOW:
			return err_set(ERR_PEER, "does not speak TLS 1.3");
		case SSL_R_WRONG_VERSION_NUMBER:
		case SSL_R_HTTP_REQUEST:
		case SSL_R_HTTPS_PROXY_REQUEST:
			return err_set(ERR_PEER, "is not TLS");
		}
	}
	return err_set(ERR_PEER, "broke TLS: %s",
		       ERR_reason_error_string(first) ? ERR_reason_error_string(first)
						      : "unknown reason");
}

/* ---- contexts ---- */

static enum err bad_file(const char *what, const char *path)
{
	unsigned long last = ERR_peek_last_error();
	const char *reason = ERR_reason_error_string(last);

	ERR_clear_error();
	return err_set(ERR_INPUT, "%s: this %s cannot be used: %s", path, what,
		       reason ? reason : "unknown reason");
}

static void on_tls_message(int sent, int version, int type, const void *p, size_t n, SSL *ssl,
			   void *arg)
{
	struct tls *t = SSL_get_app_data(ssl);

	(void)version;
	(void)arg;
	if (!sent && type == SSL3_RT_HANDSHAKE && n > 0 &&
	    *(const uint8_t *)p == SSL3_MT_KEY_UPDATE)
		t->key_updates++;
}

/* Loads the key. Fails for an encrypted key without a passphrase, so that a daemon never prompts at
 * a terminal. */
static enum err use_key(SSL_CTX *c, const struct identity_files *f)
{
	struct passphrase p;
	enum err e = passphrase_read(&p, f->passphrase);
	bool read;

	if (e == ERR_OK) {
		SSL_CTX_set_default_passwd_cb(c, passphrase_give);
		SSL_CTX_set_default_passwd_cb_userdata(c, &p);
		read = SSL_CTX_use_PrivateKey_file(c, f->key, SSL_FILETYPE_PEM) == 1;
		SSL_CTX_set_default_passwd_cb_userdata(c, NULL);
		e = passphrase_check(&p, read, f->key, f->passphrase);
		if (e == ERR_OK && (!read || SSL_CTX_check_private_key(c) != 1))
			e = bad_file("key", f->key);
	}
	passphrase_wipe(&p);
	return e;
}

static const unsigned char question[] = "\x12"
					"coterie-question/1";

/* Selects only the ALPN protocol of TLS_ASKS. If the client offers others, the handshake continues
 * as if it had offered none. */
static int on_offer(SSL *ssl, const unsigned char **chosen, unsigned char *len,
		    const unsigned char *offered, unsigned int n, void *arg)
{
	(void)ssl;
	(void)arg;
	if (n != sizeof(question) - 1 || memcmp(offered, question, n) != 0)
		return SSL_TLSEXT_ERR_NOACK;
	*chosen = question + 1;
	*len = question[0];
	return SSL_TLSEXT_ERR_OK;
}

enum err tls_context_new(struct tls_context **ctx, enum tls_role role,
			 const struct identity_files *files)
{
	enum err e = ERR_OK;
	SSL_CTX *c;
	bool good;

	ERR_clear_error();
	c = SSL_CTX_new(role == TLS_SERVER ? TLS_server_method() : TLS_client_method());
	good =
	    c && bio_method() && SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) &&
	    SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) &&
	    SSL_CTX_set_ciphersuites(
		c, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") &&
	    SSL_CTX_set1_groups_list(c, "X25519:P-256") && SSL_CTX_set_num_tickets(c, 0) &&
	    (role != TLS_ASKS || SSL_CTX_set_alpn_protos(c, question, sizeof(question) - 1) == 0);
	if (!good) {
		const char *why = ERR_reason_error_string(ERR_peek_last_error());

		SSL_CTX_free(c);
		return err_set(ERR_INTERNAL, "OpenSSL makes no TLS context: %s",
			       why ? why : "unknown reason");
	}
	SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
				   SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, on_verify);
	SSL_CTX_set_msg_callback(c, on_tls_message);
	SSL_CTX_set_alpn_select_cb(c, on_offer, NULL);
	if (SSL_CTX_use_certificate_chain_file(c, files->certificate) != 1)
		e = bad_file("certificate", files->certificate);
	else
		e = use_key(c, files);
	if (e == ERR_OK && SSL_CTX_load_verify_file(c, files->ca) != 1)
		e = bad_file("CA", files->ca);
	if (e == ERR_OK && files->crl)
		e = tls_load_crl(SSL_CTX_get_cert_store(c), files->crl);
	if (e == ERR_OK && role == TLS_SERVER)
		SSL_CTX_set_client_CA_list(c, SSL_load_client_CA_file(files->ca));
	if (e != ERR_OK) {
		SSL_CTX_free(c);
		return e;
	}
	ALLOC(*ctx, 1);
	(*ctx)->ssl_ctx = c;
	return ERR_OK;
}

void tls_context_free(struct tls_context *ctx)
{
	if (!ctx)
		return;
	SSL_CTX_free(ctx->ssl_ctx);
	free(ctx);
}

/* ---- connections ---- */

struct tls *tls_new(struct tls_context *ctx)
{
	struct tls *t;
	BIO *bio;

	ALLOC(t, 1);
	t->ssl = SSL_new(ctx->ssl_ctx);
	bio = BIO_new(bio_method());
	assert(t->ssl && bio);
	BIO_set_data(bio, t);
	BIO_set_init(bio, 1);
	/* The SSL object has one reference to bio for both directions. */
	SSL_set_bio(t->ssl, bio, bio);
	SSL_set_app_data(t->ssl, t);
	if (SSL_is_server(t->ssl))
		SSL_set_accept_state(t->ssl);
	else
		SSL_set_connect_state(t->ssl);
	return t;
}

void tls_free(struct tls *t)
{
	if (!t)
		return;
	SSL_free(t->ssl);
	buf_release(&t->out);
	free(t);
}

enum tls_state tls_state(const struct tls *t)
{
	if (t->ended)
		return TLS_ENDED;
	return SSL_is_init_finished(t->ssl) ? TLS_OPEN : TLS_HANDSHAKE;
}

void tls_input(struct tls *t, const uint8_t *p, size_t n)
{
	assert(t->in_len == 0);
	t->in = p;
	t->in_len = n;
}

enum err tls_handshake(struct tls *t)
{
	unsigned char *der = NULL;
	int done, why, len;
	X509 *cert;

	if (t->in_len && !t->any_input) {
		/* TLS begins with the type and version of a handshake or alert record. */
		if ((t->in[0] != SSL3_RT_HANDSHAKE && t->in[0] != SSL3_RT_ALERT) ||
		    (t->in_len >= 2 && t->in[1] != SSL3_VERSION_MAJOR))
			return err_set(ERR_PEER, "is not TLS");
		t->any_input = true;
	}
	ERR_clear_error();
	done = SSL_do_handshake(t->ssl);
	if (done != 1) {
		why = SSL_get_error(t->ssl, done);
		if (why == SSL_ERROR_ZERO_RETURN)
			t->ended = true;
		return why == SSL_ERROR_WANT_READ || t->ended ? ERR_OK : describe_error(t);
	}
	cert = SSL_get0_peer_certificate(t->ssl);
	len = cert ? i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert), &der) : -1;
	done =
	    len > 0 && EVP_Digest(der, (size_t)len, t->fingerprint, NULL, EVP_sha256(), NULL) == 1;
	OPENSSL_free(der);
	return done ? ERR_OK : err_set(ERR_PEER, "shows no certificate that we can read");
}

/* Returns true if a record was changed in transit, or if the peer sent an alert because it received
 * such a record. */
static bool is_damage(unsigned long error)
{
	static const int reasons[] = { SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC,
				       SSL_R_WRONG_VERSION_NUMBER,
				       SSL_R_BAD_RECORD_TYPE,
				       SSL_R_PACKET_LENGTH_TOO_LONG,
				       SSL_R_ENCRYPTED_LENGTH_TOO_LONG,
				       SSL_R_UNEXPECTED_RECORD,
				       SSL_AD_REASON_OFFSET + SSL_AD_BAD_RECORD_MAC,
				       SSL_AD_REASON_OFFSET + SSL_AD_RECORD_OVERFLOW,
				       SSL_AD_REASON_OFFSET + SSL_AD_PROTOCOL_VERSION,
				       SSL_AD_REASON_OFFSET + SSL_AD_UNEXPECTED_MESSAGE };

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == reasons[i])
			return true;
	return false;
}

enum err tls_read(struct tls *t, uint8_t *out, size_t room, size_t *got)
{
	/* Asks before the read, because an error clears this state. */
	bool open = SSL_is_init_finished(t->ssl);
	int why;

	*got = 0;
	if (t->ended) {
		t->in_len = 0;
		return ERR_OK;
	}
	ERR_clear_error();
	if (SSL_read_ex(t->ssl, out, room, got) == 1)
		return ERR_OK;
	*got = 0;
	if (t->key_updates > KEY_UPDATES_MAX)
		return err_set(ERR_PEER, "changed its keys more than %d times", KEY_UPDATES_MAX);
	why = SSL_get_error(t->ssl, 0);
	if (why == SSL_ERROR_WANT_READ)
		return ERR_OK;
	if (why == SSL_ERROR_ZERO_RETURN) {
		t->ended = true;
		t->in_len = 0;
		return ERR_OK;
	}
	t->damaged = open && is_damage(ERR_peek_error());
	if (t->damaged) {
		const char *reason = ERR_reason_error_string(ERR_peek_error());

		ERR_clear_error();
		return err_set(ERR_PEER, "broke TLS: %s; bytes were damaged on the way", reason);
	}
	return describe_error(t);
}

bool tls_is_damaged(const struct tls *t)
{
	return t->damaged;
}

enum err tls_write(struct tls *t, const uint8_t *p, size_t n)
{
	size_t written;

	if (n == 0)
		return ERR_OK;
	ERR_clear_error();
	/* The BIO takes all bytes, so a write either completes at once or fails. */
	if (SSL_write_ex(t->ssl, p, n, &written) == 1)
		return ERR_OK;
	return describe_error(t);
}

void tls_end(struct tls *t)
{
	if (SSL_is_init_finished(t->ssl))
		SSL_shutdown(t->ssl); /* writes close_notify; tls_read() takes the peer's answer */
	ERR_clear_error();
}

struct buf *tls_output(struct tls *t)
{
	return &t->out;
}

bool tls_is_question(const struct tls *t)
{
	const unsigned char *name;
	unsigned int n;

	SSL_get0_alpn_selected(t->ssl, &name, &n);
	return n > 0;
}

const char *tls_peer_name(const struct tls *t)
{
	return t->peer;
}

void tls_peer_fingerprint(const struct tls *t, uint8_t fp[static HASH_LEN])
{
	memcpy(fp, t->fingerprint, HASH_LEN);
}
