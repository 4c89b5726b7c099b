/* secret.h -- secret random bytes, and memory that holds keys: locked where the limit allows, left
 * out of cores, wiped.
 *
 * One area of libcrypto's, its secure heap, in which libcrypto keeps private keys of certificates
 * and of TLS handshakes too. Not in it: what passes through the stack (wiped), and key schedules
 * of AES and HMAC, which libcrypto keeps in ordinary memory and cleanses.
 */
#ifndef CRYPTO_SECRET_H
#define CRYPTO_SECRET_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SECRET_AREA = 1 << 19 }; /* bytes; all of it is locked at once */

/* Sets the area up, once, before the first key is read. False: it could not be locked (RLIMIT_MEMLOCK),
 * or there is none; keys then lie in memory that may be swapped out. Never called, as in tests and
 * in coterie: the same. */
bool secret_begin(void);
/* Says in the log if secret_begin() said false. */
void secret_report(void);

/* n > 0 zero bytes; in the area if there is room, otherwise elsewhere. Any thread. */
void *secret_new(size_t n) __attribute__((returns_nonnull));
void secret_free(void *p, size_t n); /* wipes; accepts NULL */

/* n bytes from libcrypto's CSPRNG for private values; ERR_INTERNAL if it has no entropy. */
enum err random_secret(void *p, size_t n) MUST_CHECK;

/* Forgets a secret; not optimised away. */
static inline void wipe(void *p, size_t n)
{
	explicit_bzero(p, n);
}

#endif
