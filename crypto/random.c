#include "crypto/random.h"
#include "crypto/must.h"

#include <limits.h>
#include <openssl/rand.h>

enum err random_secret(void *p, size_t n)
{
	if (n > INT_MAX || RAND_priv_bytes(p, (int)n) != 1)
		return err_set(ERR_INTERNAL, "random numbers: %zu bytes: %s", n, must_reason());
	return ERR_OK;
}
