/* buf.h -- owned bytes that grow, and borrowed bytes. */
#ifndef COMMON_BASE_BUF_H
#define COMMON_BASE_BUF_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes: whoever made the view says how long it lives. */
struct bytes {
	const uint8_t *p;
	size_t n;
};

/* Owned, growing bytes. Zero-initialised is empty and ready. */
struct buf {
	uint8_t *p;
	size_t n, cap;
};

void buf_add(struct buf *b, const void *p, size_t n);
uint8_t *buf_extend(struct buf *b, size_t n); /* n more bytes, contents undefined; valid until the next call */
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3); /* no terminator is added */
void buf_decimal(struct buf *b, uint64_t x);  /* as %lu, but fast: for columns of numbers */
void buf_drop(struct buf *b, size_t n);       /* forgets the first n bytes */
void buf_release(struct buf *b);              /* frees the contents; b is empty and ready again */

void hex_write(const uint8_t *p, size_t n, char *text); /* 2n lower-case digits and a terminator */
/* False, with p as it was, if text is not exactly 2n digits 0-9 a-f. Not CT. */
bool hex_read(const char *text, uint8_t *p, size_t n) MUST_CHECK;

#endif
