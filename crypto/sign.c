#include "crypto/sign.h"
#include "common/base/alloc.h"
#include "crypto/cert.h"
#include "crypto/hash.h"
#include "crypto/must.h"
#include "crypto/pem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct identity {
	EVP_PKEY *key;
	uint8_t *spki; /* DER */
	size_t spki_len;
	char name[IDENTITY_NAME_MAX + 1];
};

static enum err take_certificate(struct identity *id, X509 *certificate, const char *path)
{
	uint8_t *der;
	int n;

	if (!cert_name(X509_get0_extensions(certificate), id->name))
		return err_set(
		    ERR_INPUT,
		    "%s: its first DNS subject alternative name is missing or not 1 to %d of "
		    "A-Z a-z 0-9 . _ -",
		    path, IDENTITY_NAME_MAX);
	n = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), NULL);
	if (n < 1 || n > SPKI_MAX)
		return err_set(ERR_INPUT, "%s: its public key has %d bytes, at most %d expected",
			       path, n, SPKI_MAX);
	der = id->spki = alloc((size_t)n, 1);
	id->spki_len = (size_t)i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
	return ERR_OK;
}

enum err identity_load(struct identity **id, const char *certificate_path, const char *key_path)
{
	struct identity *made;
	X509 *certificate = NULL;
	enum err e;

	*id = NULL;
	ALLOC(made, 1);
	e = pem_certificate(&certificate, certificate_path);
	if (e == ERR_OK)
		e = take_certificate(made, certificate, certificate_path);
	if (e == ERR_OK)
		e = pem_key(&made->key, key_path);
	if (e == ERR_OK && X509_check_private_key(certificate, made->key) != 1)
		e = err_set(ERR_INPUT,
			    "%s and %s do not belong together: the certificate is for another key",
			    certificate_path, key_path);
	must_reason();
	X509_free(certificate);
	if (e == ERR_OK)
		*id = made;
	else
		identity_free(made);
	return e;
}

enum err identity_check(const char *certificate_path, const char *key_path, const char *name)
{
	struct identity *id;
	enum err e = ERR_OK;

	TRY(identity_load(&id, certificate_path, key_path));
	if (strcmp(identity_name(id), name) != 0)
		e = err_set(ERR_INPUT,
			    "the configured name is %s, but the certificate %s is for %s", name,
			    certificate_path, identity_name(id));
	identity_free(id);
	return e;
}

void identity_free(struct identity *id)
{
	if (!id)
		return;
	EVP_PKEY_free(id->key); /* cleanses the private part */
	free(id->spki);
	free(id);
}

struct bytes identity_spki(const struct identity *id)
{
	return (struct bytes){ id->spki, id->spki_len };
}

void identity_fingerprint(const struct identity *id, uint8_t fp[static FINGERPRINT_LEN])
{
	fingerprint_of(identity_spki(id), fp);
}

const char *identity_name(const struct identity *id)
{
	return id->name;
}

enum err sign_make(const struct identity *id, struct bytes message,
		   uint8_t signature[static SIGNATURE_MAX], size_t *len)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	size_t n = SIGNATURE_MAX;
	enum err e = ERR_OK;

	must(c, "signature");
	if (EVP_DigestSignInit(c, NULL, pem_digest(id->key), NULL, id->key) != 1 ||
	    EVP_DigestSign(c, signature, &n, message.p, message.n) != 1)
		e = err_set(ERR_INTERNAL, "signing as %s failed: %s", id->name, must_reason());
	else
		*len = n;
	EVP_MD_CTX_free(c);
	return e;
}

/* NULL if it does not parse to its last byte or is of another kind. */
static EVP_PKEY *parse_spki(struct bytes spki)
{
	const uint8_t *p = spki.p;
	EVP_PKEY *key;

	if (spki.n > SPKI_MAX)
		return NULL;
	key = d2i_PUBKEY(NULL, &p, (long)spki.n);
	if (key && (p != spki.p + spki.n || !pem_supported(key))) {
		EVP_PKEY_free(key);
		key = NULL;
	}
	return key;
}

enum err sign_check(struct bytes spki, struct bytes message, struct bytes signature)
{
	EVP_PKEY *key = parse_spki(spki);
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	enum err e = ERR_OK;

	must(c, "signature");
	if (!key)
		e = err_set(ERR_PEER, "the public key does not parse as Ed25519 or ECDSA P-256");
	else if (EVP_DigestVerifyInit(c, NULL, pem_digest(key), NULL, key) != 1 ||
		 EVP_DigestVerify(c, signature.p, signature.n, message.p, message.n) != 1)
		e = err_set(ERR_PEER, "the signature does not fit key and message");
	must_reason(); /* a refused signature leaves reasons in the queue */
	EVP_MD_CTX_free(c);
	EVP_PKEY_free(key);
	return e;
}

void fingerprint_of(struct bytes spki, uint8_t fp[static FINGERPRINT_LEN])
{
	sha256_of(spki.p, spki.n, fp);
}

void fingerprint_text(const uint8_t fp[static FINGERPRINT_LEN],
		      char text[static FINGERPRINT_TEXT_LEN])
{
	hex_write(fp, FINGERPRINT_LEN, stpcpy(text, "sha256:"));
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *p;

	p = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
	return p ? (int)(p - digits) : -1;
}

bool fingerprint_parse(const char *text, uint8_t fp[static FINGERPRINT_LEN])
{
	uint8_t parsed[FINGERPRINT_LEN];

	if (strlen(text) != FINGERPRINT_TEXT_LEN - 1 || strncmp(text, "sha256:", 7))
		return false;
	for (int i = 0; i < FINGERPRINT_LEN; i++) {
		int high = hex_digit(text[7 + 2 * i]), low = hex_digit(text[8 + 2 * i]);

		if (high < 0 || low < 0)
			return false;
		parsed[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(fp, parsed, sizeof(parsed));
	return true;
}
