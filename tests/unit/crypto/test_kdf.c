#include "tests/test.h"
#include "crypto/hmac.h"
#include "tests/unit/crypto/hex.h"

/* The SHA-256 cases of RFC 5869, Appendix A. */
static const struct vector {
	const char *secret, *salt, *info, *prk, *okm;
} vectors[] = {
	{ "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c",
	  "f0f1f2f3f4f5f6f7f8f9",
	  "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
	  "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865" },
	{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	  "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
	  "404142434445464748494a4b4c4d4e4f",
	  "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
	  "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
	  "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
	  "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
	  "d0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
	  "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
	  "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
	  "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
	  "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
	  "cc30c58179ec3e87c14c01d5c1f3434f1d87" },
	{ "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
	  "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
	  "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
	  "9d201395faa4b61a96c8" },
};

TEST(rfc5869)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *v = &vectors[i];
		uint8_t secret[128], salt[128], info[128], prk[KDF_KEY_LEN], want[128], okm[128];
		struct bytes secret_b = { secret, unhex(v->secret, secret) };
		struct bytes salt_b = { salt, unhex(v->salt, salt) };
		struct bytes info_b = { info, unhex(v->info, info) };
		struct kdf_key key;
		size_t n;

		kdf_extract(salt_b, secret_b, prk);
		unhex(v->prk, want);
		assert_memory_equal(prk, want, KDF_KEY_LEN);
		n = unhex(v->okm, want);
		kdf_expand(prk, info_b, okm, n);
		assert_memory_equal(okm, want, n);
		kdf_key_make(&key, prk);
		for (int again = 0; again < 2; again++) {
			uint8_t by[128];

			kdf_expand_by(&key, info_b, by, n);
			assert_memory_equal(by, want, n);
		}
	}
}

/* Compares block i of the output, T(i) in RFC 5869, with the HMAC (hmac.h) of T(i - 1) || info ||
 * i, for all lengths of info around a block of the hash. */
TEST(is_hmac)
{
	uint8_t prk[KDF_KEY_LEN], info[200], okm[3 * HMAC_LEN], want[HMAC_LEN];
	struct kdf_key key;
	struct hmac *h;

	for (size_t i = 0; i < sizeof(prk); i++)
		prk[i] = (uint8_t)(31 * i + 1);
	for (size_t i = 0; i < sizeof(info); i++)
		info[i] = (uint8_t)(7 * i);
	kdf_key_make(&key, prk);
	h = hmac_new((struct bytes){ prk, sizeof(prk) });
	for (size_t n = 0; n <= sizeof(info); n++) {
		kdf_expand_by(&key, (struct bytes){ info, n }, okm, sizeof(okm));
		for (uint8_t i = 1; i <= 3; i++) {
			if (i > 1)
				hmac_add(h, want, sizeof(want));
			hmac_add(h, info, n);
			hmac_add(h, &i, 1);
			hmac_end(h, want);
			assert_memory_equal(okm + (i - 1) * HMAC_LEN, want, HMAC_LEN);
		}
	}
	hmac_free(h);
}

/* The key depends on the last byte of a long info, such as that of 256 parties with names of 64
 * bytes. */
TEST(long_info)
{
	uint8_t key[KDF_KEY_LEN] = { 1 }, a[16], b[16];
	static uint8_t info[20000];

	kdf_expand(key, (struct bytes){ info, sizeof(info) }, a, sizeof(a));
	info[sizeof(info) - 1] = 1;
	kdf_expand(key, (struct bytes){ info, sizeof(info) }, b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
}
