#include "tests/test.h"

#include "common/base/clock.h"
#include "proto/backoff.h"

TEST(test_longer_and_longer)
{
	struct backoff b;
	uint64_t most = BACKOFF_FIRST_MS;

	backoff_begin(&b, 1e6);
	for (int i = 0; i < 20; i++) {
		uint64_t wait = backoff_next_ms(&b);

		assert_in_range(wait, most / 2, most);
		most = 2 * most < BACKOFF_MAX_MS ? 2 * most : BACKOFF_MAX_MS;
	}
	assert_int_equal(most, BACKOFF_MAX_MS);
	assert_true(backoff_passed_s(&b) >= 0);
}

TEST(test_chance)
{
	uint64_t first, least = UINT64_MAX, largest = 0;
	struct backoff b;

	backoff_begin(&b, 1e6);
	for (int i = 0; i < 10; i++)
		backoff_next_ms(&b);
	for (int i = 0; i < 200; i++) {
		first = backoff_next_ms(&b);
		least = first < least ? first : least;
		largest = first > largest ? first : largest;
	}
	assert_true(least < 3000 && largest > 4500); /* all delays are between 2500 and 5000 */
}

/* A delay never exceeds the time left; without time left it is 0. */
TEST(test_limit)
{
	struct backoff b;

	backoff_begin(&b, 1000);
	assert_in_range(backoff_left_ms(&b), 1, 1000000);
	b.until_s = clock_now_s() + 1;
	b.next_ms = BACKOFF_MAX_MS;
	assert_in_range(backoff_next_ms(&b), 0, 1000);
	backoff_begin(&b, 0);
	assert_int_equal(backoff_left_ms(&b), 0);
	assert_int_equal(backoff_next_ms(&b), 0);
}
