/* Tests tags of broadcast sums: known answers, valid sums, and changed sums, which must fail. */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "crypto/tag.h"
#include "tests/unit/crypto/hex.h"

#include <string.h>

enum { PARTIES = 4, N = 700 };

static const uint64_t HALF = 1ULL << 63;       /* half of the modulus 2^64 of sums */
static const uint64_t OLD = (1ULL << 54) - 33; /* the prime of protocol version 6 */
static const uint64_t NEW = ~0ULL;             /* the prime p = 2^127 - 1, mod 2^64 */
static const size_t all[] = { 0, 1, 2, 3 };
static uint8_t key[TAG_KEY_LEN], session[TAG_SESSION_LEN];

static void make_key(void)
{
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)i, session[i] = (uint8_t)(100 + i);
}

/* ---- numbers mod p ---- */

static void test_numbers(void **state)
{
	static const uint8_t zero[TAG_LEN], one[TAG_LEN] = { 1 };
	uint8_t p[TAG_LEN], less[TAG_LEN], x[TAG_LEN];

	(void)state;
	memset(p, 0xff, sizeof(p));
	p[TAG_LEN - 1] = 0x7f;
	memcpy(less, p, sizeof(p));
	less[0] = 0xfe;
	assert_true(tag_is_number(zero));
	assert_true(tag_is_number(less));
	assert_false(tag_is_number(p));
	memset(x, 0, sizeof(x));
	x[TAG_LEN - 1] = 0x80;
	assert_false(tag_is_number(x));

	memcpy(x, less, sizeof(x)); /* mod p: p - 1 + 1 = 0, and 0 - 1 = p - 1 */
	tag_plus(x, one);
	assert_memory_equal(x, zero, sizeof(x));
	tag_minus(x, one);
	assert_memory_equal(x, less, sizeof(x));
	tag_plus(x, less); /* 2 p - 2 = p - 2 mod p */
	less[0] = 0xfd;
	assert_memory_equal(x, less, sizeof(x));
	tag_minus(x, zero);
	assert_memory_equal(x, less, sizeof(x));

	memset(x, 0xff, sizeof(x));
	tag_uniform(x); /* the top bit is cleared, and p becomes 0 */
	assert_memory_equal(x, zero, sizeof(x));
	x[TAG_LEN - 1] = 0xc0;
	tag_uniform(x);
	assert_int_equal(x[TAG_LEN - 1], 0x40);
}

/* ---- known answers: tests/vectors/tag.py ---- */

static uint64_t word(uint64_t i, uint64_t party)
{
	unsigned __int128 x = (unsigned __int128)(i * i) * 0x9E3779B97F4A7C15 + party;

	if (party == 255)
		return i % 3 ? HALF - 1 : HALF + 1;
	return (uint64_t)((int64_t)((uint64_t)x % (1ULL << 62)) - (1LL << 61));
}

static void test_known_answers(void **state)
{
	static const struct {
		uint32_t group;
		uint64_t number;
		size_t party, words;
		const char *tag;
	} known[] = {
#include "tests/vectors/tag.inc"
	};

	(void)state;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		struct tag *t =
		    tag_new(key, session, known[k].group, known[k].number, known[k].words);
		uint8_t tag[TAG_LEN], want[TAG_LEN];

		assert_int_equal(unhex(known[k].tag, want), sizeof(want));
		for (int again = 0; again < 2; again++) {
			for (size_t i = 0; i < known[k].words; i++) {
				uint64_t x = word(i, known[k].party);

				tag_add(t, &x, 1);
			}
			tag_make(t, known[k].party, tag);
			assert_memory_equal(tag, want, sizeof(tag));
		}
		tag_free(t);
	}
}

/* ---- sums ---- */

struct sum {
	uint64_t x[N];
	uint8_t tag[TAG_LEN];
	size_t count;
};

/* Makes terms that are small enough for an exact sum. Computes the tag of each term from pieces of
 * any length. */
