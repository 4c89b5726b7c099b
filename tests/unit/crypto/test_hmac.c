#include "tests/test.h"
#include "crypto/hmac.h"
#include "tests/unit/crypto/hex.h"

#include <string.h>

/* RFC 4231. */
static const struct {
	const char *key, *text, *mac;
} known[] = {
	{ "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
	  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
	{ "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
	  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
	{ "0102030405060708090a0b0c0d0e0f10111213141516171819",
	  "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
	  "cdcdcdcdcdcdcdcd",
	  "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b" },
};

/* Hashes each text repeatedly with one key: whole, and byte by byte. */
TEST(known_answers)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint8_t key[64], text[64], want[64], mac[HMAC_LEN];
		size_t key_len = unhex(known[i].key, key), len = unhex(known[i].text, text);
		struct hmac *h = hmac_new((struct bytes){ key, key_len });

		unhex(known[i].mac, want);
		for (int k = 0; k < 3; k++) {
			hmac_add(h, text, len);
			hmac_end(h, mac);
			assert_memory_equal(mac, want, HMAC_LEN);
			for (size_t b = 0; b < len; b++)
				hmac_add(h, text + b, 1);
			hmac_end(h, mac);
			assert_memory_equal(mac, want, HMAC_LEN);
		}
		hmac_free(h);
	}
}

/* Hashes an empty text with an empty key, which has a known answer, twice. */
TEST(of_nothing)
{
	struct hmac *h = hmac_new((struct bytes){ NULL, 0 });
	uint8_t want[64], mac[HMAC_LEN];

	unhex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", want);
	for (int k = 0; k < 2; k++) {
		hmac_end(h, mac);
		assert_memory_equal(mac, want, HMAC_LEN);
	}
	hmac_free(h);
}
