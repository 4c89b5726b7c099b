/* Computes powers in fewer steps by filter_steps, and compares them with pow() over the whole
 * spectrum. */
#include "tests/test.h"
#include "common/graph/filter_steps.h"

#include <math.h>

static double worst_of(const struct filter_steps *s, unsigned power)
{
	double worst = 0;

	for (int i = 0; i <= 5000; i++) {
		double t = i / 5000., off = fabs(filter_steps_at(s, t) - pow(t, power));

		worst = fmax(worst, off);
	}
	return worst;
}

TEST(powers)
{
	for (unsigned power = 1; power <= 1000; power += 1 + power / 40) {
		struct filter_steps s;

		filter_steps_init(&s, power);
		/* The roots of the polynomial passed the check of filter_steps_init(), which
		 * otherwise uses `power` plain steps. */
		assert_int_equal(s.count, filter_steps_count(power));
		assert_true(worst_of(&s, power) < 1e-10);
		/* The product of all steps is 1 at 1, as the power is. */
		assert_true(fabs(filter_steps_at(&s, 1) - 1) < 1e-13);
		filter_steps_release(&s);
	}
}

TEST(counts)
{
	assert_int_equal(filter_steps_count(0), 0);
	assert_int_equal(filter_steps_count(1), 1);
	assert_int_equal(filter_steps_count(20), 20);
	assert_int_equal(filter_steps_count(60), 37);
	assert_int_equal(filter_steps_count(120), 53);
	assert_int_equal(filter_steps_count(1000), 153);
}

TEST(plain_powers)
{
	struct filter_steps s;

	filter_steps_init(&s, 9);
	assert_int_equal(s.count, 9);
	for (size_t i = 0; i < s.count; i++)
		assert_true(s.step[i].scale == 1 && s.step[i].shift == 0 && s.step[i].back == 0);
	filter_steps_release(&s);
	filter_steps_init(&s, 0);
	assert_true(s.count == 0 && filter_steps_at(&s, 0.5) == 1);
	filter_steps_release(&s);
}

/* No partial product is much larger than the result, so rounding errors stay small. */
TEST(on_the_way)
{
	for (unsigned power = 30; power <= 240; power += 30) {
		struct filter_steps s;
		double most = 0;

		filter_steps_init(&s, power);
		assert_true(s.step[0].back == 0);
		for (size_t count = s.count; count > 0; count--) {
			struct filter_steps first = { .count = count, .step = s.step };

			for (int i = 0; i <= 1000; i++)
				most = fmax(most, fabs(filter_steps_at(&first, i / 1000.)));
		}
		assert_true(most < 300);
		filter_steps_release(&s);
	}
}
