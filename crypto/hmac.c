#include "crypto/hmac.h"
#include "common/base/alloc.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
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

static void fetch(void)
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

	pthread_once(&mac_once, fetch);
	ALLOC(h, 1);
	h->c = EVP_MAC_CTX_new(mac);
	/* A key of NULL would mean "as before", which an empty salt is not. */
	must(h->c && EVP_MAC_init(h->c, key.n ? key.p : none, key.n, params), "HMAC");
	return h;
}

void hmac_rekey(struct hmac *h, struct bytes key)
{
	assert(key.n);
	must(EVP_MAC_init(h->c, key.p, key.n, NULL), "HMAC");
	h->ended = false;
}

static void begin(struct hmac *h)
{
	if (h->ended)
		must(EVP_MAC_init(h->c, NULL, 0, NULL), "HMAC");
	h->ended = false;
}

void hmac_add(struct hmac *h, const void *p, size_t n)
{
	begin(h);
	must(EVP_MAC_update(h->c, p, n), "HMAC");
}

void hmac_end(struct hmac *h, uint8_t out[static HMAC_LEN])
{
	size_t n;

	begin(h); /* of nothing, if nothing was added */
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

/* T(i) = HMAC(PRK, T(i-1) || info || i); OKM = T(1) || T(2) || ... */
void kdf_expand(const uint8_t key[static KDF_KEY_LEN], struct bytes info, uint8_t *out, size_t n)
{
	struct hmac *h = hmac_new((struct bytes){ key, KDF_KEY_LEN });

	kdf_expand_by(h, info, out, n);
	hmac_free(h);
}

void kdf_expand_by(struct hmac *h, struct bytes info, uint8_t *out, size_t n)
{
	uint8_t t[KDF_KEY_LEN];

	assert(n <= KDF_OUT_MAX);
	for (uint8_t i = 1; n > 0; i++) {
		size_t part = n < sizeof(t) ? n : sizeof(t);

		if (i > 1)
			hmac_add(h, t, sizeof(t));
		hmac_add(h, info.p, info.n);
		hmac_add(h, &i, 1);
		hmac_end(h, t);
		memcpy(out, t, part);
		out += part;
		n -= part;
	}
	wipe(t, sizeof(t));
}
