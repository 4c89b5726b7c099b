/* alloc.h -- allocation that does not fail.
 *
 * Running out of memory ends the process (exit 5 with the size asked for): every size
 * that comes from outside is bounded before it gets here. Products are checked. Libraries that take an allocator
 * (libcrypto, libuv, cJSON) are given this one, where each is used, for they abort, crash or report something else.
 */
#ifndef COMMON_BASE_ALLOC_H
#define COMMON_BASE_ALLOC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *alloc(size_t count, size_t size);                  /* zeroed; never NULL, even for 0 items */
void *alloc_again(void *p, size_t count, size_t size);   /* realloc; the new part is not zeroed */
char *alloc_copy(const char *text);                      /* strdup */

void *alloc_bytes(size_t n);             /* malloc: not zeroed */
void *alloc_bytes_again(void *p, size_t n);
char *alloc_format(const char *format, va_list ap); /* vasprintf */

/* From here on, in all threads: does a large piece (128 KiB) that is freed go back to the system at once? As a rule it may
 * stay with the process for what is allocated next, which saves time. */
void alloc_gives_back(bool at_once);

/* Called once, when memory is out, before the process ends: must allocate nothing. */
void alloc_at_end(void (*last_words)(void));

#define ALLOC(p, count) ((p) = alloc((count), sizeof(*(p))))

#endif
