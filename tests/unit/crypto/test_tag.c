/* Tags of sums that parties are told: known answers, what holds, and that nothing else does. */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "crypto/tag.h"

#include <stdlib.h>

enum { PARTIES = 4, N = 700 };

static uint8_t key[TAG_KEY_LEN];

static void make_key(void)
{
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)i;
}

/* ---- known answers: tests/vectors/tag.py ---- */

static uint64_t word(uint64_t i, uint64_t party)
{
	unsigned __int128 x = (unsigned __int128)(i * i) * 0x9E3779B97F4A7C15 + party;

	return i == 3 ? 1ULL << 63
		      : (uint64_t)((int64_t)((uint64_t)x % (1ULL << 62)) - (1LL << 61));
}

static void test_known_answers(void **state)
{
	static const struct {
		uint32_t group;
		uint64_t number;
		size_t party, words;
		uint64_t tag[TAG_WORDS];
	} known[] = {
#include "tests/vectors/tag.inc"
	};

	(void)state;
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		struct tag *t = tag_new(key, known[k].group, known[k].number, known[k].words);
		uint64_t tag[TAG_WORDS];

		for (size_t i = 0; i < known[k].words; i++) {
			uint64_t x = word(i, known[k].party);

			tag_add(t, &x, 1);
		}
		tag_make(t, known[k].party, tag);
		assert_memory_equal(tag, known[k].tag, sizeof(tag));
		tag_free(t);
	}
}

/* ---- sums ---- */

struct sum {
	uint64_t x[N], tag[TAG_WORDS];
	size_t count;
};

/* Terms so small that a sum is one of integers, and their tags; in pieces of any length. */
static void make_sum(struct sum *s, size_t count, struct rng *rng)
{
	*s = (struct sum){ .count = count };
	for (size_t l = 0; l < PARTIES; l++) {
		struct tag *t = tag_new(key, 5, 9, count);
		uint64_t tau[TAG_WORDS];
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
		for (size_t i = 0; i < TAG_WORDS; i++)
			s->tag[i] += tau[i];
		tag_free(t);
	}
}

static bool holds(const struct sum *s, uint64_t number, size_t parties)
{
	struct tag *t = tag_new(key, 5, number, s->count);
	const size_t all[] = { 0, 1, 2, 3 };
	bool is;

	tag_add(t, s->x, s->count);
	is = tag_holds(t, all, parties, s->tag);
	tag_free(t);
	return is;
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
		assert_true(holds(&s, 9, PARTIES));
		assert_false(holds(&s, 8, PARTIES));     /* another sum's */
		assert_false(holds(&s, 9, PARTIES - 1)); /* of fewer parties */
	}
}

/* Each bit of a few words and of the tags. A change of a tag by p is none. */
static void test_changes_are_found(void **state)
{
	struct rng rng;
	struct sum s;

	(void)state;
	rng_seed(&rng, 2, 0);
	make_sum(&s, N, &rng);
	for (unsigned bit = 0; bit < 64; bit++) {
		size_t at = rng_below(&rng, N);

		s.x[at] ^= 1ULL << bit;
		assert_false(holds(&s, 9, PARTIES));
		s.x[at] ^= 1ULL << bit;
		for (size_t i = 0; i < TAG_WORDS; i++) {
			s.tag[i] ^= 1ULL << bit;
			assert_false(holds(&s, 9, PARTIES));
			s.tag[i] ^= 1ULL << bit;
		}
	}
	s.x[3]++, s.x[4]--; /* what a plain sum would not notice */
	assert_false(holds(&s, 9, PARTIES));
	s.x[3]--, s.x[4]++;
	s.tag[0] += TAG_PRIME;
	assert_true(holds(&s, 9, PARTIES));
}

/* Two words changed places, of all words the same but two. */
static void test_order_matters(void **state)
{
	struct sum s = { .count = 2, .x = { 1, 2 } };
	struct tag *t = tag_new(key, 5, 9, 2);

	(void)state;
	tag_add(t, s.x, 2);
	for (size_t l = 0; l < 1; l++)
		tag_make(t, l, s.tag);
	tag_free(t);
	assert_true(holds(&s, 9, 1));
	s.x[0] = 2;
	s.x[1] = 1;
	assert_false(holds(&s, 9, 1));
}

/* Offsets hide the words: of the same words each party's tags look drawn. */
static void test_tags_hide(void **state)
{
	uint64_t seen[PARTIES][TAG_WORDS], zero = 0;

	(void)state;
	for (size_t l = 0; l < PARTIES; l++) {
		struct tag *t = tag_new(key, 5, 9, 1);

		tag_add(t, &zero, 1);
		tag_make(t, l, seen[l]);
		tag_free(t);
		for (size_t i = 0; i < TAG_WORDS; i++) {
			assert_true(seen[l][i] < TAG_PRIME);
			for (size_t j = 0; j < l; j++)
				assert_true(seen[l][i] != seen[j][i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),     cmocka_unit_test(test_sums_hold),
		cmocka_unit_test(test_changes_are_found), cmocka_unit_test(test_order_matters),
		cmocka_unit_test(test_tags_hide),
	};

	make_key();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