static void make_sum(struct sum *s, size_t count, struct rng *rng)
{
	*s = (struct sum){ .count = count };
	for (size_t l = 0; l < PARTIES; l++) {
		struct tag *t = tag_new(key, session, 5, 9, count);
		uint8_t tau[TAG_LEN];
		size_t at = 0;

		while (at < count) {
			uint64_t piece[300];
			size_t n = rng_below(rng, count - at < 300 ? count - at : 300) + 1;

			for (size_t i = 0; i < n; i++) {
				piece[i] = (uint64_t)((int64_t)rng_u64(rng) >> 2);
				s->x[at + i] += piece[i];
			}
			tag_add(t, piece, n);
			at += n;
		}
		tag_make(t, l, tau);
		assert_true(tag_is_number(tau));
		tag_plus(s->tag, tau);
		tag_free(t);
	}
}

static bool holds_as(const struct sum *s, uint32_t group, uint64_t number, size_t parties)
{
	struct tag *t = tag_new(key, session, group, number, s->count);
	bool is;

	tag_add(t, s->x, s->count);
	is = tag_holds(t, all, parties, s->tag);
	tag_free(t);
	return is;
}

static bool holds(const struct sum *s)
{
	return holds_as(s, 5, 9, PARTIES);
}

static void test_sums_hold(void **state)
{
	static const size_t counts[] = { 1, 2, 255, 256, 257, 512, N };
	struct rng rng;
	struct sum s;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		make_sum(&s, counts[i], &rng);
		assert_true(holds(&s));
		assert_false(holds_as(&s, 5, 8, PARTIES)); /* another sum's number */
		assert_false(holds_as(&s, 6, 9, PARTIES));
		assert_false(holds_as(&s, 5, 9, PARTIES - 1)); /* a sum of fewer parties */
		session[0] ^= 1;                               /* a sum of another attempt */
		assert_false(holds(&s));
		session[0] ^= 1;
		key[0] ^= 1;
		assert_false(holds(&s));
		key[0] ^= 1;
		if (--s.count == 0)
			continue;
		s.x[s.count - 1] += s.x[s.count]; /* the sum is truncated */
		assert_false(holds(&s));
	}
}

/* Accepts a sum of one party whose words all have the largest magnitude and the same sign. */
static void test_largest_words(void **state)
{
	struct sum s = { .count = N };

	(void)state;
	for (int sign = 0; sign < 2; sign++) {
		struct tag *t = tag_new(key, session, 5, 9, N);

		for (size_t i = 0; i < N; i++)
			s.x[i] = sign ? HALF + 1 : HALF - 1;
		tag_add(t, s.x, N);
		tag_make(t, 0, s.tag);
		tag_add(t, s.x, N);
		assert_true(tag_holds(t, all, 1, s.tag));
		s.x[N - 1] += 2; /* 2^63 - 1 becomes 1 - 2^63; 1 - 2^63 becomes 3 - 2^63 */
		tag_add(t, s.x, N);
		assert_false(tag_holds(t, all, 1, s.tag));
		tag_free(t);
	}
}

/* Refuses the word -2^63 (HALF) at every place. */
static void test_range_of_words(void **state)
{
	uint64_t x[3] = { HALF - 1, HALF + 1, 0 };

	(void)state;
	assert_true(tag_in_range(x, 3));
	for (size_t i = 0; i < 3; i++) {
		uint64_t was = x[i];

		x[i] = HALF;
		assert_false(tag_in_range(x, 3));
		x[i] = was;
	}
}

static void change(struct sum *s, size_t at, uint64_t by)
{
	s->x[at] += by;
	if (holds(s))
		fail_msg("word %zu and %#llx: not found", at, (unsigned long long)by);
	s->x[at] -= by;
}

/* Finds each change of one word: by multiples of OLD and NEW, by powers of two, by HALF, and by
 * random odd numbers. */
