/* Products with a few vectors, against loops in the same order. */
#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/linalg/thin.h"

/* in A', in the order of thin.c: the vector lanes of any machine give these bits. */
static void loop_product(const struct mat *A, const struct mat *in, struct mat *out)
{
	mat_init(out, in->rows, A->rows);
	for (size_t v = 0; v < in->rows; v++)
		for (size_t i = 0; i < A->rows; i++)
			for (size_t j = 0; j < A->cols; j++)
				MAT(out, v, i) += MAT(A, i, j) * MAT(in, v, j);
}

static void loop_square(const struct mat *A, const struct mat *in, struct mat *out)
{
	struct mat Y;

	loop_product(A, in, &Y);
	mat_init(out, in->rows, A->cols);
	for (size_t v = 0; v < in->rows; v++)
		for (size_t i = 0; i < A->rows; i++)
			for (size_t j = 0; j < A->cols; j++)
				MAT(out, v, j) += MAT(A, i, j) * MAT(&Y, v, i);
	mat_release(&Y);
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

/* Below, at and across rows at once, vectors side by side and parts. A square of several parts has
 * another order than the loop. */
TEST(as_the_loops)
{
	static const size_t rows[] = { 0, 1, 7, 8, 9, 255, 256, 257, 5000 };
	static const size_t cols[] = { 1, 5, 40 }, vectors[] = { 1, 7, 8, 9, 17 };

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		for (size_t c = 0; c < sizeof(cols) / sizeof(*cols); c++)
			for (size_t v = 0; v < sizeof(vectors) / sizeof(*vectors); v++) {
				struct mat A, in, expected;

				sample_normal(&A, rows[r], cols[c], 1);
				sample_normal(&in, vectors[v], cols[c], 2);
				loop_product(&A, &in, &expected);
				check_thin(thin_product, &A, &in, &expected, 0);
				mat_release(&expected);
				loop_square(&A, &in, &expected);
				check_thin(thin_square, &A, &in, &expected,
					   rows[r] > 256 ? 1e-8 : 0);
				mat_release(&expected);
				mat_release(&in);
				mat_release(&A);
			}
}
