#include "common/base/utf8.h"

#include <string.h>

size_t utf8_length(const unsigned char *p, size_t n)
{
	size_t len = p[0] < 0x80                   ? 1
		     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		     : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						   : 0;

	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((p[0] == 0xe0 && p[1] < 0xa0) ||
	    (p[0] == 0xed && p[1] > 0x9f) || /* with 3 bytes: overlong, or a surrogate */
	    (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f)) /* with 4 bytes: overlong, or too large */
		return 0;
	return len;
}

uint32_t utf8_code(const unsigned char *p, size_t length)
{
	uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

bool utf8_is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff ||
	       (c & 0xfffe) == 0xfffe;
}

void utf8_make_harmless(char *text)
{
	unsigned char *p = (unsigned char *)text;

	for (size_t left = strlen(text), n; left; p += n, left -= n) {
		n = utf8_length(p, left);
		if (n && !utf8_is_harmful(utf8_code(p, n)))
			continue;
		n = n ? n : 1;
		memset(p, '?', n);
	}
}
