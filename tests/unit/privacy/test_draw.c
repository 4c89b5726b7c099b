/* Tests drawing single numbers from a source of bytes. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"
#include "lab/pooled/seeded.h"

TEST(test_bytes)
{
	struct rng a, b;
	struct noise_source source = seeded_source(&a);
	uint64_t words[3], expected[3];
	uint8_t odd[13];

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

/* Every fetched number is used once, over several fetches. */
TEST(test_each_number_is_used_once)
{
	struct rng a, b;
	struct noise_source source = seeded_source(&a);
	uint64_t first[DRAW_WORDS], sum = 0, expected = 0;
	struct draw d;

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

TEST(test_bounds)
{
	enum { DRAWS = 300000, BOUND = 6 };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	double sum = 0, least = 1, most = 0;
	size_t count[BOUND] = { 0 };
	struct draw d;

	rng_seed(&rng, 7, 0);
	draw_init(&d, &source);
	for (int i = 0; i < DRAWS; i++)
		count[draw_below(&d, BOUND)]++;
	for (int i = 0; i < BOUND; i++) /* each count is within six standard deviations */
		assert_near((double)count[i], DRAWS / 6.0, 6 * sqrt(DRAWS / 6.0));
	/* The bound is three quarters of 2^32: if draws were taken modulo the bound without
	 * rejection, the first third of numbers would occur twice as often as the other numbers. */
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

TEST(test_failure)
{
	struct noise_source none = { .bytes = no_entropy };
	struct draw d;

	draw_init(&d, &none);
	assert_int_equal(draw_below(&d, 3), 0);
	assert_true(draw_u64(&d) == 0);
	assert_err(draw_end(&d), ERR_INTERNAL, "no entropy");
}
