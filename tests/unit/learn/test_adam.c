/* Tests Adam: its first steps by hand, and that it reduces a function. */
#include "tests/test.h"

#include "common/learn/gin.h"

#include <math.h>

/* Moments start at 0, and each step corrects the bias of that start. The first step has the length
 * of the rate for any gradient. The second step, with gradient 0, is 0.9/1.9 / sqrt(0.999/1.999) of
 * the first step. */
TEST(test_first_two_steps_by_hand)
{
	float x[3] = { 1, 1, 1 }, g[3] = { 5, -1e-3F, 0 };
	struct adam a;
	double second = 0.9 / 1.9 / sqrt(0.999 / 1.999);

	adam_init(&a, 3);
	adam_step(&a, 0.01, g, x);
	assert_float_equal(x[0], 0.99, 1e-6);
	assert_float_equal(x[1], 1.01, 1e-6);
	assert_float_equal(x[2], 1, 0);
	g[0] = g[1] = 0;
	adam_step(&a, 0.01, g, x);
	assert_float_equal(x[0], 0.99 - 0.01 * second, 1e-6);
	assert_float_equal(x[1], 1.01 + 0.01 * second, 1e-6);
	adam_release(&a);
}

TEST(test_minimum)
{
	float x[2] = { 3, -2 };
	struct adam a;

	adam_init(&a, 2);
	for (int t = 0; t < 3000; t++) {
		float g[2] = { 2 * (x[0] - 1), 200 * (x[1] - 1) };

		adam_step(&a, 0.01, g, x);
	}
	assert_float_equal(x[0], 1, 1e-2);
	assert_float_equal(x[1], 1, 1e-2);
	adam_release(&a);
}
