/* files.h -- copies of exact size on the heap, so that a sanitizer sees a read beyond the end. */
#ifndef TESTS_UNIT_DATA_FILES_H
#define TESTS_UNIT_DATA_FILES_H

#include "common/base/alloc.h"
#include "common/base/buf.h"

#include <stdlib.h>
#include <string.h>

/* Returns a copy of n bytes of exact size; the caller frees .p. */
static inline struct bytes exact(const void *p, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	memcpy(copy, p, n);
	return (struct bytes){ copy, n };
}

static inline struct bytes exact_text(const char *text)
{
	return exact(text, strlen(text));
}

#endif
