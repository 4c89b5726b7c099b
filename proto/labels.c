#include "proto/labels.h"

#include <assert.h>

unsigned labels_bits(uint32_t values)
{
	return values ? 32U - (unsigned)__builtin_clz(values) : 1;
}

size_t labels_bytes(uint32_t values, size_t count)
{
	size_t bits;

	assert(count <= SIZE_MAX / 32);
	bits = count * labels_bits(values);
	return bits / 8 + (bits % 8 != 0);
}

void labels_pack(uint8_t *out, uint32_t values, const uint32_t *label, size_t count)
{
	unsigned width = labels_bits(values), have = 0;
	/* the `have` bits that are not written yet; between entries fewer than 8 */
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		assert(label[i] <= values);
		bits |= (uint64_t)label[i] << have;
		for (have += width; have >= 8; have -= 8, bits >>= 8)
			*out++ = (uint8_t)bits;
	}
	if (have)
		*out = (uint8_t)bits;
}

bool labels_unpack(uint32_t *label, uint32_t values, struct bytes in, size_t count, size_t *bad)
{
	unsigned width = labels_bits(values), have = 0;
	uint64_t bits = 0, mask = ((uint64_t)1 << width) - 1;
	const uint8_t *p = in.p;

	*bad = count;
	if (in.n != labels_bytes(values, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		for (; have < width; have += 8)
			bits |= (uint64_t)*p++ << have;
		label[i] = (uint32_t)(bits & mask);
		if (label[i] > values) {
			*bad = i;
			return false;
		}
		bits >>= width;
		have -= width;
	}
	return bits == 0;
}
