/* pack.h -- little-endian numbers in files of our own formats, and a checksum. */
#ifndef COMMON_BASE_PACK_H
#define COMMON_BASE_PACK_H

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC-64 of ECMA-182, reflected, as in xz. */
uint64_t pack_crc(const uint8_t *p, size_t n);

void pack_put(struct buf *b, uint64_t x, size_t bytes);
void pack_doubles(struct buf *b, const double *x, size_t n);

/* Unread rest of a file. The caller checks that enough bytes are left. */
struct unpack {
	const uint8_t *p;
	size_t left;
};
uint64_t unpack_take(struct unpack *r, size_t bytes);
double *unpack_doubles(struct unpack *r, size_t n); /* owned by the caller */

#endif
