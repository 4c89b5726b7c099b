#include "common/base/buf.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *buf_extend(struct buf *b, size_t n)
{
	assert(n <= SIZE_MAX - b->n);
	if (n > b->cap - b->n) {
		size_t cap = b->n + n > 2 * b->cap ? b->n + n : 2 * b->cap;

		b->p = alloc_again(b->p, cap, 1);
		b->cap = cap;
	}
	b->n += n;
	return b->p ? b->p + b->n - n : NULL; /* NULL + 0 is undefined in C */
}

int bytes_order(struct bytes a, struct bytes b)
{
	int first = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return first ? first : (a.n > b.n) - (a.n < b.n);
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (n)
		memcpy(buf_extend(b, n), p, n);
}

void buf_add_u32(struct buf *b, uint32_t v)
{
	uint32_t big = __builtin_bswap32(v);

	buf_add(b, &big, sizeof(big));
}

/* First formats into the free capacity, which is usually large enough. */
void buf_printf(struct buf *b, const char *fmt, ...)
{
	size_t room = b->cap - b->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? (char *)b->p + b->n : NULL, room, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	if ((size_t)n < room) {
		b->n += (size_t)n;
		return;
	}
	va_start(ap, fmt);
	vsnprintf((char *)buf_extend(b, (size_t)n + 1), (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n--;
}

void buf_decimal(struct buf *b, uint64_t x)
{
	char digits[20];
	size_t first = sizeof(digits);

	do
		digits[--first] = (char)('0' + x % 10);
	while (x /= 10);
	buf_add(b, digits + first, sizeof(digits) - first);
}

void buf_drop(struct buf *b, size_t n)
{
	assert(n <= b->n);
	if (n == 0)
		return;
	memmove(b->p, b->p + n, b->n - n);
	b->n -= n;
}

void buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

void hex_write(const uint8_t *p, size_t n, char *text)
{
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", p[i]);
}

bool hex_read(const char *text, uint8_t *p, size_t n)
{
	if (strlen(text) != 2 * n || strspn(text, "0123456789abcdef") != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++)
		sscanf(text + 2 * i, "%2hhx", &p[i]);
	return true;
}
