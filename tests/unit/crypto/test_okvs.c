/* Tests tables that store values by key: known answers, reads, sums of tables, and sets of keys
 * that fit into no table. */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "crypto/hash.h"
#include "crypto/okvs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vectors/okvs.inc"

static void formula_key(size_t i, uint8_t *key)
{
	uint8_t hash[SHA256_LEN];
	char text[32];

	snprintf(text, sizeof(text), "key %zu", i);
	sha256_of(text, strlen(text), hash);
	memcpy(key, hash, OKVS_KEY_LEN);
}

static uint64_t formula_value(size_t i)
{
	return (i + 1) * 0x9E3779B97F4A7C15;
}

/* ---- known answers: tests/vectors/okvs.py ---- */

TEST(test_words)
{
	for (size_t i = 0; i < sizeof(known_words) / sizeof(*known_words); i++)
		assert_int_equal(okvs_words(known_words[i].n), known_words[i].words);
}

/* Checks the three places of a key: a table with a different bit at each of the three, and 0 at all
 * other places, gives all three bits. */
TEST(test_places)
{
	uint8_t key[OKVS_KEY_LEN];

	for (size_t i = 0; i < sizeof(known_places) / sizeof(*known_places); i++) {
		size_t words = known_places[i].words;
		uint64_t *table = alloc(words, sizeof(*table));

		formula_key(i, key);
		for (unsigned p = 0; p < 3; p++)
			table[known_places[i].place[p]] = 1u << 4 * p;
		assert_int_equal(okvs_read(table, words, key), 0x111);
		free(table);
	}
}

TEST(test_known_table)
{
	uint8_t key[OKVS_KEY_LEN];

	for (size_t i = 0; i < 20; i++) {
		formula_key(i, key);
		assert_int_equal(okvs_read(known_table, okvs_words(20), key), formula_value(i));
	}
	formula_key(20, key);
	assert_int_not_equal(okvs_read(known_table, okvs_words(20), key), formula_value(20));
}

TEST(test_shares)
{
	uint8_t prf[OKVS_PRF_KEY_LEN], key[4][OKVS_KEY_LEN];
	uint64_t value[4] = { 1, 2, 3, 4 };

	for (size_t i = 0; i < sizeof(prf); i++)
		prf[i] = (uint8_t)i;
	for (size_t i = 0; i < 4; i++)
		formula_key(i, key[i]);
	okvs_share(prf, key, 4, 1, value);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(value[i], known_share[i] + i + 1);
	okvs_share(prf, key, 4, -1, value);
	okvs_share(prf, key, 4, -1, value);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(value[i], i + 1 - known_share[i]);
}

/* ---- tables ---- */

static void random_keys(struct rng *rng, uint8_t (*key)[OKVS_KEY_LEN], size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t half = 0; half < 2; half++) {
			uint64_t word = rng_u64(rng);

			memcpy(key[i] + 8 * half, &word, sizeof(word));
		}
}

/* Reads the right value for every key, and other values for other keys, with any number of keys and
 * with spare room. */
TEST(test_reads)
{
	static const size_t count[] = { 0, 1, 2, 129, 192, 1000, 5000, 70001 };
	struct rng rng;

	rng_seed(&rng, 7, 0);
	for (size_t c = 0; c < sizeof(count) / sizeof(*count); c++) {
		size_t n = count[c], words = okvs_words(n + c % 2 * 500), wrong = 0;
		uint8_t(*key)[OKVS_KEY_LEN] = alloc(n + 100, sizeof(*key));
		uint64_t *value = alloc(n + 100, sizeof(*value)), *table;
		struct okvs *o = NULL;

		table = alloc(words, sizeof(*table));
		while (!o) { /* about one set in a thousand does not fit */
			random_keys(&rng, key, n + 100);
			o = okvs_peel(key, n, words);
		}
		for (size_t i = 0; i < n + 100; i++)
			value[i] = rng_u64(&rng);
		assert_ok(okvs_make(o, value, table));
		for (size_t i = 0; i < n + 100; i++)
			wrong += (okvs_read(table, words, key[i]) == value[i]) != (i < n);
		assert_int_equal(wrong, 0);
		okvs_free(o);
		free(table);
		free(value);
		free(key);
	}
}

/* Each party's table has shares of zero for its keys. The value in the sum of all tables is 0 for
 * the keys that all parties have, and for no other key. */
