#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/linalg/rowsum.h"

int openblas_get_num_threads(void); /* declared here, because only la.c includes cblas.h */

/* Multiplies in three plain loops; either factor may be transposed. */
static void naive(const struct mat *A, bool ta, const struct mat *B, bool tb, struct mat *C)
{
	size_t rows = ta ? A->cols : A->rows, inner = ta ? A->rows : A->cols;
	size_t cols = tb ? B->rows : B->cols;

	mat_init(C, rows, cols);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < cols; j++)
			for (size_t t = 0; t < inner; t++)
				MAT(C, i, j) += (ta ? MAT(A, t, i) : MAT(A, i, t)) *
						(tb ? MAT(B, j, t) : MAT(B, t, j));
}

static void check_product(size_t rows, size_t inner, size_t cols, bool ta, bool tb)
{
	struct mat A, B, C, expected, again;
	void (*mul)(const struct mat *, const struct mat *, unsigned, struct mat *);

	mul = ta ? la_mul_tn : tb ? la_mul_nt : la_mul_nn;
	sample_normal(&A, ta ? inner : rows, ta ? rows : inner, 1);
	sample_normal(&B, tb ? cols : inner, tb ? inner : cols, 2);
	naive(&A, ta, &B, tb, &expected);
	mul(&A, &B, 1, &C);
	assert_mat_near(&C, &expected, 1e-9);
	for (unsigned threads = 2; threads <= 4; threads += 2) {
		mul(&A, &B, threads, &again);
		assert_same_bits(&C, &again);
		mat_release(&again);
	}
	mat_release(&expected);
	mat_release(&C);
	mat_release(&B);
	mat_release(&A);
}

/* Sizes are below, at and across the tiles of 256. */
TEST(products)
{
	static const size_t size[][3] = {
		{ 1, 1, 1 },      { 3, 7, 5 },    { 256, 10, 256 },
		{ 300, 40, 270 }, { 600, 33, 4 }, { 4, 0, 3 },
	};

	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++) {
		check_product(size[i][0], size[i][1], size[i][2], true, false);
		check_product(size[i][0], size[i][1], size[i][2], false, false);
		check_product(size[i][0], size[i][1], size[i][2], false, true);
	}
}

/* Lengths are below, at and across the blocks of a sum, for any number of threads. */
TEST(long_products)
{
	static const size_t inner[] = { 700, ROWSUM_ROWS, 33 * ROWSUM_ROWS + 3 };

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++) {
		check_product(3, inner[i], 5, false, true);
		check_product(3, inner[i], 5, true, false);
		check_product(3, inner[i], 5, false, false);
	}
}

TEST(gram)
{
	struct mat A, expected, G, again;

	sample_normal(&A, 310, 290, 3);
	for (int rows = 0; rows < 2; rows++) {
		void (*f)(const struct mat *, unsigned, struct mat *) =
		    rows ? la_gram_rows : la_gram_columns;

		naive(&A, !rows, &A, rows, &expected);
		f(&A, 1, &G);
		assert_mat_near(&G, &expected, 1e-11);
		for (size_t i = 0; i < G.rows; i++)
			for (size_t j = 0; j < i; j++)
				assert_true(MAT(&G, i, j) == MAT(&G, j, i));
		f(&A, 4, &again);
		assert_same_bits(&G, &again);
		mat_release(&again);
		mat_release(&G);
		mat_release(&expected);
	}
	mat_release(&A);
}

TEST(block)
{
	struct mat A, B, expected;
	double C[5 * 9];

	sample_normal(&A, 5, 8, 4);
	sample_normal(&B, 7, 8, 5);
	naive(&A, false, &B, true, &expected);
	la_block_nt(5, 7, 8, A.a, B.a, C, 9);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 7; j++)
			assert_near(C[i * 9 + j], MAT(&expected, i, j), 1e-13);
	mat_release(&expected);
	mat_release(&B);
	mat_release(&A);
}

/* The second-difference matrix has eigenvalues 2 - 2 cos(pi j / (n+1)); its vectors are sines. */
TEST(eigen)
{
	enum { N = 40, D = 7 };
	struct mat G, V;
	double value[D];

	mat_init(&G, N, N);
	for (size_t i = 0; i < N; i++) {
		MAT(&G, i, i) = 2;
		if (i)
			MAT(&G, i, i - 1) = MAT(&G, i - 1, i) = -1;
	}
	assert_ok(la_eigen_top(&G, D, value, &V));
	for (size_t r = 0; r < D; r++) {
		double j = (double)(N - r), sign = 0;

		assert_near(value[r], 2 - 2 * cos(M_PI * j / (N + 1)), 1e-13);
		for (size_t i = 0; i < N; i++) {
			double exact =
			    sqrt(2. / (N + 1)) * sin(M_PI * j * (double)(i + 1) / (N + 1));

			if (sign == 0)
				sign = exact * MAT(&V, r, i) < 0 ? -1 : 1;
			assert_near(sign * MAT(&V, r, i), exact, 1e-11);
		}
	}
	mat_release(&V);
	mat_release(&G);
}

TEST(not_finite)
{
	struct mat G, V;
	double value[2];

	sample_normal(&G, 3, 3, 1);
	MAT(&G, 1, 2) = INFINITY;
	assert_err(la_eigen_top(&G, 2, value, &V), ERR_INPUT, "(1, 2)");
	MAT(&G, 1, 2) = NAN;
	assert_err(la_orthonormal_rows(&G), ERR_INPUT, "(1, 2)");
	mat_release(&G);
}

