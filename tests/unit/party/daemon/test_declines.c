/* After 60 declined offers within an hour the party considers no further offer. The test sets the
 * time. */
#include "party/daemon/declines.h"
#include "tests/test.h"

#include <string.h>

#define MINUTE 60.0

TEST(test_up_to_the_bound)
{
	struct declines d = { 0 };

	for (int i = 0; i < DECLINES_MAX; i++) {
		assert_ok(declines_check(&d, i / 100.0));
		declines_add(&d, i / 100.0);
	}
	assert_err(declines_check(&d, 5), ERR_PEER, "60 offers were declined within an hour");
	assert_err(declines_check(&d, 59 * MINUTE), ERR_PEER, "for 60 s more no offer");
	/* the oldest declined offer is an hour old, so one more offer is possible, but not two */
	assert_ok(declines_check(&d, 60 * MINUTE));
	declines_add(&d, 60 * MINUTE);
	assert_err(declines_check(&d, 60 * MINUTE + 0.005), ERR_PEER, "60 offers");
}

/* Accepted offers do not count. */
TEST(test_taken)
{
	struct declines d = { 0 };

	for (int i = 0; i < 1000; i++)
		assert_ok(declines_check(&d, i));
}

/* Makes an offer every ten seconds for a day: the party considers at most 60 an hour. */
TEST(test_a_day)
{
	struct declines d = { 0 };
	unsigned considered = 0;

	for (int s = 0; s < 24 * 3600; s += 10)
		if (declines_check(&d, s) == ERR_OK) {
			declines_add(&d, s);
			considered++;
		}
	assert_int_equal(considered, 24 * 60);
}
