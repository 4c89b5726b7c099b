#include "crypto/x25519.h"
#include "crypto/must.h"

#include <openssl/evp.h>
#include <string.h>

/* struct x25519 is never defined: a pointer to it is libcrypto's key. */
static EVP_PKEY *key_of(const struct x25519 *x)
{
	return (EVP_PKEY *)(uintptr_t)x;
}

struct x25519 *x25519_new(const uint8_t scalar[static X25519_LEN])
{
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, scalar, X25519_LEN);

	must(key, "X25519");
	return (struct x25519 *)key;
}

void x25519_free(struct x25519 *x)
{
	EVP_PKEY_free(key_of(x));
}

void x25519_base(const struct x25519 *x, uint8_t out[static X25519_LEN])
{
	size_t n = X25519_LEN;

	must(EVP_PKEY_get_raw_public_key(key_of(x), out, &n) == 1 && n == X25519_LEN, "X25519");
}

bool x25519(const struct x25519 *x, const uint8_t point[static X25519_LEN],
	    uint8_t out[static X25519_LEN])
{
	EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, point, X25519_LEN);
	EVP_PKEY_CTX *derive = EVP_PKEY_CTX_new(key_of(x), NULL);
	size_t n = X25519_LEN;
	bool finite;

	must(other && derive && EVP_PKEY_derive_init(derive) == 1 &&
		 EVP_PKEY_derive_set_peer_ex(derive, other, 0) == 1,
	     "X25519");
	finite =
	    EVP_PKEY_derive(derive, out, &n) == 1; /* all that makes it fail is a result of zero */
	if (!finite) {
		(void)must_reason(); /* nobody else's failure */
		memset(out, 0, X25519_LEN);
	}
	EVP_PKEY_CTX_free(derive);
	EVP_PKEY_free(other);
	return finite;
}
