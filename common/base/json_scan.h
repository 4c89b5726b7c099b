/* json_scan.h -- is this text one JSON value by the letter of RFC 8259? For json.c. */
#ifndef COMMON_BASE_JSON_SCAN_H
#define COMMON_BASE_JSON_SCAN_H

#include "common/base/buf.h"

#include <stddef.h>

/* NULL if it is; otherwise what is wrong, and *at is the offset of the first byte that is. */
const char *json_scan(struct bytes text, int depth_max, size_t *at);

/* Length of the well-formed UTF-8 sequence at p (n > 0 bytes are there), 0 if there is none. */
size_t utf8_length(const unsigned char *p, size_t n);

#endif
