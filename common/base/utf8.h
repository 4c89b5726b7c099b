/* utf8.h -- characters of texts that somebody else wrote, and what of them may be shown. */
#ifndef COMMON_BASE_UTF8_H
#define COMMON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 sequence at p (n > 0 bytes are there; RFC 3629), 0 if there is none. */
size_t utf8_length(const unsigned char *p, size_t n);
/* The code point of a sequence of that length, 1 to 4. */
uint32_t utf8_code(const unsigned char *p, size_t length);

/* May move the cursor, forge a line, or change the direction or the look of what stands around it: controls
 * (C0, DEL, C1), line and paragraph separators, marks and overrides of direction, byte order marks,
 * what is no character. */
bool utf8_is_harmful(uint32_t code);

/* Each byte of a harmful character, and each that is not UTF-8, becomes '?'. In place. */
void utf8_make_harmless(char *text);

#endif
