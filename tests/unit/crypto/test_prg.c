#include "tests/test.h"
#include "crypto/prg.h"
#include "tests/unit/crypto/hex.h"

#include <openssl/evp.h>

/* Compares the library's counter mode with NIST SP 800-38A, F.5.1: a big-endian counter over the
 * whole block. The tests below then compare the streams with single blocks of the cipher. */
TEST(nist_ctr)
{
	uint8_t key[16], counter[16], plain[64], want[64], got[64];
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	unhex("2b7e151628aed2a6abf7158809cf4f3c", key);
	unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", counter);
	unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
	      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
	      plain);
	unhex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
	      "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
	      want);
	assert_int_equal(EVP_EncryptInit_ex(c, EVP_aes_128_ctr(), NULL, key, counter), 1);
	assert_int_equal(EVP_EncryptUpdate(c, got, &n, plain, 64), 1);
	assert_memory_equal(got, want, 64);
	EVP_CIPHER_CTX_free(c);
}

static void ecb(const uint8_t key[16], const uint8_t in[16], uint8_t out[16])
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	assert_int_equal(EVP_EncryptInit_ex(c, EVP_aes_128_ecb(), NULL, key, NULL), 1);
	EVP_CIPHER_CTX_set_padding(c, 0);
	assert_int_equal(EVP_EncryptUpdate(c, out, &n, in, 16), 1);
	EVP_CIPHER_CTX_free(c);
}

TEST(blocks_are_encrypted_counters)
{
	static uint8_t stream[PRG_BLOCK];
	struct prg *g = prg_new();
	uint8_t key[16], want[16];

	unhex("2b7e151628aed2a6abf7158809cf4f3c", key);
	prg_start(g, key);
	prg_next(g, stream, sizeof(stream));
	for (unsigned i = 0; i < sizeof(stream) / 16; i++) {
		uint8_t counter[16] = { [14] = (uint8_t)(i >> 8), [15] = (uint8_t)i };

		ecb(key, counter, want);
		assert_memory_equal(stream + 16 * i, want, 16);
	}
	/* AES-128(key, 0), from RFC 4493, Section 4. */
	unhex("7df76b0c1ab899b33e42f047b91b546f", want);
	assert_memory_equal(stream, want, 16);
	prg_free(g);
}

TEST(any_split_and_restart_give_the_same)
{
	static uint8_t whole[PRG_BLOCK], parts[PRG_BLOCK];
	uint8_t key[16] = { 7 }, other[16] = { 8 };
	struct prg *g = prg_new();

	prg_start(g, key);
	prg_next(g, whole, sizeof(whole));
	prg_start(g, other);
	prg_next(g, parts, 5);
	assert_memory_not_equal(parts, whole, 5);
	prg_start(g, key);
	for (size_t at = 0, n = 1; at < sizeof(parts); at += n, n = n * 5 % 601) {
		if (n > sizeof(parts) - at)
			n = sizeof(parts) - at;
		prg_next(g, parts + at, n);
	}
	assert_memory_equal(whole, parts, sizeof(whole));
	prg_stop(g);
	/* prg_stop() wiped the key, so the stream continues with a key of zeros. */
	prg_next(g, parts, 64);
	prg_start(g, (const uint8_t[PRG_KEY_LEN]){ 0 });
	prg_next(g, whole, 64);
	assert_memory_equal(whole, parts, 64);
	prg_free(g);
	prg_free(NULL);
}

/* Starts a stream at any place, after another key's stream. Includes counters above one byte and
 * above 32 bits. */
TEST(begins_anywhere)
{
	static uint8_t whole[PRG_BLOCK], part[PRG_BLOCK];
	uint8_t key[16] = { 7 }, other[16] = { 8 }, counter[16] = { [11] = 1, [15] = 2 }, want[16];
	struct prg *g = prg_new();

	prg_start(g, key);
	prg_next(g, whole, sizeof(whole));
	for (size_t at = 0; at < sizeof(whole); at += 1 + at / 3) {
		prg_start_at(g, other, at);
		prg_next(g, part, 7);
		prg_start_at(g, key, at);
		prg_next(g, part, sizeof(whole) - at);
		assert_memory_equal(part, whole + at, sizeof(whole) - at);
	}
	ecb(key, counter, want);
	prg_start_at(g, key, (((1ULL << 32) + 2) << 4) + 5);
	prg_next(g, part, 11);
	assert_memory_equal(part, want + 5, 11);
	prg_free(g);
}
