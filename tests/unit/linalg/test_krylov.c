/* Tests singular vectors of linear maps whose singular vectors are known. */
#include "tests/unit/linalg/sample.h"
#include "common/linalg/svd.h"

/* A diagonal matrix, rows x cols. Its singular values are `sigma`, and its singular vectors are the
 * unit vectors. */
struct diagonal {
	struct linear_map map;
	double *sigma;
	unsigned products;
};

static void multiply(void *ctx, const struct mat *in, struct mat *out)
{
	const struct diagonal *a = ctx;

	mat_init(out, in->rows, a->map.rows);
	for (size_t i = 0; i < in->rows; i++)
		for (size_t j = 0; j < in->cols && j < a->map.rows; j++)
			MAT(out, i, j) = a->sigma[j] * MAT(in, i, j);
}

static void square(void *ctx, const struct mat *in, struct mat *out)
{
	struct diagonal *a = ctx;

	a->products++;
	mat_init(out, in->rows, in->cols);
	for (size_t i = 0; i < in->rows; i++)
		for (size_t j = 0; j < in->cols && j < a->map.rows; j++)
			MAT(out, i, j) = a->sigma[j] * a->sigma[j] * MAT(in, i, j);
}

static void diagonal_init(struct diagonal *a, size_t rows, size_t cols)
{
	*a = (struct diagonal){ .map = { .rows = rows,
					 .cols = cols,
					 .ctx = a,
					 .multiply = multiply,
					 .square = square } };
	ALLOC(a->sigma, cols);
}

/* Makes a diagonal matrix whose singular values fall as slowly as those of real features: 1 /
 * sqrt(1 + j). */
static void slow(struct diagonal *a, size_t rows, size_t cols)
{
	diagonal_init(a, rows, cols);
	for (size_t j = 0; j < cols; j++)
		a->sigma[j] = 1 / sqrt(1. + (double)j);
}

static void assert_orthonormal(const struct mat *P)
{
	for (size_t i = 0; i < P->rows; i++)
		for (size_t j = 0; j <= i; j++) {
			double inner = 0;

			for (size_t c = 0; c < P->cols; c++)
				inner += MAT(P, i, c) * MAT(P, j, c);
			assert_near(inner, i == j, 1e-12);
		}
}

/* Returns the norm of the part of P's rows outside the first `inside` coordinates. */
static double outside(const struct mat *P, size_t inside)
{
	double sum = 0;

	for (size_t i = 0; i < P->rows; i++)
		for (size_t j = inside; j < P->cols; j++)
			sum += MAT(P, i, j) * MAT(P, i, j);
	return sqrt(sum);
}

/* Checks the d leading singular vectors of `a`, which lie in the first d coordinates, and the d
 * largest singular values. */
static void check(struct diagonal *a, size_t d)
{
	double *sigma = alloc(d, sizeof(*sigma));
	bool settled = false;
	struct mat P, U, map;

	assert_ok(krylov_right(&a->map, d, 1, &P, &settled));
	assert_true(settled);
	assert_int_equal(P.rows, d);
	assert_int_equal(P.cols, a->map.cols);
	assert_orthonormal(&P);
	if (outside(&P, d) > 1e-6)
		fail_msg("%zu of %zu x %zu: off by %.3g", d, a->map.rows, a->map.cols,
			 outside(&P, d));
	assert_ok(svd_left_of_map(&a->map, d, 1, &U, sigma, &map, &settled));
	for (size_t j = 0; j < d; j++)
		assert_near(sigma[j], a->sigma[j], 1e-12 * a->sigma[0]);
	assert_int_equal(U.rows, a->map.rows);
	assert_int_equal(map.rows, a->map.cols);
	free(sigma);
	mat_release(&map);
	mat_release(&U);
	mat_release(&P);
}

TEST(slow_spectra)
{
	static const size_t shape[][3] = {
		{ 900, 700, 1 },  { 900, 700, 7 }, { 900, 700, 8 }, { 700, 900, 9 },
		{ 500, 800, 17 }, { 40, 30, 6 },   { 30, 40, 30 },  { 6, 3, 3 },
		{ 1, 1, 1 },      { 3, 500, 3 },
	};

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++) {
		struct diagonal a;

		slow(&a, shape[s][0], shape[s][1]);
		check(&a, shape[s][2]);
		assert_true(a.products <= 2 * 24); /* check() does the computation twice */
		free(a.sigma);
	}
}

