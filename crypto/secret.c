#include "crypto/secret.h"
#include "common/base/log.h"
#include "crypto/must.h"

#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

enum { SMALLEST = 32 }; /* bytes of the smallest allocation in the area */

static bool begun, locked;
static int reason;

bool secret_begin(void)
{
	begun = true;
	/* If CRYPTO_secure_malloc_init() returns 2, the area exists, but is not locked or has no
	 * guard pages. */
	errno = 0;
	locked = CRYPTO_secure_malloc_init(SECRET_AREA, SMALLEST) == 1;
	reason = errno;
	return locked;
}

void secret_report(void)
{
	struct rlimit limit = { 0, 0 };

	if (!begun || locked)
		return;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	log_warn("keys may be swapped out: %d KiB cannot be locked in memory (%s); the limit "
		 "(RLIMIT_MEMLOCK) is %ju KiB",
		 SECRET_AREA / 1024, strerror(reason), (uintmax_t)limit.rlim_cur / 1024);
}

void *secret_new(size_t n)
{
	void *p = OPENSSL_secure_zalloc(n);

	if (!p) {
		must_reason(); /* the area is full; clear the error queue */
		p = OPENSSL_zalloc(n);
	}
	must(p, "memory for keys");
	return p;
}

void secret_free(void *p, size_t n)
{
	OPENSSL_secure_clear_free(p, n);
}

enum err random_secret(void *p, size_t n)
{
	if (n > INT_MAX || RAND_priv_bytes(p, (int)n) != 1)
		return err_set(ERR_INTERNAL, "random numbers: %zu bytes: %s", n, must_reason());
	return ERR_OK;
}
