/* random.h -- the one door to secret random bytes. (Reproducible ones: common/base/rng.h.) */
#ifndef CRYPTO_RANDOM_H
#define CRYPTO_RANDOM_H

#include "common/base/err.h"

#include <stddef.h>

/* n bytes from libcrypto's CSPRNG for private values; ERR_INTERNAL if it has no entropy. */
enum err random_secret(void *p, size_t n) MUST_CHECK;

#endif
