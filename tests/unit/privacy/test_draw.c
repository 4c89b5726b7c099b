/* Numbers one at a time from a source of bytes. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"
#include "lab/pooled/seeded.h"

static void test_bytes(void **state)
{
	struct rng a, b;
	struct noise_source source = seeded_source(&a);
	uint64_t words[3], expected[3];
	uint8_t odd[13];

	(void)state;
	rng_seed(&a, 5, 0);
	rng_seed(&b, 5, 0);
	assert_ok(source.bytes(source.ctx, words, sizeof(words)));
	for (int i = 0; i < 3; i++)
		expected[i] = rng_u64(&b);
	assert_memory_equal(words, expected, sizeof(words));
	assert_ok(source.bytes(source.ctx, odd, sizeof(odd)));
	expected[0] = rng_u64(&b);
	assert_memory_equal(odd, expected, 8);
}

/* Every number of a fetch is used once, over more fetches than one. */
static void test_each_number_is_used_once(void **state)
{
	struct rng a, b;
	struct noise_source source = seeded_source(&a);
	uint64_t first[DRAW_WORDS], sum = 0, expected = 0;
	struct draw d;

	(void)state;
	rng_seed(&a, 6, 0);
	rng_seed(&b, 6, 0);
	draw_init(&d, &source);
	for (int i = 0; i < DRAW_WORDS; i++)
		first[i] = draw_u64(&d);
	for (int i = 0; i < 2 * DRAW_WORDS; i++)
		sum += draw_u64(&d);
	for (int i = 0; i < DRAW_WORDS; i++)
		assert_true(first[DRAW_WORDS - 1 - i] == rng_u64(&b));
	for (int i = 0; i < 2 * DRAW_WORDS; i++)
		expected += rng_u64(&b);
	assert_true(sum == expected);
	assert_ok(draw_end(&d));
	for (int i = 0; i < DRAW_WORDS; i++)
		assert_true(d.word[i] == 0);
}

static void test_bounds(void **state)
{
	enum { DRAWS = 300000, BOUND = 6 };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	double sum = 0, least = 1, most = 0;
	size_t count[BOUND] = { 0 };
	struct draw d;

	(void)state;
	rng_seed(&rng, 7, 0);
	draw_init(&d, &source);
	for (int i = 0; i < DRAWS; i++)
		count[draw_below(&d, BOUND)]++;
	for (int i = 0; i < BOUND; i++) /* six standard deviations */
		assert_near((double)count[i], DRAWS / 6.0, 6 * sqrt(DRAWS / 6.0));
	/* 3 2^30 is three quarters of all words: without rejection the first third of numbers
	 * would come twice as often as the others. */
	count[0] = 0;
	for (int i = 0; i < DRAWS; i++)
		count[0] += draw_below(&d, 3u << 30) < 1u << 30;
	assert_near((double)count[0], DRAWS / 3.0, 6 * sqrt(DRAWS / 3.0));
	for (int i = 0; i < DRAWS; i++) {
		double x = draw_unit(&d), y = draw_unit_above(&d);

		assert_true(x >= 0 && x < 1 && y > 0 && y <= 1);
		sum += x;
		least = fmin(least, x);
		most = fmax(most, x);
	}
	assert_near(sum / DRAWS, 0.5, 0.005);
	assert_true(least < 1e-3 && most > 0.999);
	assert_int_equal(draw_below(&d, 1), 0);
	assert_ok(draw_end(&d));
}

static void test_failure(void **state)
{
	struct noise_source none = { .bytes = no_entropy };
	struct draw d;

	(void)state;
	draw_init(&d, &none);
	assert_int_equal(draw_below(&d, 3), 0);
	assert_true(draw_u64(&d) == 0);
	assert_err(draw_end(&d), ERR_INTERNAL, "no entropy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_each_number_is_used_once),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