static void test_changed_words_are_found(void **state)
{
	struct rng rng;
	struct sum s;

	(void)state;
	rng_seed(&rng, 2, 0);
	make_sum(&s, N, &rng);
	for (unsigned bit = 0; bit < 64; bit++) {
		change(&s, rng_below(&rng, N), 1ULL << bit);
		change(&s, rng_below(&rng, N), -(1ULL << bit));
	}
	for (uint64_t k = 1; k < 1024; k = 2 * k + 1) {
		change(&s, rng_below(&rng, N), k * OLD);
		change(&s, rng_below(&rng, N), -(k * OLD));
		change(&s, rng_below(&rng, N), k * NEW);
		change(&s, rng_below(&rng, N), -(k * NEW));
	}
	change(&s, N - 1, HALF);
	for (size_t i = 0; i < 100; i++)
		change(&s, rng_below(&rng, N), rng_u64(&rng) | 1);
	assert_true(holds(&s));
}

/* Finds words that are exchanged, within a block or between blocks, a repeated word, two words
 * changed by 1 and -1, and the negation of all words. */
static void test_order_matters(void **state)
{
	static const size_t other[] = { 1, 255, 256, 512, N - 1 };
	struct rng rng;
	struct sum s;

	(void)state;
	rng_seed(&rng, 3, 0);
	make_sum(&s, N, &rng);
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		uint64_t first = s.x[0], second = s.x[other[i]];

		s.x[0] = second;
		assert_false(holds(&s)); /* one word twice */
		s.x[other[i]] = first;
		assert_false(holds(&s));
		s.x[0] = first;
		s.x[other[i]] = second;
	}
	s.x[3]++, s.x[4]--; /* the sum of all words does not change */
	assert_false(holds(&s));
	s.x[3]--, s.x[4]++;
	for (size_t i = 0; i < N; i++)
		s.x[i] = -s.x[i];
	assert_false(holds(&s));
}

static void test_changed_tags_are_found(void **state)
{
	static const uint8_t one[TAG_LEN] = { 1 };
	struct rng rng;
	struct sum s;

	(void)state;
	rng_seed(&rng, 4, 0);
	make_sum(&s, N, &rng);
	for (unsigned bit = 0; bit < 8 * TAG_LEN; bit++) {
		s.tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(holds(&s));
		s.tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	tag_plus(s.tag, one);
	assert_false(holds(&s));
	tag_minus(s.tag, one);
	assert_true(holds(&s));
}

/* Requires (tag of x + y) - (tag of x) = (tag of y) - (tag of 0), with words as integers. */
static void test_linear(void **state)
{
	static uint64_t x[N], y[N], both[N], none[N];
	uint8_t left[TAG_LEN], right[TAG_LEN], tau[TAG_LEN];
	struct tag *t = tag_new(key, session, 0, 0, N);
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5, 0);
	for (size_t i = 0; i < N; i++) {
		x[i] = (uint64_t)((int64_t)rng_u64(&rng) >> 1);
		y[i] = (uint64_t)((int64_t)rng_u64(&rng) >> 1);
		both[i] = x[i] + y[i];
	}
	tag_add(t, both, N);
	tag_make(t, 2, left);
	tag_add(t, x, N);
	tag_make(t, 2, tau);
	tag_minus(left, tau);
	tag_add(t, y, N);
	tag_make(t, 2, right);
	tag_add(t, none, N);
	tag_make(t, 2, tau);
	tag_minus(right, tau);
	assert_memory_equal(left, right, sizeof(left));
	tag_free(t);
}

/* Offsets hide the words: the parties' tags of equal words all differ. */
static void test_tags_hide(void **state)
{
	uint8_t seen[PARTIES][TAG_LEN];
	uint64_t zero = 0;

	(void)state;
	for (size_t l = 0; l < PARTIES; l++) {
		struct tag *t = tag_new(key, session, 5, 9, 1);

		tag_add(t, &zero, 1);
		tag_make(t, l, seen[l]);
		tag_free(t);
		assert_true(tag_is_number(seen[l]));
		for (size_t j = 0; j < l; j++)
			assert_memory_not_equal(seen[l], seen[j], TAG_LEN);
	}
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_sums_hold),
		cmocka_unit_test(test_largest_words),
		cmocka_unit_test(test_range_of_words),
		cmocka_unit_test(test_changed_words_are_found),
		cmocka_unit_test(test_order_matters),
		cmocka_unit_test(test_changed_tags_are_found),
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_tags_hide),
	};

	make_key();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
