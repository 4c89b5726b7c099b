#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/linalg/svd.h"

#include <float.h>

/* Declares the dense reference of LAPACK, because la.c has no full decomposition. */
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s,
	     double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
	     int *iwork, int *info);

/* Computes U, n x min(n, m), and sigma of the n x m matrix X by dgesdd on the transpose:
 * column-major X' is row-major X, and the right vectors of X' are the left ones of X. */
static void reference(const struct mat *X, struct mat *U, double *sigma)
{
	int n = (int)X->rows, m = (int)X->cols, least = n < m ? n : m, info;
	int lwork = 8 * (n + m) * (least + 8), *iwork;
	struct mat copy, V;
	double *work;

	sample_copy(X, &copy);
	mat_init(&V, (size_t)least, (size_t)m);
	mat_init(U, (size_t)n, (size_t)least);
	ALLOC(iwork, 8 * (size_t)least);
	ALLOC(work, (size_t)lwork);
	dgesdd_("S", &m, &n, copy.a, &m, sigma, V.a, &m, U->a, &least, work, &lwork, iwork, &info);
	assert_int_equal(info, 0);
	free(work);
	free(iwork);
	mat_release(&V);
	mat_release(&copy);
}

/* Compares columns up to their sign. */
static void assert_columns_near(const struct mat *U, const struct mat *exact, double tolerance)
{
	for (size_t j = 0; j < U->cols; j++) {
		double inner = 0;

		for (size_t i = 0; i < U->rows; i++)
			inner += MAT(U, i, j) * MAT(exact, i, j);
		for (size_t i = 0; i < U->rows; i++)
			assert_near(MAT(U, i, j), (inner < 0 ? -1 : 1) * MAT(exact, i, j),
				    tolerance);
	}
}

/* U = X map, and the largest entry of each column of map is positive. */
static void check_map(const struct mat *X, const struct mat *U, const struct mat *map)
{
	struct mat again;

	la_mul_nn(X, map, 1, &again);
	for (size_t i = 0; i < U->rows * U->cols; i++)
		assert_near(again.a[i], U->a[i], 1e-9);
	for (size_t j = 0; j < map->cols; j++) {
		double largest = 0;

		for (size_t i = 0; i < map->rows; i++)
			if (fabs(MAT(map, i, j)) > fabs(largest))
				largest = MAT(map, i, j);
		assert_true(largest > 0);
	}
	mat_release(&again);
}

static void check_against_lapack(size_t n, size_t m, size_t d)
{
	size_t least = n < m ? n : m;
	struct mat X, U, map, exact;
	double *sigma, *exact_sigma;

	sample_normal(&X, n, m, n * m);
	/* Columns differ in scale, so that no two singular values are close. */
	for (size_t i = 0; i < n * m; i++)
		X.a[i] *= 1 + 0.2 * (double)(i % m);
	ALLOC(sigma, d);
	ALLOC(exact_sigma, least);
	reference(&X, &exact, exact_sigma);
	assert_ok(svd_left(&X, d, 1, &U, sigma, &map));
	check_map(&X, &U, &map);
	assert_int_equal(U.rows, n);
	assert_int_equal(U.cols, d);
	for (size_t j = 0; j < d; j++)
		assert_near(sigma[j], exact_sigma[j], 1e-11 * exact_sigma[0]);
	assert_columns_near(&U, &exact, 1e-7);
	free(exact_sigma);
	free(sigma);
	mat_release(&exact);
	mat_release(&map);
	mat_release(&U);
	mat_release(&X);
}

TEST(gram_against_lapack)
{
	check_against_lapack(1, 1, 1);
	check_against_lapack(40, 25, 25);
	check_against_lapack(40, 25, 6);
	check_against_lapack(25, 40, 6); /* more columns than rows */
	check_against_lapack(25, 40, 25);
	check_against_lapack(300, 200, 17);
	check_against_lapack(60, 500, 17);
}

/* Sets X to (I - 2 vv') X if `rows`, else to X (I - 2 vv'). v is a random unit vector whose first
 * `free_entries` entries are 0. */
static void reflect(struct mat *X, bool rows, size_t free_entries, uint64_t seed)
{
	size_t n = rows ? X->rows : X->cols;
	struct mat v, along;
	double norm = 0;

	sample_normal(&v, 1, n, seed);
	for (size_t i = 0; i < n; i++) {
		v.a[i] = i < free_entries ? 0 : v.a[i];
		norm += v.a[i] * v.a[i];
	}
	for (size_t i = 0; i < n; i++)
		v.a[i] /= sqrt(norm);
	if (rows)
		la_mul_nn(&v, X, 1, &along);
	else
		la_mul_nt(&v, X, 1, &along);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(X, i, j) -= 2 * (rows ? v.a[i] * along.a[j] : along.a[i] * v.a[j]);
	mat_release(&along);
	mat_release(&v);
}

/* Makes X = H diag(sigma) K', where H and K are products of reflections, so its SVD is known. The
 * first `zero_rows` rows of X are zero. */