/* The largest singular value occurs d times. A block Krylov space finds it at most as often as the
 * block has vectors. */
TEST(equal_values)
{
	for (size_t d = 1; d <= 21; d += 5) {
		struct diagonal a;

		slow(&a, 600, 500);
		for (size_t j = 0; j < d; j++)
			a.sigma[j] = 2;
		check(&a, d);
		free(a.sigma);
	}
}

/* If the last wanted value is close to the next one, or far below the first, the residuals must be
 * smaller for vectors of the same precision. */
TEST(narrow_gaps)
{
	struct diagonal a;

	slow(&a, 600, 500);
	a.sigma[4] = a.sigma[5] * (1 + 1e-3);
	check(&a, 5);
	for (size_t j = 1; j < 500; j++)
		a.sigma[j] *= 0.02;
	a.sigma[4] = a.sigma[5] * 1.01;
	check(&a, 5);
	free(a.sigma);
}

TEST(rank_is_less)
{
	for (size_t rank = 0; rank <= 4; rank += 2) {
		double sigma[6];
		bool settled = false;
		struct diagonal a;
		struct mat U, P, map;

		diagonal_init(&a, 400, 300);
		for (size_t j = 0; j < rank; j++)
			a.sigma[j] = 5 - (double)j;
		assert_ok(krylov_right(&a.map, 6, 1, &P, &settled));
		assert_true(settled);
		assert_orthonormal(&P);
		assert_true(a.products <= 2); /* rounding errors alone cost no product */
		assert_ok(svd_left_of_map(&a.map, 6, 1, &U, sigma, &map, &settled));
		for (size_t j = 0; j < 6; j++) {
			assert_near(sigma[j], a.sigma[j], j < rank ? 1e-13 : 0);
			for (size_t i = 0; i < U.rows; i++)
				assert_near(MAT(&U, i, j), i == j && j < rank, 1e-12);
		}
		mat_release(&map);
		mat_release(&U);
		mat_release(&P);
		free(a.sigma);
	}
}

/* The Krylov space ends within a step, so the rest of the block is partly rounding errors. */
TEST(partly_exhausted)
{
	for (size_t rank = 9; rank <= 40; rank++) {
		struct diagonal a;

		slow(&a, 400, 300);
		for (size_t j = rank; j < 300; j++)
			a.sigma[j] = 0;
		check(&a, 6);
		free(a.sigma);
	}
}

/* Singular values are so close that the steps do not suffice. Then `settled` is false, and the
 * results are approximate. */
TEST(not_settled)
{
	double sigma[3];
	bool settled = true;
	struct diagonal a;
	struct mat U;

	diagonal_init(&a, 1000, 1000);
	for (size_t j = 0; j < 1000; j++)
		a.sigma[j] = 1 - 1e-6 * (double)j;
	assert_ok(svd_left_of_map(&a.map, 3, 1, &U, sigma, NULL, &settled));
	assert_false(settled);
	assert_int_equal(a.products, KRYLOV_STEPS_MAX);
	for (size_t j = 0; j < 3; j++)
		assert_near(sigma[j], 1, 1e-4);
	mat_release(&U);
	free(a.sigma);
}

TEST(threads)
{
	struct diagonal a;
	struct mat P, again;
	bool settled;

	slow(&a, 900, 800);
	assert_ok(krylov_right(&a.map, 6, 1, &P, &settled));
	for (unsigned t = 2; t <= 4; t += 2) {
		assert_ok(krylov_right(&a.map, 6, t, &again, &settled));
		assert_same_bits(&P, &again);
		mat_release(&again);
	}
	mat_release(&P);
	free(a.sigma);
}

TEST(too_large)
{
	double sigma[3];
	struct diagonal a;
	struct mat U;
	bool settled;

	slow(&a, 50, 40);
	a.sigma[7] = 1e200; /* its square overflows a double */
	assert_err(svd_left_of_map(&a.map, 3, 1, &U, sigma, NULL, &settled), ERR_INPUT,
		   "too large");
	assert_err(svd_left_of_map(&a.map, 41, 1, &U, sigma, NULL, &settled), ERR_INPUT,
		   "41 singular vectors of a 50 x 40");
	assert_err(svd_left_of_map(&a.map, 0, 1, &U, sigma, NULL, &settled), ERR_INPUT,
		   "0 singular vectors");
	free(a.sigma);
}
