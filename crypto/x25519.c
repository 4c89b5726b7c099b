#include "crypto/x25519.h"
#include "common/base/alloc.h"
#include "crypto/must.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto's set-up takes a fifth of the time of the scalar multiplication, and more with cold
 * caches. So the context is kept. A key object for the other party's point is also kept, and gets a
 * new point each time. */
struct x25519 {
	EVP_PKEY *own, *other;
	EVP_PKEY_CTX *derive;
};

struct x25519 *x25519_new(const uint8_t scalar[static X25519_LEN])
{
	static const uint8_t base[X25519_LEN] = { 9 };
	struct x25519 *x;

	ALLOC(x, 1);
	x->own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, scalar, X25519_LEN);
	x->other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, base, X25519_LEN);
	must(x->own && x->other, "X25519");
	x->derive = EVP_PKEY_CTX_new(x->own, NULL);
	must(x->derive && EVP_PKEY_derive_init(x->derive) == 1, "X25519");
	return x;
}

void x25519_free(struct x25519 *x)
{
	if (!x)
		return;
	EVP_PKEY_CTX_free(x->derive);
	EVP_PKEY_free(x->other);
	EVP_PKEY_free(x->own); /* cleanses the scalar */
	free(x);
}

void x25519_base(const struct x25519 *x, uint8_t out[static X25519_LEN])
{
	size_t n = X25519_LEN;

	must(EVP_PKEY_get_raw_public_key(x->own, out, &n) == 1 && n == X25519_LEN, "X25519");
}

bool x25519(struct x25519 *x, const uint8_t point[static X25519_LEN],
	    uint8_t out[static X25519_LEN])
{
	size_t n = X25519_LEN;
	bool finite;

	must(EVP_PKEY_set1_encoded_public_key(x->other, point, X25519_LEN) == 1 &&
		 EVP_PKEY_derive_set_peer_ex(x->derive, x->other, 0) == 1,
	     "X25519");
	finite = EVP_PKEY_derive(x->derive, out, &n) == 1; /* fails only if the result is zero */
	if (!finite) {
		(void)must_reason(); /* clears the error queue */
		memset(out, 0, X25519_LEN);
	}
	return finite;
}
