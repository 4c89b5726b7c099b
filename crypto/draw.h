/* draw.h -- numbers for what is drawn by lot in a job: everybody has the same, nobody chose them.
 */
#ifndef CRYPTO_DRAW_H
#define CRYPTO_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* Of an attempt: the first 8 bytes of SHA-256("coterie draw v1", id, attempt), big-endian. */
uint64_t draw_of_attempt(const uint8_t *job_id, size_t id_len, uint32_t attempt);

#endif
