#include "common/linalg/la.h"
#include "tests/unit/linalg/sample.h"
#include "cli/report/pca.h"

/* Points are around `mean`, up to 3 away along axis[0] and up to 1 along axis[1], with no spread
 * along a third axis. The sum of squares is 20: 18 along axis[0] and 2 along axis[1]. */
TEST(spreads_by_hand)
{
	static const double along[6][2] = { { 3, 0 }, { -3, 0 }, { 0, -1 },
					    { 0, 1 }, { 0, 0 },  { 0, 0 } };
	static const double axis[2][3] = { { 0.6, 0, 0.8 }, { 0, 1, 0 } };
	static const double mean[3] = { 10, -20, 30 };
	struct mat X, Y;
	double share[2];

	mat_init(&X, 6, 3);
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 3; j++)
			MAT(&X, i, j) =
			    mean[j] + along[i][0] * axis[0][j] + along[i][1] * axis[1][j];
	assert_ok(pca_plane(&X, 1, &Y, share));
	assert_int_equal(Y.rows, 6);
	assert_int_equal(Y.cols, 2);
	assert_near(share[0], 0.9, 1e-12);
	assert_near(share[1], 0.1, 1e-12);
	for (int i = 0; i < 6; i++) {
		assert_near(fabs(MAT(&Y, i, 0)), fabs(along[i][0]), 1e-12);
		assert_near(fabs(MAT(&Y, i, 1)), fabs(along[i][1]), 1e-12);
	}
	assert_near(MAT(&Y, 0, 0) + MAT(&Y, 1, 0), 0, 1e-12);
	assert_near(MAT(&Y, 2, 1) + MAT(&Y, 3, 1), 0, 1e-12);
	mat_release(&Y);
	mat_release(&X);
}

/* The entry of largest magnitude of each direction, which is proportional to X'Y, is positive, for
 * either sign of the data. */
TEST(signs)
{
	struct mat X, Y, D;
	double share[2];

	for (int sign = -1; sign <= 1; sign += 2) {
		sample_normal(&X, 30, 4, 5);
		for (size_t i = 0; i < 30 * 4; i++)
			X.a[i] *= sign * (1 + (double)(i % 4));
		assert_ok(pca_plane(&X, 1, &Y, share));
		la_mul_tn(&X, &Y, 1, &D);
		for (int c = 0; c < 2; c++) {
			double largest = 0;

			for (int j = 0; j < 4; j++)
				if (fabs(MAT(&D, j, c)) > fabs(largest))
					largest = MAT(&D, j, c);
			assert_true(largest > 0);
		}
		mat_release(&D);
		mat_release(&Y);
		mat_release(&X);
	}
}

/* Without spread, coordinates are zero. */
TEST(nothing_spread)
{
	struct mat X, Y;
	double share[2];

	for (size_t n = 1; n <= 7; n += 3) {
		mat_init(&X, n, 3);
		for (size_t i = 0; i < n * 3; i++)
			X.a[i] = 0.1 * (double)(1 + i % 3); /* rounding affects the means */
		assert_ok(pca_plane(&X, 1, &Y, share));
		assert_int_equal(Y.rows, n);
		for (size_t i = 0; i < n * 2; i++)
			assert_true(Y.a[i] == 0);
		assert_true(share[0] == 0 && share[1] == 0);
		mat_release(&Y);
		mat_release(&X);
	}
}

TEST(one_column)
{
	struct mat X, Y;
	double share[2];

	mat_init(&X, 3, 1);
	X.a[0] = 5;
	X.a[1] = 2;
	X.a[2] = 2;
	assert_ok(pca_plane(&X, 1, &Y, share));
	for (int i = 0; i < 3; i++) {
		assert_near(MAT(&Y, i, 0), X.a[i] - 3, 1e-14);
		assert_true(MAT(&Y, i, 1) == 0);
	}
	assert_near(share[0], 1, 1e-14);
	assert_true(share[1] == 0);
	mat_release(&Y);
	mat_release(&X);
}

TEST(too_large)
{
	struct mat X, Y;
	double share[2];

	sample_normal(&X, 10, 4, 1);
	X.a[7] = 1e200;
	assert_err(pca_plane(&X, 1, &Y, share), ERR_INPUT, "too large");
	mat_release(&X);
}
