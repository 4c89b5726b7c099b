/* Declined offers are counted by the hour; time is what the test says. */
#include "party/daemon/declines.h"
#include "tests/test.h"

#include <string.h>

#define MINUTE 60.0

TEST(test_up_to_the_bound)
{
	struct declines d = { 0 };

	for (int i = 0; i < 5; i++) {
		assert_ok(declines_check(&d, 5, i));
		declines_add(&d, 5, i);
	}
	assert_err(declines_check(&d, 5, 5), ERR_PEER,
		   "5 offers were declined within an hour, policy.max_declines is 5");
	assert_err(declines_check(&d, 5, 59 * MINUTE), ERR_PEER, "max_declines");
	/* the oldest is an hour old: one more, and no second one */
	assert_ok(declines_check(&d, 5, 60 * MINUTE));
	declines_add(&d, 5, 60 * MINUTE);
	assert_ok(declines_check(&d, 5, 60 * MINUTE + 1));
	declines_add(&d, 5, 60 * MINUTE + 1);
	assert_err(declines_check(&d, 5, 60 * MINUTE + 1.5), ERR_PEER, "max_declines");
}

/* Offers that are taken do not count. */
TEST(test_taken)
{
	struct declines d = { 0 };

	for (int i = 0; i < 1000; i++)
		assert_ok(declines_check(&d, 1, i));
}

/* An offer every ten seconds, for a day: at most 60 of any hour are considered. */
TEST(test_a_day)
{
	struct declines d = { 0 };
	unsigned considered = 0;

	for (int s = 0; s < 24 * 3600; s += 10)
		if (declines_check(&d, 60, s) == ERR_OK) {
			declines_add(&d, 60, s);
			considered++;
		}
	assert_int_equal(considered, 24 * 60);
}
