/* hex.h -- converts hexadecimal text to bytes, for known answers. */
#ifndef TESTS_UNIT_CRYPTO_HEX_H
#define TESTS_UNIT_CRYPTO_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline size_t unhex(const char *text, uint8_t *out)
{
	size_t n = strlen(text) / 2;

	for (size_t i = 0; i < n; i++) {
		unsigned byte;

		assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
		out[i] = (uint8_t)byte;
	}
	return n;
}

#endif