static void known_svd(size_t n, size_t m, const double *sigma, size_t count, size_t zero_rows,
		      struct mat *X, struct mat *H)
{
	mat_init(X, n, m);
	mat_init(H, n, count);
	for (size_t j = 0; j < count; j++) {
		MAT(X, zero_rows + j, j) = sigma[j];
		MAT(H, zero_rows + j, j) = 1;
	}
	for (uint64_t r = 0; r < 4; r++) {
		reflect(X, false, 0, 100 + r);
		reflect(X, true, zero_rows, 200 + r);
		reflect(H, true, zero_rows, 200 + r);
	}
}

/* The singular values fall as slowly as those of real features: 1 / sqrt(1 + j). */
TEST(randomised)
{
	enum { N = 1700, M = 1600, RANK = 1500, D = 12 };
	struct mat X, H, U, again;
	double sigma[RANK], found[D];

	for (int j = 0; j < RANK; j++)
		sigma[j] = 1 / sqrt(1. + j);
	known_svd(N, M, sigma, RANK, 50, &X, &H);
	assert_ok(svd_left(&X, D, 1, &U, found, NULL));
	for (int j = 0; j < D; j++)
		assert_near(found[j], sigma[j], 1e-13);
	H.cols = D; /* compare the leading columns */
	for (size_t i = 0; i < N; i++)
		memmove(H.a + i * D, H.a + i * RANK, D * sizeof(double));
	assert_columns_near(&U, &H, 1e-7);
	for (size_t i = 0; i < 50 * D; i++)
		assert_true(U.a[i] == 0);
	for (unsigned threads = 2; threads <= 4; threads += 2) {
		assert_ok(svd_left(&X, D, threads, &again, found, NULL));
		assert_same_bits(&U, &again);
		mat_release(&again);
	}
	mat_release(&U);
	mat_release(&H);
	mat_release(&X);
}

/* The rank is 4 and the call computes six columns: the last two are zero for each algorithm. */
static void check_rank(size_t n, size_t m)
{
	static const double sigma[] = { 9, 5, 4, 0.5 };
	struct mat X, H, U;
	double found[6];

	known_svd(n, m, sigma, 4, 3, &X, &H);
	assert_ok(svd_left(&X, 6, 1, &U, found, NULL));
	for (int j = 0; j < 6; j++)
		assert_near(found[j], j < 4 ? sigma[j] : 0, j < 4 ? 1e-12 : 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(MAT(&U, i, 4) == 0 && MAT(&U, i, 5) == 0);
		for (size_t j = 0; i < 3 && j < 4; j++)
			assert_true(MAT(&U, i, j) == 0);
	}
	H.cols = 4;
	U.cols = 4;
	for (size_t i = 0; i < n; i++)
		memmove(U.a + i * 4, U.a + i * 6, 4 * sizeof(double));
	assert_columns_near(&U, &H, 1e-10);
	mat_release(&U);
	mat_release(&H);
	mat_release(&X);
}

TEST(rank_deficient)
{
	check_rank(50, 20);
	check_rank(20, 50);
	check_rank(1510, 1505);
	check_rank(1505, 1900);
}

/* Values near the limit of a Gram matrix's precision are accurate. Rounding rotates the singular
 * vector of a value sigma by an angle of about epsilon / sigma^2. The rotation multiplies the
 * computed value by about 1 - angle^2 / 2. */
TEST(small_values)
{
	static const double sigma[] = { 1, 1e-3, 1e-6, 1e-7 };
	struct mat X, H, U;
	double found[4];

	known_svd(80, 30, sigma, 4, 0, &X, &H);
	assert_ok(svd_left(&X, 4, 1, &U, found, NULL));
	for (int j = 0; j < 4; j++) {
		double turned = DBL_EPSILON / (sigma[j] * sigma[j]);

		assert_near(found[j], sigma[j], 1e-12 + sigma[j] * turned * turned / 2);
	}
	mat_release(&U);
	mat_release(&H);
	mat_release(&X);
}

TEST(zero_matrix)
{
	struct mat X, U;
	double sigma[3];

	mat_init(&X, 10, 4);
	assert_ok(svd_left(&X, 3, 1, &U, sigma, NULL));
	for (int j = 0; j < 3; j++)
		assert_true(sigma[j] == 0);
	for (int i = 0; i < 30; i++)
		assert_true(U.a[i] == 0);
	mat_release(&U);
	mat_release(&X);
}

TEST(threads)
{
	struct mat X, U, again;
	double sigma[8];

	sample_normal(&X, 600, 520, 3);
	assert_ok(svd_left(&X, 8, 1, &U, sigma, NULL));
	for (unsigned t = 2; t <= 4; t += 2) {
		assert_ok(svd_left(&X, 8, t, &again, sigma, NULL));
		assert_same_bits(&U, &again);
		mat_release(&again);
	}
	mat_release(&U);
	mat_release(&X);
}

TEST(bad_input)
{
	struct mat X, U;
	double sigma[9];

	sample_normal(&X, 10, 4, 1);
	assert_err(svd_left(&X, 0, 1, &U, sigma, NULL), ERR_INPUT, "0 singular vectors");
	assert_err(svd_left(&X, 5, 1, &U, sigma, NULL), ERR_INPUT, "10 x 4");
	X.a[7] = 1e200; /* its square overflows a double */
	assert_err(svd_left(&X, 2, 1, &U, sigma, NULL), ERR_INPUT, "too large");
	mat_release(&X);
}
