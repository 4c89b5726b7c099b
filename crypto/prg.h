/* prg.h -- a pseudo-random byte stream: AES-128-CTR over zeros, from counter 0.
 *
 * One libcrypto context is keyed again for each stream, so a stream costs a key schedule and no
 * allocation. CT in key and stream.
 */
#ifndef CRYPTO_PRG_H
#define CRYPTO_PRG_H

#include <stddef.h>
#include <stdint.h>

enum { PRG_KEY_LEN = 16, PRG_CIPHER_BLOCK = 16, PRG_BLOCK = 16 << 10 };

struct prg;
struct prg *prg_new(void);
/* Starts a stream at byte 0. */
void prg_start(struct prg *g, const uint8_t key[static PRG_KEY_LEN]);
/* Starts a stream at byte `at`, so that one context can alternate between streams. */
void prg_start_at(struct prg *g, const uint8_t key[static PRG_KEY_LEN], uint64_t at);
/* Writes the next n bytes, n <= PRG_BLOCK. Any split of a stream gives the same bytes. */
void prg_next(struct prg *g, void *out, size_t n);
void prg_stop(struct prg *g); /* forgets the key; prg_start() may follow */
void prg_free(struct prg *g); /* wipes; accepts NULL */

#endif
