/* pack.h -- numbers as bytes in files of our own, the lowest byte first, and a checksum for their end. */
#ifndef COMMON_BASE_PACK_H
#define COMMON_BASE_PACK_H

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* CRC-64 of ECMA-182, reflected, as xz has it; byte by byte. */
uint64_t pack_crc(const uint8_t *p, size_t n);

void pack_put(struct buf *b, uint64_t x, size_t bytes);
void pack_doubles(struct buf *b, const double *x, size_t n);

/* What is left of a file. That there are so many bytes the caller has seen to. */
struct unpack {
	const uint8_t *p;
	size_t left;
};
uint64_t unpack_take(struct unpack *r, size_t bytes);
double *unpack_doubles(struct unpack *r, size_t n); /* owned by the caller */

#endif
