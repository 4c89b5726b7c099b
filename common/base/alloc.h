/* alloc.h -- allocation that does not fail.
 *
 * Running out of memory ends the process (exit 5 with the size asked for): every size
 * that comes from outside is bounded before it gets here. Products are checked.
 */
#ifndef COMMON_BASE_ALLOC_H
#define COMMON_BASE_ALLOC_H

#include <stddef.h>

void *alloc(size_t count, size_t size);                  /* zeroed; never NULL, even for 0 items */
void *alloc_again(void *p, size_t count, size_t size);   /* realloc; the new part is not zeroed */
char *alloc_copy(const char *text);                      /* strdup */

#define ALLOC(p, count) ((p) = alloc((count), sizeof(*(p))))

#endif
