#include "crypto/sign.h"
#include "common/base/alloc.h"
#include "crypto/cert.h"
#include "crypto/ed25519.h"
#include "crypto/hash.h"
#include "crypto/must.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct identity {
	EVP_PKEY *key;
	uint8_t spki[SPKI_MAX]; /* DER */
	size_t spki_len;
	char name[IDENTITY_NAME_MAX + 1];
};

enum err identity_load(struct identity **id, const char *certificate_path, const char *key_path,
		       const char *passphrase)
{
	struct identity *made;
	X509 *certificate = NULL;
	uint8_t *der = NULL;
	int n = 0;
	enum err e;

	*id = NULL;
	ALLOC(made, 1);
	e = pem_certificate(&certificate, certificate_path);
	if (e == ERR_OK && !cert_name(X509_get0_extensions(certificate), made->name))
		e = err_set(ERR_INPUT,
			    "%s: its first DNS subject alternative name is missing or not 1 to %d "
			    "of A-Z a-z 0-9 . _ -",
			    certificate_path, IDENTITY_NAME_MAX);
	if (e == ERR_OK)
		n = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
	if (e == ERR_OK && (n < 1 || n > SPKI_MAX))
		e = err_set(ERR_INPUT, "%s: its public key has %d bytes, at most %d expected",
			    certificate_path, n, SPKI_MAX);
	if (e == ERR_OK) {
		memcpy(made->spki, der, (size_t)n);
		made->spki_len = (size_t)n;
	}
	if (e == ERR_OK)
		e = pem_key(&made->key, key_path, passphrase);
	if (e == ERR_OK && X509_check_private_key(certificate, made->key) != 1)
		e = err_set(ERR_INPUT,
			    "%s and %s do not belong together: the certificate is for another key",
			    certificate_path, key_path);
	must_reason();
	OPENSSL_free(der);
	X509_free(certificate);
	if (e == ERR_OK)
		*id = made;
	else
		identity_free(made);
	return e;
}

enum err identity_check(const char *certificate_path, const char *key_path, const char *passphrase,
			const char *name)
{
	struct identity *id;
	enum err e = ERR_OK;

	TRY(identity_load(&id, certificate_path, key_path, passphrase));
	if (name && strcmp(identity_name(id), name) != 0)
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
	EVP_PKEY_free(id->key);
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

/* Returns the key if spki consists of `head` and an Ed25519 key (RFC 8410), otherwise NULL. */
static const uint8_t *of_ed25519(struct bytes spki)
{
	static const uint8_t head[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
					0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };

	if (spki.n == sizeof(head) + ED25519_LEN && !memcmp(spki.p, head, sizeof(head)))
		return spki.p + sizeof(head);
	return NULL;
}

static EVP_PKEY *public_key(struct bytes spki)
{
	const uint8_t *p = spki.p;
	EVP_PKEY *key = spki.n <= SPKI_MAX ? d2i_PUBKEY(NULL, &p, (long)spki.n) : NULL;

	if (p == spki.p + spki.n)
		return key;
	EVP_PKEY_free(key);
	return NULL;
}

static bool fits(EVP_PKEY *key, struct bytes message, struct bytes signature)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool yes;

	must(c, "signature");
	yes = EVP_DigestVerifyInit(c, NULL, pem_digest(key), NULL, key) == 1 &&
	      EVP_DigestVerify(c, signature.p, signature.n, message.p, message.n) == 1;
	EVP_MD_CTX_free(c);
	return yes;
}

enum err sign_check(struct bytes spki, struct bytes message, struct bytes signature)
{
	const uint8_t *raw = of_ed25519(spki);
	EVP_PKEY *key = NULL;
	enum err e = ERR_OK;

	if (!raw)
		key = public_key(spki);
	if (!raw && (!key || !pem_supported(key)))
		e = err_set(ERR_PEER, "the public key does not parse as Ed25519 or ECDSA P-256");
	else if (raw && !ed25519_sound(raw))
		e = err_set(ERR_PEER, "the public key is an Ed25519 point of small order, or its "
				      "encoding is not canonical");
	else if (raw ? !ed25519_fits(raw, message, signature) : !fits(key, message, signature))
		e = err_set(ERR_PEER, "the signature does not fit key and message");
	must_reason(); /* a refused signature leaves errors in the queue */
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

bool fingerprint_parse(const char *text, uint8_t fp[static FINGERPRINT_LEN])
{
	char lower[FINGERPRINT_TEXT_LEN];

	if (strlen(text) != FINGERPRINT_TEXT_LEN - 1 || strncmp(text, "sha256:", 7))
		return false;
	for (size_t i = 0; i < sizeof(lower); i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return hex_read(lower + 7, fp, FINGERPRINT_LEN);
}
