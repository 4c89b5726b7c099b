/* prg.h -- a pseudo-random byte stream: AES-128-CTR from counter 0 over zeros.
 *
 * One libcrypto context that is keyed again for each stream, so that a stream costs a key schedule
 * and no allocation. CT in key and stream.
 */
#ifndef CRYPTO_PRG_H
#define CRYPTO_PRG_H

#include <stddef.h>
#include <stdint.h>

enum { PRG_KEY_LEN = 16, PRG_CIPHER_BLOCK = 16, PRG_BLOCK = 16 << 10 };

struct prg;
struct prg *prg_new(void);
void prg_start(struct prg *g, const uint8_t key[static PRG_KEY_LEN]); /* a stream from its beginning */
/* A stream from its byte `at` on: one context goes to and fro between many. */
void prg_start_at(struct prg *g, const uint8_t key[static PRG_KEY_LEN], uint64_t at);
/* The next n bytes, n <= PRG_BLOCK. Any split of a stream gives the same bytes. */
void prg_next(struct prg *g, void *out, size_t n);
void prg_stop(struct prg *g); /* forgets the key; prg_start() may follow */
void prg_free(struct prg *g); /* wipes; accepts NULL */

#endif
