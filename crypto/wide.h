/* wide.h -- WIDE before a function whose loops pay in wider vectors: on x86-64 gcc compiles it for
 * AVX2 as well, and the program picks when it is loaded (masks 6 % faster, encoding twice as fast).
 *
 * Not with sanitizers, whose start is later than the picking. The same bits either way: integers,
 * and doubles that are never contracted (-ffp-contract=off).
 */
#ifndef CRYPTO_WIDE_H
#define CRYPTO_WIDE_H

#include "common/base/sanitized.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !SANITIZED
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
