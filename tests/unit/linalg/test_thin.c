/* Compares products with a few vectors with loops that add in the same order. */
#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/linalg/thin.h"

/* Multiplies `in` by A' and adds in the order of thin.c. Vector registers of any width give the
 * same bits. */
static void loop_product(const struct mat *A, const struct mat *in, struct mat *out)
{
	mat_init(out, in->rows, A->rows);
	for (size_t v = 0; v < in->rows; v++)
		for (size_t i = 0; i < A->rows; i++)
			for (size_t j = 0; j < A->cols; j++)
				MAT(out, v, i) += MAT(A, i, j) * MAT(in, v, j);
}

static void loop_combine(const struct mat *A, const struct mat *in, struct mat *out)
{
	mat_init(out, in->rows, A->cols);
	for (size_t v = 0; v < in->rows; v++)
		for (size_t i = 0; i < A->rows; i++)
			for (size_t j = 0; j < A->cols; j++)
				MAT(out, v, j) += MAT(A, i, j) * MAT(in, v, i);
}

static void square_alone(const struct mat *A, const struct mat *in, unsigned threads,
			 struct mat *out)
{
	thin_square(A, in, threads, NULL, out);
}

static void square_both(const struct mat *A, const struct mat *in, unsigned threads,
			struct mat *out)
{
	struct mat product, expected;

	thin_square(A, in, threads, &product, out);
	loop_product(A, in, &expected);
	assert_same_bits(&product, &expected);
	mat_release(&product);
	mat_release(&expected);
}

typedef void thin_fn(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out);

static void check_thin(thin_fn *f, const struct mat *A, const struct mat *in,
		       const struct mat *expected, double tolerance)
{
	struct mat out, again;

	f(A, in, 1, &out);
	if (tolerance == 0)
		assert_same_bits(&out, expected);
	assert_mat_near(&out, expected, tolerance);
	for (unsigned threads = 2; threads <= 4; threads++) {
		f(A, in, threads, &again);
		assert_same_bits(&out, &again);
		mat_release(&again);
	}
	mat_release(&out);
}

/* The numbers of rows and vectors are below, at and above those that thin.c processes in one step
 * and in one part. Sums over rows of several parts have another order than in the loop. */
TEST(as_the_loops)
{
	static const size_t rows[] = { 0, 1, 7, 8, 9, 255, 256, 257, 5000 };
	static const size_t cols[] = { 1, 5, 40 }, vectors[] = { 1, 7, 8, 9, 17 };

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		for (size_t c = 0; c < sizeof(cols) / sizeof(*cols); c++)
			for (size_t v = 0; v < sizeof(vectors) / sizeof(*vectors); v++) {
				double sums = rows[r] > 256 ? 1e-8 : 0;
				struct mat A, in, expected, squares, across;

				sample_normal(&A, rows[r], cols[c], 1);
				sample_normal(&in, vectors[v], cols[c], 2);
				loop_product(&A, &in, &expected);
				check_thin(thin_product, &A, &in, &expected, 0);
				mat_transpose(&expected, &across);
				check_thin(thin_rows, &A, &in, &across, 0);
				mat_release(&across);
				loop_combine(&A, &expected, &squares);
				check_thin(thin_combine, &A, &expected, &squares, sums);
				check_thin(square_alone, &A, &in, &squares, sums);
				check_thin(square_both, &A, &in, &squares, sums);
				mat_release(&squares);
				mat_release(&expected);
				mat_release(&in);
				mat_release(&A);
			}
}
