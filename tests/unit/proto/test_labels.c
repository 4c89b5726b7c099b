#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "proto/labels.h"

#include <stdlib.h>
#include <string.h>

TEST(test_bits)
{
	static const struct {
		uint32_t values;
		unsigned bits;
	} c[] = { { 0, 1 },           { 1, 1 },          { 2, 2 },      { 3, 2 },
		  { 4, 3 },           { 7, 3 },          { 8, 4 },      { 255, 8 },
		  { 256, 9 },         { 65535, 16 },     { 65536, 17 }, { 0x7fffffff, 31 },
		  { 0x80000000, 32 }, { UINT32_MAX, 32 } };

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		assert_int_equal(labels_bits(c[i].values), c[i].bits);
	assert_int_equal(labels_bytes(3, 0), 0);
	assert_int_equal(labels_bytes(3, 4), 1);
	assert_int_equal(labels_bytes(3, 5), 2);
	assert_int_equal(labels_bytes(UINT32_MAX, 5), 20);
}

TEST(test_known_bytes)
{
	static const uint32_t label[] = { 0, 1, 2, 3, 1, 2 }, wide[] = { 1, 5, 4, 0 };
	uint8_t out[2] = { 0 };

	labels_pack(out, 3, label, 6);
	assert_int_equal(out[0], 0xe4);
	assert_int_equal(out[1], 0x09);
	labels_pack(out, 5, wide, 4); /* 3 bits each: 1 | 5 << 3 | 4 << 6 = 0x129 */
	assert_int_equal(out[0], 0x29);
	assert_int_equal(out[1], 0x01);
}

/* Packs and unpacks labels of every width, and of every count from 0 to 17. */
TEST(test_round_trip)
{
	struct rng r;

	rng_seed(&r, 1, 0);
	for (unsigned width = 1; width <= 32; width++)
		for (size_t count = 0; count <= 17; count++) {
			uint32_t values = (uint32_t)(((uint64_t)1 << width) - 1);
			size_t bytes, bad;
			uint32_t label[17], back[17];
			uint8_t *packed;

			if (width > 1)
				values -= (uint32_t)rng_below(&r, (uint64_t)1 << (width - 1));
			bytes = labels_bytes(values, count);
			packed = malloc(bytes);
			for (size_t i = 0; i < count; i++)
				label[i] = (uint32_t)rng_below(&r, (uint64_t)values + 1);
			if (count)
				label[count - 1] = values;
			assert_int_equal(labels_bits(values), width);
			labels_pack(packed, values, label, count);
			assert_true(labels_unpack(back, values, (struct bytes){ packed, bytes },
						  count, &bad));
			assert_memory_equal(back, label, count * sizeof(label[0]));
			free(packed);
		}
}

TEST(test_bad)
{
	static const uint8_t above[] = { 0x39 };  /* 3-bit labels 1 and 7; 7 exceeds 5 */
	static const uint8_t padded[] = { 0x69 }; /* labels 1 and 5, and a bit set after them */
	uint32_t label[4];
	size_t bad;

	assert_false(labels_unpack(label, 5, (struct bytes){ above, 1 }, 2, &bad));
	assert_int_equal(bad, 1);
	assert_false(labels_unpack(label, 5, (struct bytes){ padded, 1 }, 2, &bad));
	assert_int_equal(bad, 2);
	assert_false(labels_unpack(label, 5, (struct bytes){ above, 1 }, 3, &bad)); /* too short */
	assert_int_equal(bad, 3);
	assert_false(labels_unpack(label, 5, (struct bytes){ above, 1 }, 0, &bad)); /* too long */
	assert_int_equal(bad, 0);
}
