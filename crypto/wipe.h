/* wipe.h -- forgets a secret; not optimised away. */
#ifndef CRYPTO_WIPE_H
#define CRYPTO_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void wipe(void *p, size_t n)
{
	explicit_bzero(p, n);
}

#endif
