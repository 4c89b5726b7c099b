#include "common/base/alloc.h"
#include "common/base/err.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* malloc maps each piece above a threshold separately, and unmaps it when it is freed. By default
 * the threshold starts at MAPPED_LEAST. Freeing a larger piece raises it to the size of that piece,
 * up to MAPPED_MOST. */
enum { MAPPED_LEAST = 128 << 10, MAPPED_MOST = 32 << 20 };

static void (*at_end)(void);

void alloc_at_end(void (*last_words)(void))
{
	at_end = last_words;
}

void alloc_gives_back(bool at_once)
{
	mallopt(M_MMAP_THRESHOLD, at_once ? MAPPED_LEAST : MAPPED_MOST);
}

static void alloc_give_up(void)
{
	void (*last_words)(void) = at_end;

	at_end = NULL;
	if (last_words)
		last_words();
	_Exit(ERR_INTERNAL);
}

static size_t bytes_of(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		fprintf(stderr, "out of memory: %zu items of %zu bytes\n", count, size);
		alloc_give_up();
	}
	return bytes ? bytes : 1;
}

static void *checked(void *p, size_t bytes)
{
	if (!p) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		alloc_give_up();
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

void *alloc_bytes(size_t n)
{
	return checked(malloc(n ? n : 1), n);
}

void *alloc_bytes_again(void *p, size_t n)
{
	return checked(realloc(p, n ? n : 1), n);
}

char *alloc_format(const char *format, va_list ap)
{
	char *text;
	int n = vasprintf(&text, format, ap);

	return checked(n < 0 ? NULL : text, strlen(format));
}
