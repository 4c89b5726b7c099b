/* secret.h -- secret random bytes, and memory for keys: locked if the limit allows, excluded from
 * core dumps, wiped.
 *
 * The memory is libcrypto's secure heap, which also holds the private keys of certificates and TLS
 * handshakes. Two kinds of copies are outside this memory: copies on the stack, which are wiped,
 * and key schedules of AES and HMAC, which libcrypto keeps in ordinary memory and wipes.
 */
#ifndef CRYPTO_SECRET_H
#define CRYPTO_SECRET_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SECRET_AREA = 1 << 19 }; /* bytes, all locked at once */

/* Sets up the area. Call it once, before the first key is read. False if the area could not be
 * allocated, or not locked (RLIMIT_MEMLOCK); keys may then be swapped out. Without this call, as in
 * tests and in the program coterie, keys are in ordinary memory. */
bool secret_begin(void);
/* Logs a warning if secret_begin() returned false. */
void secret_report(void);

/* Returns n > 0 zero bytes, in the area if there is room, otherwise on the ordinary heap.
 * Thread-safe. */
void *secret_new(size_t n) __attribute__((returns_nonnull));
void secret_free(void *p, size_t n); /* wipes; accepts NULL */

/* Draws n bytes from libcrypto's CSPRNG for private values; ERR_INTERNAL if it has no entropy. */
enum err random_secret(void *p, size_t n) MUST_CHECK;

/* Clears a secret; the compiler cannot optimise it away. */
static inline void wipe(void *p, size_t n)
{
	explicit_bzero(p, n);
}

#endif
