/* buf.h -- growing owned bytes, and borrowed bytes. */
#ifndef COMMON_BASE_BUF_H
#define COMMON_BASE_BUF_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes. Each function that returns them states how long they stay valid. */
struct bytes {
	const uint8_t *p;
	size_t n;
};

/* Compares as memcmp() does: returns a value below, equal to or above 0. A prefix is less than the
 * longer bytes. Not constant-time. */
int bytes_order(struct bytes a, struct bytes b);

/* Owned, growing bytes. Empty if zero-initialised. */
struct buf {
	uint8_t *p;
	size_t n, cap;
};

void buf_add(struct buf *b, const void *p, size_t n);
void buf_add_u32(struct buf *b, uint32_t v); /* big-endian */
/* Appends n uninitialised bytes. The result points to them until the next call. */
uint8_t *buf_extend(struct buf *b, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3); /* no terminator is added */
void buf_decimal(struct buf *b, uint64_t x); /* like %lu, but faster: for columns of numbers */
void buf_drop(struct buf *b, size_t n);      /* removes the first n bytes */
void buf_release(struct buf *b);             /* frees the contents; b is empty afterwards */

void hex_write(const uint8_t *p, size_t n, char *text); /* 2n lower-case digits and a terminator */
/* Reads exactly 2n digits 0-9 a-f into p. Returns false and leaves p unchanged if text is anything
 * else. Not constant-time. */
bool hex_read(const char *text, uint8_t *p, size_t n) MUST_CHECK;

#endif
