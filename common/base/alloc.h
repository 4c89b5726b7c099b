/* alloc.h -- allocation that does not fail.
 *
 * Exhausted memory ends the process with exit status 5 and the requested size on stderr. Every size
 * from outside is bounded before it gets here; products are checked for overflow. The modules that
 * use libcrypto, libuv and cJSON install these functions as the library's allocator. Otherwise the
 * library would abort, crash or report another error when memory is exhausted.
 */
#ifndef COMMON_BASE_ALLOC_H
#define COMMON_BASE_ALLOC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *alloc(size_t count, size_t size);                /* zeroed; never NULL, even for 0 items */
void *alloc_again(void *p, size_t count, size_t size); /* realloc; the new part is not zeroed */
char *alloc_copy(const char *text);                    /* strdup */

void *alloc_bytes(size_t n); /* malloc: not zeroed */
void *alloc_bytes_again(void *p, size_t n);
char *alloc_format(const char *format, va_list ap); /* vasprintf */

/* Sets for all threads the size from which freed pieces return to the system at once: 128 KiB if
 * at_once, else 32 MiB. Smaller pieces are kept for later allocations, which saves time. */
void alloc_gives_back(bool at_once);

/* Sets a function that runs once when memory is exhausted, before the process ends. It must not
 * allocate. */
void alloc_at_end(void (*last_words)(void));

#define ALLOC(p, count) ((p) = alloc((count), sizeof(*(p))))

/* Makes room for one more item in the array p, which holds `count` items and has space for `room`.
 * Doubles the space of a full array. */
#define ALLOC_ROOM(p, count, room) ((p) = alloc_room((p), (count), &(room), sizeof(*(p))))
static inline void *alloc_room(void *p, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return p;
	*room = *room ? 2 * *room : 16;
	return alloc_again(p, *room, size);
}

#endif
