#include "crypto/ed25519.h"
#include "crypto/must.h"

#include <pthread.h>
#include <sodium.h>

_Static_assert(ED25519_LEN == crypto_sign_ed25519_PUBLICKEYBYTES, "a key");
_Static_assert(ED25519_SIGNATURE_LEN == crypto_sign_ed25519_BYTES, "a signature");

static void prepare(void)
{
	must(sodium_init() >= 0, "libsodium");
}

bool ed25519_fits(const uint8_t key[static ED25519_LEN], struct bytes message,
		  struct bytes signature)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, prepare);
	return signature.n == ED25519_SIGNATURE_LEN &&
	       crypto_sign_ed25519_verify_detached(signature.p, message.p, message.n, key) == 0;
}
