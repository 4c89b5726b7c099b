#include "tests/unit/linalg/sample.h"
#include "common/linalg/distance.h"

static double distance2(const struct mat *A, size_t i, const struct mat *B, size_t j)
{
	double sum = 0;

	for (size_t c = 0; c < A->cols; c++)
		sum += (MAT(A, i, c) - MAT(B, j, c)) * (MAT(A, i, c) - MAT(B, j, c));
	return sum;
}

/* Covers whole and partial blocks, few and many columns. */
TEST(against_the_formula)
{
	static const size_t shape[][3] = {
		{ 1, 1, 1 }, { 5, 3, 2 }, { 300, 7, 4 }, { 257, 40, 70 }
	};

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++) {
		struct mat A, B, K;

		sample_normal(&A, shape[s][0], shape[s][2], 1);
		sample_normal(&B, shape[s][1], shape[s][2], 2);
		kernel_gaussian(&A, &B, 1.7, 2, &K);
		assert_int_equal(K.rows, A.rows);
		assert_int_equal(K.cols, B.rows);
		for (size_t i = 0; i < A.rows; i++)
			for (size_t j = 0; j < B.rows; j++)
				assert_near(MAT(&K, i, j),
					    exp(-distance2(&A, i, &B, j) / (2 * 1.7 * 1.7)), 1e-13);
		mat_release(&K);
		mat_release(&B);
		mat_release(&A);
	}
}

TEST(of_itself)
{
	struct mat A, K;

	sample_normal(&A, 300, 33, 3);
	kernel_gaussian(&A, &A, 4, 2, &K);
	for (size_t i = 0; i < 300; i++) {
		assert_true(MAT(&K, i, i) == 1);
		for (size_t j = 0; j < i; j++)
			assert_true(MAT(&K, i, j) == MAT(&K, j, i));
	}
	mat_release(&K);
	mat_release(&A);
}

TEST(threads_do_not_matter)
{
	struct mat A, B, one, three;

	sample_normal(&A, 1000, 20, 4);
	sample_normal(&B, 31, 20, 5);
	kernel_gaussian(&A, &B, 3, 1, &one);
	kernel_gaussian(&A, &B, 3, 3, &three);
	assert_same_bits(&one, &three);
	assert_true(kernel_mean_distance(&A, 1) == kernel_mean_distance(&A, 3));
	mat_release(&three);
	mat_release(&one);
	mat_release(&B);
	mat_release(&A);
}

/* The points are corners of a 3-4-5 triangle: the mean distance is 2 (3 + 4 + 5) / 9. */
TEST(mean_distance)
{
	double corner[] = { 0, 0, 3, 0, 0, 4 };
	struct mat X = { 3, 2, corner }, Y;
	double sum = 0;

	assert_near(kernel_mean_distance(&X, 1), 24.0 / 9, 1e-14);
	sample_normal(&Y, 600, 5, 6);
	for (size_t i = 0; i < 600; i++)
		for (size_t j = 0; j < 600; j++)
			sum += sqrt(distance2(&Y, i, &Y, j));
	assert_near(kernel_mean_distance(&Y, 2), sum / 360000, 1e-10);
	mat_release(&Y);
}

/* If there are more than KERNEL_SAMPLE rows, the mean is over every k-th row. Here `twice` has each
 * row of the sample twice, so its mean is the same. */
TEST(sampled)
{
	struct mat X, twice;

	sample_normal(&X, KERNEL_SAMPLE, 2, 7);
	mat_init(&twice, 2 * KERNEL_SAMPLE, 2);
	for (size_t i = 0; i < twice.rows; i++)
		memcpy(ROW(&twice, i), ROW(&X, i / 2), 2 * sizeof(double));
	assert_true(kernel_mean_distance(&X, 1) == kernel_mean_distance(&twice, 1));
	mat_release(&twice);
	mat_release(&X);
}
