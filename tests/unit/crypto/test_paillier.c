#include "tests/test.h"
#include "common/base/rng.h"
#include "crypto/paillier.h"
#include "tests/unit/crypto/hex.h"

#include <string.h>

enum { DEPTH = 4, MOST = (1 << 29) - 1 };

static const struct vector {
	const char *p, *q, *n;
	size_t width, depth;
	const char *cipher;
	int64_t factor[DEPTH], sum[PAILLIER_SLOTS];
} vectors[] = {
#include "tests/vectors/paillier.inc"
};

static struct paillier_pair *pair_of(const struct vector *v)
{
	uint8_t p[PAILLIER_PRIME_LEN], q[PAILLIER_PRIME_LEN];

	assert_int_equal(unhex(v->p, p), sizeof(p));
	assert_int_equal(unhex(v->q, q), sizeof(q));
	return paillier_pair_of(p, q);
}

static struct paillier *public_of(const struct paillier_pair *pair)
{
	uint8_t n[PAILLIER_KEY_LEN];

	paillier_pair_public(pair, n);
	assert_null(paillier_check((struct bytes){ n, sizeof(n) }));
	return paillier_new(n);
}

/* Compares the public key, and the decrypted sums of products of given ciphertexts, with those that
 * a second implementation computed. */
TEST(known_answers)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *v = &vectors[i];
		uint8_t n[PAILLIER_KEY_LEN], want[PAILLIER_KEY_LEN], c[DEPTH][PAILLIER_LEN];
		uint8_t out[2][PAILLIER_LEN];
		int64_t x[PAILLIER_SLOTS];
		struct paillier_pair *pair = pair_of(v);
		struct paillier *key = public_of(pair);
		struct paillier_vector *row;
		const char *why;

		paillier_pair_public(pair, n);
		assert_int_equal(unhex(v->n, want), sizeof(want));
		assert_memory_equal(n, want, sizeof(n));
		assert_int_equal(unhex(v->cipher, c[0]), v->depth * PAILLIER_LEN);
		assert_null(paillier_decrypt(pair, c[0], x, v->width));
		assert_int_equal(x[v->width - 1], -MOST);
		row = paillier_vector_new(key, c[0], v->depth, &why);
		assert_non_null(row);
		for (size_t t = 0; t < 2; t++) {
			assert_ok(paillier_combine(row, v->factor, out[t]));
			assert_null(paillier_decrypt(pair, out[t], x, v->width));
			assert_memory_equal(x, v->sum, v->width * sizeof(*x));
		}
		assert_memory_not_equal(out[0], out[1], PAILLIER_LEN);
		paillier_vector_free(row);
		paillier_free(key);
		paillier_pair_free(pair);
	}
}

/* Encrypts and decrypts random numbers with a newly drawn key pair, and decrypts their sums of
 * products with several factors. */
TEST(sums_of_products)
{
	const int64_t edge = (INT64_C(1) << (PAILLIER_SLOT_BITS - 1)) - 1;
	struct paillier_pair *pair;
	struct paillier *key;
	struct rng rng;

	assert_ok(paillier_pair_new(&pair));
	key = public_of(pair);
	rng_seed(&rng, 3, 1);
	for (size_t count = 1; count <= PAILLIER_SLOTS; count += 8) {
		static const int64_t factor[][DEPTH] = { { 0, 0, 0, 0 },
							 { 1, 0, -1, 0 },
							 { INT32_MIN, INT32_MAX, 12345, -1 } };
		int64_t x[DEPTH][PAILLIER_SLOTS], got[PAILLIER_SLOTS];
		uint8_t c[DEPTH][PAILLIER_LEN], out[PAILLIER_LEN];
		struct paillier_vector *v;
		const char *why;

		for (size_t t = 0; t < DEPTH; t++) {
			for (size_t s = 0; s < count; s++)
				x[t][s] = (int64_t)rng_below(&rng, 2 * MOST) - MOST / 2;
			assert_ok(paillier_encrypt(pair, x[t], count, c[t]));
			assert_null(paillier_decrypt(pair, c[t], got, count));
			assert_memory_equal(got, x[t], count * sizeof(*got));
		}
		v = paillier_vector_new(key, c[0], DEPTH, &why);
		assert_non_null(v);
		for (size_t f = 0; f < 3; f++) {
			assert_ok(paillier_combine(v, factor[f], out));
			assert_null(paillier_decrypt(pair, out, got, count));
			for (size_t s = 0; s < count; s++) {
				int64_t sum = 0;

				for (size_t t = 0; t < DEPTH; t++)
					sum += factor[f][t] * x[t][s];
				assert_int_equal(got[s], sum);
			}
		}
		paillier_vector_free(v);
		for (size_t s = 0; s < count; s++)
			x[0][s] = s % 2 ? edge : -edge;
		assert_ok(paillier_encrypt(pair, x[0], count, c[0]));
		assert_null(paillier_decrypt(pair, c[0], got, count));
		assert_memory_equal(got, x[0], count * sizeof(*got));
	}
	paillier_free(key);
	paillier_pair_free(pair);
}

