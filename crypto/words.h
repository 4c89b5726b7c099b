/* words.h -- vectors over Z_N, N = 2^64 or 2^32, as little-endian words.
 *
 * Both pointers may be unaligned: words come out of frames and go into them. Little-endian hosts
 * only, so that a vector in memory is a vector on the wire. CT: time depends on n only.
 */
#ifndef CRYPTO_WORDS_H
#define CRYPTO_WORDS_H

#include <stddef.h>

/* acc += x and acc -= x mod N; n words of modulus_bits (64 or 32). They do not overlap. */
void words_add(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n);
void words_sub(unsigned modulus_bits, void *restrict acc, const void *restrict x, size_t n);

#endif
