/* SHA256_* are deprecated in favour of EVP. An EVP context for each HMAC would take four times as
 * long as the hash (see kdf_key). SHA256_* and EVP run the same processor-specific code. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "crypto/hmac.h"
#include "common/base/alloc.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static EVP_MAC *mac; /* fetched once: a fetch costs more than a short HMAC */
static pthread_once_t mac_once = PTHREAD_ONCE_INIT;

struct hmac {
	EVP_MAC_CTX *c;
	bool ended;
};

static void hmac_fetch(void)
{
	mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	must(mac, "HMAC");
}

struct hmac *hmac_new(struct bytes key)
{
	char sha256[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
		OSSL_PARAM_construct_end(),
	};
	static const uint8_t none[1];
	struct hmac *h;

	pthread_once(&mac_once, hmac_fetch);
	ALLOC(h, 1);
	h->c = EVP_MAC_CTX_new(mac);
	/* With key NULL, EVP_MAC_init() would keep the previous key, which would be wrong for an
	 * empty salt. */
	must(h->c && EVP_MAC_init(h->c, key.n ? key.p : none, key.n, params), "HMAC");
	return h;
}

static void hmac_begin(struct hmac *h)
{
	if (h->ended)
		must(EVP_MAC_init(h->c, NULL, 0, NULL), "HMAC");
	h->ended = false;
}

void hmac_add(struct hmac *h, const void *p, size_t n)
{
	hmac_begin(h);
	must(EVP_MAC_update(h->c, p, n), "HMAC");
}

void hmac_end(struct hmac *h, uint8_t out[static HMAC_LEN])
{
	size_t n;

	hmac_begin(h); /* needed if hmac_add() was not called for this message */
	must(EVP_MAC_final(h->c, out, &n, HMAC_LEN) && n == HMAC_LEN, "HMAC");
	h->ended = true;
}

void hmac_free(struct hmac *h)
{
	if (!h)
		return;
	EVP_MAC_CTX_free(h->c);
	free(h);
}

void kdf_extract(struct bytes salt, struct bytes secret, uint8_t key[static KDF_KEY_LEN])
{
	struct hmac *h = hmac_new(salt);

	hmac_add(h, secret.p, secret.n);
	hmac_end(h, key);
	hmac_free(h);
}

/* Computes the state of SHA-256 after one block: the zero-padded key with each byte xored with the
 * pad byte. */
static void hmac_padded_state(const uint8_t key[static KDF_KEY_LEN], uint8_t with,
			      uint32_t state[static 8])
{
	uint8_t block[SHA256_CBLOCK];
	SHA256_CTX c;

	memset(block, with, sizeof(block));
	for (size_t i = 0; i < KDF_KEY_LEN; i++)
		block[i] ^= key[i];
	must(SHA256_Init(&c), "HMAC");
	SHA256_Transform(&c, block);
	memcpy(state, c.h, sizeof(c.h));
	wipe(&c, sizeof(c));
	wipe(block, sizeof(block));
}

void kdf_key_make(struct kdf_key *k, const uint8_t key[static KDF_KEY_LEN])
{
	hmac_padded_state(key, 0x36, k->inner);
	hmac_padded_state(key, 0x5c, k->outer);
}

/* Resumes a hash after its first block. */
static void resume(SHA256_CTX *c, const uint32_t state[static 8])
{
	must(SHA256_Init(c), "HMAC");
	memcpy(c->h, state, sizeof(c->h));
	c->Nl = 8 * SHA256_CBLOCK;
}

/* The output is the first n bytes of T(1) || T(2) || ..., where T(i) = HMAC(key, T(i-1) || info ||
 * i), and T(0) is empty. */
void kdf_expand_by(const struct kdf_key *k, struct bytes info, uint8_t *out, size_t n)
{
	uint8_t t[KDF_KEY_LEN];
	SHA256_CTX c;

	assert(n <= KDF_OUT_MAX);
	for (uint8_t i = 1; n > 0; i++) {
		size_t part = n < sizeof(t) ? n : sizeof(t);

		resume(&c, k->inner);
		if (i > 1)
			must(SHA256_Update(&c, t, sizeof(t)), "HMAC");
		must(SHA256_Update(&c, info.p, info.n) && SHA256_Update(&c, &i, 1) &&
			 SHA256_Final(t, &c),
		     "HMAC");
		resume(&c, k->outer);
		must(SHA256_Update(&c, t, sizeof(t)) && SHA256_Final(t, &c), "HMAC");
		memcpy(out, t, part);
		out += part;
		n -= part;
	}
	wipe(&c, sizeof(c));
	wipe(t, sizeof(t));
}

void kdf_expand(const uint8_t key[static KDF_KEY_LEN], struct bytes info, uint8_t *out, size_t n)
{
	struct kdf_key k;

	kdf_key_make(&k, key);
	kdf_expand_by(&k, info, out, n);
	wipe(&k, sizeof(k));
}