/* Refuses a plaintext with more slots than expected, and a ciphertext under another key. */
TEST(plaintexts_out_of_range)
{
	struct paillier_pair *pair = pair_of(&vectors[0]), *other = pair_of(&vectors[1]);
	int64_t x[PAILLIER_SLOTS] = { 0 };
	uint8_t c[PAILLIER_LEN];

	x[PAILLIER_SLOTS - 1] = 1;
	assert_ok(paillier_encrypt(pair, x, PAILLIER_SLOTS, c));
	for (size_t count = 1; count < PAILLIER_SLOTS; count++)
		assert_string_equal(paillier_decrypt(pair, c, x, count),
				    "its plaintext is out of range");
	assert_null(paillier_decrypt(pair, c, x, PAILLIER_SLOTS));
	assert_int_equal(x[PAILLIER_SLOTS - 1], 1);
	assert_ok(paillier_encrypt(other, x, 1, c));
	assert_non_null(paillier_decrypt(pair, c, x, 1));
	paillier_pair_free(other);
	paillier_pair_free(pair);
}

static void check_refused(struct paillier_pair *pair, const struct paillier *key,
			  const uint8_t c[static PAILLIER_LEN], const char *why)
{
	uint8_t two[2][PAILLIER_LEN];
	const char *said;
	int64_t x = 1;

	assert_ok(paillier_encrypt(pair, &x, 1, two[0]));
	memcpy(two[1], c, PAILLIER_LEN);
	assert_null(paillier_vector_new(key, two[0], 2, &said));
	assert_string_equal(said, why);
	assert_string_equal(paillier_decrypt(pair, c, &x, 1), "it is no ciphertext of the key");
}

TEST(ciphertexts_out_of_range)
{
	const struct vector *v = &vectors[2];
	struct paillier_pair *pair = pair_of(v);
	struct paillier *key = public_of(pair);
	uint8_t c[PAILLIER_LEN] = { 0 };

	check_refused(pair, key, c, "it is out of range");
	memset(c, 0xff, sizeof(c));
	check_refused(pair, key, c, "it is out of range");
	memset(c, 0, sizeof(c));
	unhex(v->n, c + PAILLIER_KEY_LEN);
	check_refused(pair, key, c, "it has a factor in common with the key");
	memset(c, 0, sizeof(c));
	unhex(v->p, c + PAILLIER_LEN - PAILLIER_PRIME_LEN);
	check_refused(pair, key, c, "it has a factor in common with the key");
	paillier_free(key);
	paillier_pair_free(pair);
}

TEST(false_keys)
{
	uint8_t n[PAILLIER_KEY_LEN + 1];

	unhex(vectors[0].n, n);
	for (size_t len = 0; len <= sizeof(n); len++)
		if (len != PAILLIER_KEY_LEN)
			assert_string_equal(paillier_check((struct bytes){ n, len }),
					    "it is not of 2048 bits");
	n[PAILLIER_KEY_LEN - 1] ^= 1;
	assert_string_equal(paillier_check((struct bytes){ n, PAILLIER_KEY_LEN }), "it is even");
	n[PAILLIER_KEY_LEN - 1] ^= 1;
	n[0] &= 0x7f;
	assert_string_equal(paillier_check((struct bytes){ n, PAILLIER_KEY_LEN }),
			    "it is not of 2048 bits");
}
