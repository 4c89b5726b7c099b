/* utf8.h -- checks text from other sources, and makes it safe to display. */
#ifndef COMMON_BASE_UTF8_H
#define COMMON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 sequence (RFC 3629) in the n > 0 bytes at p; 0 if there is
 * none. */
size_t utf8_length(const unsigned char *p, size_t n);
/* Code point of a sequence of 1 to 4 bytes. */
uint32_t utf8_code(const unsigned char *p, size_t length);

/* True if a character can move the cursor, forge a line, or change how the text around it is
 * displayed: controls (C0, DEL, C1), line and paragraph separators, directional marks and
 * overrides, byte order marks, noncharacters. */
bool utf8_is_harmful(uint32_t code);

/* Replaces each byte of a harmful character or of invalid UTF-8 by '?', in place. */
void utf8_make_harmless(char *text);

#endif
