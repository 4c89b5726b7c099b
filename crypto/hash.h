/* hash.h -- SHA-256, streaming. */
#ifndef CRYPTO_HASH_H
#define CRYPTO_HASH_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SHA256_LEN = 32 };

struct sha256;
struct sha256 *sha256_new(void);
void sha256_add(struct sha256 *h, const void *p, size_t n);
/* Adds v as big-endian bytes. The fixed length delimits the field. */
void sha256_add_u32(struct sha256 *h, uint32_t v);
void sha256_add_u64(struct sha256 *h, uint64_t v);
/* Adds the length of s as a big-endian u32, then its bytes. */
void sha256_add_text(struct sha256 *h, const char *s);
void sha256_end(struct sha256 *h, uint8_t out[static SHA256_LEN]); /* frees h */
/* Hashes a file's content. ERR_INPUT if it cannot be read. */
enum err sha256_of_file(const char *path, uint8_t out[static SHA256_LEN]) MUST_CHECK;
void sha256_of(const void *p, size_t n, uint8_t out[static SHA256_LEN]);

/* sha256_check() writes a checksum against damage: the first hexadecimal digits of the SHA-256 of a
 * text. */
enum { SHA256_CHECK = 16 };
void sha256_check(const char *text, size_t n, char check[static SHA256_CHECK + 1]);

#endif
