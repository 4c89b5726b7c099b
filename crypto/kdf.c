#include "crypto/kdf.h"
#include "crypto/hmac.h"
#include "crypto/wipe.h"

#include <assert.h>
#include <string.h>

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
	hmac_free(h);
}
