#include "common/base/alloc.h"
#include "common/base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		fprintf(stderr, "out of memory: %zu items of %zu bytes\n", count, size);
		_Exit(ERR_INTERNAL);
	}
	return bytes ? bytes : 1;
}

static void *checked(void *p, size_t bytes)
{
	if (!p) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		_Exit(ERR_INTERNAL);
	}
	return p;
}

void *alloc(size_t count, size_t size)
{
	size_t bytes = bytes_of(count, size);

	return checked(calloc(1, bytes), bytes);
}

void *alloc_again(void *p, size_t count, size_t size)
{
	size_t bytes = bytes_of(count, size);

	return checked(realloc(p, bytes), bytes);
}

char *alloc_copy(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(alloc(bytes, 1), text, bytes);
}
