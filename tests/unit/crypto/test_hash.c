#include "tests/test.h"
#include "crypto/hash.h"
#include "tests/unit/crypto/hex.h"

static void expect(const uint8_t *got, const char *hex)
{
	uint8_t want[SHA256_LEN];

	unhex(hex, want);
	assert_memory_equal(got, want, SHA256_LEN);
}

/* FIPS 180-4 examples. */
TEST(known_answers)
{
	uint8_t out[SHA256_LEN];

	sha256_of("", 0, out);
	expect(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_of("abc", 3, out);
	expect(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(streaming_equals_one_call)
{
	static const uint8_t one[] = "\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\3abc";
	uint8_t a[SHA256_LEN], b[SHA256_LEN];
	struct sha256 *h = sha256_new();

	sha256_add_u32(h, 1);
	sha256_add_u64(h, 2);
	sha256_add_text(h, "abc");
	sha256_end(h, a);
	sha256_of(one, sizeof(one) - 1, b);
	assert_memory_equal(a, b, sizeof(a));
}
