#include "common/base/pack.h"
#include "common/base/alloc.h"

#include <string.h>

uint64_t pack_crc(const uint8_t *p, size_t n)
{
	uint64_t crc = UINT64_MAX, of_byte[256];

	for (size_t i = 0; i < 256; i++) {
		of_byte[i] = i;
		for (int bit = 0; bit < 8; bit++)
			of_byte[i] = of_byte[i] >> 1 ^
				     (UINT64_C(0xc96c5795d7870f42) & (0 - (of_byte[i] & 1)));
	}
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ of_byte[(crc ^ p[i]) & 0xff];
	return ~crc;
}

void pack_put(struct buf *b, uint64_t x, size_t bytes)
{
	uint8_t *to = buf_extend(b, bytes);

	for (size_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(x >> 8 * i);
}

void pack_doubles(struct buf *b, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;

		memcpy(&bits, &x[i], sizeof(bits));
		pack_put(b, bits, sizeof(bits));
	}
}

uint64_t unpack_take(struct unpack *r, size_t bytes)
{
	uint64_t x = 0;

	for (size_t i = 0; i < bytes; i++)
		x |= (uint64_t)r->p[i] << 8 * i;
	r->p += bytes;
	r->left -= bytes;
	return x;
}

double *unpack_doubles(struct unpack *r, size_t n)
{
	double *x;

	ALLOC(x, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = unpack_take(r, sizeof(bits));

		memcpy(&x[i], &bits, sizeof(bits));
	}
	return x;
}
