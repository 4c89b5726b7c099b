/* labels.h -- packs vectors of small integers into a string of bits.
 *
 * Entry i occupies bits [i b, (i + 1) b) of the string, b = labels_bits(values); bit j of the
 * string is bit j % 8 of byte j / 8, the least significant first. Bits after the last entry are 0.
 */
#ifndef PROTO_LABELS_H
#define PROTO_LABELS_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bits for an entry 0 .. values: ceil(log2(values + 1)), at least 1, at most
 * 32. */
unsigned labels_bits(uint32_t values);

/* Returns the number of bytes of `count` packed entries. */
size_t labels_bytes(uint32_t values, size_t count);

/* Packs entries into out, which has labels_bytes(values, count) bytes. Asserts that label[i] <=
 * values. */
void labels_pack(uint8_t *out, uint32_t values, const uint32_t *label, size_t count);

/* Unpacks entries. Returns false if `in` is not exactly labels_bytes() long, an entry is above
 * values, or a bit after the last entry is set. *bad is then the index of the first bad entry, or
 * count if the length or the padding is wrong. */
bool labels_unpack(uint32_t *label, uint32_t values, struct bytes in, size_t count, size_t *bad);

#endif
