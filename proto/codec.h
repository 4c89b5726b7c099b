/* codec.h -- encodes and decodes a struct by the same calls.
 *
 * The same codec_*() call writes a field when encoding and reads it when decoding, so the two
 * cannot disagree. Integers are big-endian. Errors are sticky: after the first bad read, every
 * later call reads nothing and leaves zeros. So the caller checks only once, at the end. Values to
 * be encoded come from this process, so a value outside its bounds fails an assertion.
 */
#ifndef PROTO_CODEC_H
#define PROTO_CODEC_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codec {
	struct buf *out;          /* buffer for encoding; NULL: the codec decodes */
	const uint8_t *pos, *end; /* when decoding: the rest of the input */
	bool bad;
};

void codec_u16(struct codec *c, uint16_t *v);
void codec_u32(struct codec *c, uint32_t *v);
void codec_u64(struct codec *c, uint64_t *v);
/* Handles a field of n bytes, whose length is not sent. Decoding copies the bytes. */
void codec_fixed(struct codec *c, uint8_t *p, size_t n);
/* Handles a u32 length and that many bytes (min .. max). Decoding borrows the bytes. */
void codec_bytes(struct codec *c, struct bytes *b, size_t min, size_t max);
/* Call before an allocation when decoding. Unless `count` items of `size` bytes (not 0) are left,
 * fails the codec and returns false. Returns true when encoding. */
bool codec_room(struct codec *c, size_t count, size_t size);
/* Fails the codec unless `good`. Use it for a field's bounds and for other conditions on it. */
void codec_check(struct codec *c, bool good);

/* Read and write big-endian integers. */
void put_u16(uint8_t *p, uint16_t v);
void put_u32(uint8_t *p, uint32_t v);
void put_u64(uint8_t *p, uint64_t v);
uint16_t get_u16(const uint8_t *p);
uint32_t get_u32(const uint8_t *p);
uint64_t get_u64(const uint8_t *p);

#endif
