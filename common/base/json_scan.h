/* json_scan.h -- is this text one JSON value by the letter of RFC 8259? For json.c. */
#ifndef COMMON_BASE_JSON_SCAN_H
#define COMMON_BASE_JSON_SCAN_H

#include "common/base/buf.h"

#include <stddef.h>

/* NULL if it is; otherwise what is wrong, and *at is the offset of the first byte that is. */
const char *json_scan(struct bytes text, int depth_max, size_t *at);

#endif