TEST(test_sum)
{
	enum { PARTIES = 5, COMMON = 300, OWN = 200, N = COMMON + 2 * OWN };
	uint8_t prf[PARTIES][PARTIES][OKVS_PRF_KEY_LEN];
	size_t words = okvs_words(N), zeros = 0;
	uint64_t *sum = alloc(words, sizeof(*sum)), *table = alloc(words, sizeof(*table));
	uint8_t(*key)[OKVS_KEY_LEN] = alloc(PARTIES * N, sizeof(*key));
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (size_t i = 0; i < PARTIES; i++)
		random_keys(&rng, (uint8_t(*)[OKVS_KEY_LEN])prf[i], PARTIES);
	random_keys(&rng, key, COMMON);
	/* party l shares OWN keys with the party before it, and OWN with the one after it */
	for (size_t l = 0; l < PARTIES; l++) {
		memcpy(key[l * N], key[0], COMMON * OKVS_KEY_LEN);
		random_keys(&rng, key + l * N + COMMON, 2 * OWN);
		if (l)
			memcpy(key[l * N + COMMON], key[(l - 1) * N + COMMON + OWN],
			       OWN * OKVS_KEY_LEN);
	}
	for (size_t l = 0; l < PARTIES; l++) {
		uint64_t value[N] = { 0 };
		struct okvs *o = okvs_peel(key + l * N, N, words);

		assert_non_null(o);
		for (size_t j = 0; j < PARTIES; j++)
			if (j != l)
				okvs_share(prf[l < j ? l : j][l < j ? j : l], key + l * N, N,
					   l < j ? 1 : -1, value);
		assert_ok(okvs_make(o, value, table));
		for (size_t j = 0; j < words; j++)
			sum[j] += table[j];
		okvs_free(o);
	}
	for (size_t i = 0; i < PARTIES * N; i++) {
		bool common = i % N < COMMON;

		assert_int_equal(okvs_read(sum, words, key[i]) == 0, common);
		zeros += common;
	}
	assert_int_equal(zeros, PARTIES * COMMON);
	free(key);
	free(table);
	free(sum);
}

/* Builds no table for a repeated key, if one place has more keys than the counter allows, or if
 * there are more keys than words. */
TEST(test_knots)
{
	enum { N = 600 };
	uint8_t key[N][OKVS_KEY_LEN];
	struct rng rng;
	struct okvs *o;

	rng_seed(&rng, 5, 0);
	random_keys(&rng, key, N);
	o = okvs_peel(key, N, okvs_words(N));
	assert_non_null(o);
	okvs_free(o);
	memcpy(key[N - 1], key[17], OKVS_KEY_LEN);
	assert_null(okvs_peel(key, N, okvs_words(N)));
	for (size_t i = 0; i < N; i++)
		memset(key[i], 0xff, 4); /* all share their first place */
	assert_null(okvs_peel(key, N, okvs_words(N)));
	assert_null(okvs_peel(key, 4, 3)); /* more keys than words */
}

/* Fills free places at random each time, so two tables of the same values differ in every word. */
TEST(test_free_places)
{
	enum { N = 50 };
	size_t words = okvs_words(N), same = 0;
	uint8_t key[N][OKVS_KEY_LEN];
	uint64_t value[N] = { 0 }, *one = alloc(words, 8), *other = alloc(words, 8);
	struct rng rng;
	struct okvs *o;

	rng_seed(&rng, 9, 0);
	random_keys(&rng, key, N);
	o = okvs_peel(key, N, words);
	assert_non_null(o);
	assert_ok(okvs_make(o, value, one));
	assert_ok(okvs_make(o, value, other));
	for (size_t j = 0; j < words; j++)
		same += one[j] == other[j];
	assert_int_equal(same, 0);
	okvs_free(o);
	free(one);
	free(other);
}

/* Sorts keys with their numbers, even if many keys begin with the same bytes. */
TEST(test_sort)
{
	enum { N = 5000 };
	uint8_t(*key)[OKVS_KEY_LEN] = alloc(N, sizeof(*key)), (*was)[OKVS_KEY_LEN];
	uint32_t number[N];
	struct rng rng;

	rng_seed(&rng, 11, 0);
	random_keys(&rng, key, N);
	/* half of the keys have a common start, of various lengths */
	for (size_t i = 0; i < N; i += 2)
		memset(key[i], 7, i % (OKVS_KEY_LEN + 1));
	was = alloc(N, sizeof(*was));
	memcpy(was, key, N * sizeof(*was));
	for (uint32_t i = 0; i < N; i++)
		number[i] = i;
	okvs_sort(key, number, N);
	for (size_t i = 0; i < N; i++) {
		assert_memory_equal(key[i], was[number[i]], OKVS_KEY_LEN);
		assert_true(i == 0 || memcmp(key[i - 1], key[i], OKVS_KEY_LEN) <= 0);
	}
	free(was);
	free(key);
}
