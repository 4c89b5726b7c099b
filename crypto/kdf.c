#include "crypto/kdf.h"
#include "crypto/must.h"
#include "crypto/wipe.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

static EVP_MAC *hmac; /* fetched once: a fetch costs more than a short HMAC */
static pthread_once_t hmac_once = PTHREAD_ONCE_INIT;

static void fetch(void)
{
	hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	must(hmac, "HMAC");
}

static EVP_MAC_CTX *hmac_new(struct bytes key)
{
	char sha256[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
		OSSL_PARAM_construct_end(),
	};
	static const uint8_t none[1];
	EVP_MAC_CTX *c;

	pthread_once(&hmac_once, fetch);
	c = EVP_MAC_CTX_new(hmac);
	/* A key of NULL would mean "as before", which an empty salt is not. */
	must(c && EVP_MAC_init(c, key.n ? key.p : none, key.n, params), "HMAC");
	return c;
}

static void hmac_add(EVP_MAC_CTX *c, const void *p, size_t n)
{
	must(EVP_MAC_update(c, p, n), "HMAC");
}

static void hmac_end(EVP_MAC_CTX *c, uint8_t out[static KDF_KEY_LEN])
{
	size_t n;

	must(EVP_MAC_final(c, out, &n, KDF_KEY_LEN) && n == KDF_KEY_LEN, "HMAC");
	EVP_MAC_CTX_free(c);
}

void kdf_extract(struct bytes salt, struct bytes secret, uint8_t key[static KDF_KEY_LEN])
{
	EVP_MAC_CTX *c = hmac_new(salt);

	hmac_add(c, secret.p, secret.n);
	hmac_end(c, key);
}

/* T(i) = HMAC(PRK, T(i-1) || info || i); OKM = T(1) || T(2) || ... */
void kdf_expand(const uint8_t key[static KDF_KEY_LEN], struct bytes info, uint8_t *out, size_t n)
{
	uint8_t t[KDF_KEY_LEN];

	assert(n <= KDF_OUT_MAX);
	for (uint8_t i = 1; n > 0; i++) {
		EVP_MAC_CTX *c = hmac_new((struct bytes){ key, KDF_KEY_LEN });
		size_t part = n < sizeof(t) ? n : sizeof(t);

		if (i > 1)
			hmac_add(c, t, sizeof(t));
		hmac_add(c, info.p, info.n);
		hmac_add(c, &i, 1);
		hmac_end(c, t);
		memcpy(out, t, part);
		out += part;
		n -= part;
	}
	wipe(t, sizeof(t));
}
