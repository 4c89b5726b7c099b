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
	return b->p + b->n - n;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (n)
		memcpy(buf_extend(b, n), p, n);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	va_start(ap, fmt);
	vsnprintf((char *)buf_extend(b, (size_t)n + 1), (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n--;
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