static void check_orthonormal(size_t rows, size_t cols)
{
	struct mat A, before, G, along, back;

	sample_normal(&A, rows, cols, 6);
	memcpy(ROW(&A, 4), ROW(&A, 3), cols * sizeof(double)); /* row 4 equals row 3 */
	sample_copy(&A, &before);
	assert_ok(la_orthonormal_rows(&A));
	la_gram_rows(&A, 1, &G);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < rows; j++)
			assert_near(MAT(&G, i, j), i == j, 1e-13);
	la_mul_nt(&before, &A, 1, &along);
	la_mul_nn(&along, &A, 1, &back);
	assert_mat_near(&back, &before, 1e-12);
	mat_release(&back);
	mat_release(&along);
	mat_release(&G);
	mat_release(&before);
	mat_release(&A);
}

TEST(orthonormal)
{
	check_orthonormal(12, 50);
}

/* Vectors are so long that they are processed in panels; the last panel may be larger. */
TEST(orthonormal_long)
{
	check_orthonormal(5, (1 << 17) + 4096 + 7);
	check_orthonormal(5, 1 << 17);
}

/* If A = P diag(sigma) Q', then P' A has orthogonal rows of lengths sigma. */
static void check_singular(size_t cols)
{
	struct mat A, P, rotated, G;
	double sigma[9];

	sample_normal(&A, 9, cols, 8);
	assert_ok(la_singular_rows(NULL, &A, sigma, &P));
	la_mul_tn(&P, &A, 1, &rotated);
	la_gram_rows(&rotated, 1, &G);
	for (size_t i = 0; i < 9; i++) {
		assert_true(i == 0 || sigma[i] <= sigma[i - 1]);
		for (size_t j = 0; j < 9; j++)
			assert_near(MAT(&G, i, j), i == j ? sigma[i] * sigma[i] : 0,
				    1e-13 * (double)cols);
	}
	mat_release(&G);
	mat_release(&rotated);
	mat_release(&P);
	mat_release(&A);
}

/* The matrix of 9 rows has one block of ROWSUM_ROWS columns or fewer, or several blocks, of which
 * the last has fewer than 9 columns. */
TEST(singular)
{
	static const size_t cols[] = { 30, ROWSUM_ROWS, 3 * ROWSUM_ROWS + 4 };

	for (size_t i = 0; i < sizeof(cols) / sizeof(*cols); i++)
		check_singular(cols[i]);
}

TEST(tridiagonal)
{
	double a[30], b[29], value, last;

	for (int i = 0; i < 30; i++) {
		a[i] = 2;
		if (i < 29)
			b[i] = -1;
	}
	assert_ok(la_tridiagonal_top(a, b, 30, &value, &last));
	assert_near(value, 2 - 2 * cos(M_PI * 30 / 31), 1e-13);
	assert_near(last, sqrt(2. / 31) * fabs(sin(M_PI * 30 * 30 / 31)), 1e-12);
	assert_ok(la_tridiagonal_top(a, b, 1, &value, &last));
	assert_near(value, 2, 1e-15);
	assert_near(last, 1, 1e-15);
}

TEST(pinned)
{
	assert_int_equal(openblas_get_num_threads(), 1);
}

/* la_eigen_check() accepts results of la_eigen_top() and refuses wrong ones. */
TEST(test_eigen_check)
{
	enum { N = 60, D = 5 };
	double value[D], more[D + 1], kept;
	struct mat A, G, copy, V, W;

	sample_normal(&A, N, N, 7);
	la_gram_columns(&A, 1, &G);
	mat_copy(&copy, &G);
	assert_ok(la_eigen_top(&copy, D + 1, more, &W));
	mat_release(&copy);
	mat_copy(&copy, &G);
	assert_ok(la_eigen_top(&copy, D, value, &V));
	assert_ok(la_eigen_check(&G, value, &V, 1));
	for (size_t i = 0; i < D; i++)
		MAT(&V, i, 0) = -MAT(&V, i, 0); /* one column changes its sign */
	assert_err(la_eigen_check(&G, value, &V, 1), ERR_PEER, "not eigenvectors");
	for (size_t i = 0; i < D; i++)
		MAT(&V, i, 0) = -MAT(&V, i, 0);
	for (size_t j = 0; j < N; j++)
		MAT(&V, 1, j) = -MAT(&V, 1, j); /* a vector with the opposite sign is also valid */
	assert_ok(la_eigen_check(&G, value, &V, 1));
	kept = value[2];
	value[2] *= 1 + 1e-6;
	assert_err(la_eigen_check(&G, value, &V, 1), ERR_PEER, "not eigenvectors");
	value[2] = NAN;
	assert_err(la_eigen_check(&G, value, &V, 1), ERR_PEER, "eigenvalue 2 of 5 is");
	value[2] = kept;
	kept = MAT(&V, 0, 0);
	MAT(&V, 0, 0) = INFINITY;
	assert_err(la_eigen_check(&G, value, &V, 1), ERR_PEER, "eigenvector with inf");
	MAT(&V, 0, 0) = kept;
	/* One vector occurs twice. */
	memcpy(ROW(&V, 3), ROW(&V, 2), N * sizeof(double));
	value[3] = value[2];
	assert_err(la_eigen_check(&G, value, &V, 1), ERR_PEER, "not orthonormal");
	/* The vectors are eigenvectors, but the second to the sixth instead of the first ones. */
	memcpy(V.a, ROW(&W, 1), D * N * sizeof(double));
	memcpy(value, more + 1, D * sizeof(double));
	assert_err(la_eigen_check(&G, value, &V, 1), ERR_PEER, "5 are above the last");
	mat_release(&W);
	mat_release(&V);
	mat_release(&copy);
	mat_release(&G);
	mat_release(&A);
}
