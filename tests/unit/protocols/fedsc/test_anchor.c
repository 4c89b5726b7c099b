#include "tests/unit/linalg/sample.h"
#include "common/base/alloc.h"
#include "protocols/fedsc/anchor.h"
#include "protocols/fedsc/own.h"
#include "common/linalg/la.h"

/* Makes M = B'B (d x d) of the weights B in b, from its lower triangle. */
static void gram(const struct fedsc_anchor *b, struct mat *M)
{
	double *x = alloc(b->d * (b->d + 1) / 2, sizeof(*x)), *next = x;

	fedsc_anchor_gram(b, NULL, x);
	mat_init(M, b->d, b->d);
	for (size_t i = 0; i < b->d; i++)
		for (size_t j = 0; j <= i; j++)
			MAT(M, i, j) = MAT(M, j, i) = *next++;
	free(x);
}

/* Landmarks are on a line at 0, 1, 3 and 7. Each row has weights for its s = 2 nearest landmarks:
 * the squared distance of the third nearest less that of the landmark, divided by the sum of both.
 * The row 0.5 has squared distances 1/4, 1/4 and 25/4, which give weights (6, 6) / 12. The row 0
 * has 0, 1 and 9: (9, 8) / 17. The row 7 has 0, 16 and 36: (36, 20) / 56. */
TEST(by_hand)
{
	double z[] = { 0, 1, 3, 7 }, x[] = { 0.5, 0, 7 };
	struct mat Z = { 4, 1, z }, X = { 3, 1, x }, M;
	static const double weight[] = { 0.5, 0.5, 9.0 / 17, 8.0 / 17, 36.0 / 56, 20.0 / 56 };
	static const uint32_t landmark[] = { 0, 1, 0, 1, 3, 2 };
	struct fedsc_anchor b;

	fedsc_anchor_init(&b, &X, &Z, 2, 1);
	for (size_t e = 0; e < 6; e++) {
		assert_near(b.weight[e], weight[e], 1e-15);
		assert_int_equal(b.landmark[e], landmark[e]);
	}
	gram(&b, &M);
	assert_near(MAT(&M, 0, 0), 0.25 + 81.0 / 289, 1e-15);
	assert_near(MAT(&M, 0, 1), 0.25 + 72.0 / 289, 1e-15);
	assert_near(MAT(&M, 2, 3), 720.0 / 3136, 1e-15);
	assert_near(MAT(&M, 0, 3), 0, 0);
	mat_release(&M);
	fedsc_anchor_release(&b);
}

/* Landmarks at equal distances get equal weights. */
TEST(equally_far)
{
	double z[] = { 1, 1, 1, 1 }, x[] = { 5 };
	struct mat Z = { 4, 1, z }, X = { 1, 1, x };
	struct fedsc_anchor b;

	fedsc_anchor_init(&b, &X, &Z, 3, 1);
	for (uint32_t e = 0; e < 3; e++) {
		assert_near(b.weight[e], 1.0 / 3, 1e-16);
		assert_int_equal(b.landmark[e], e);
	}
	fedsc_anchor_release(&b);
}

static void basis(const struct mat *M, size_t k, double *lam, double *value, struct mat *R)
{
	struct mat N, U;

	fedsc_anchor_normal(M, lam, &N);
	assert_ok(la_eigen_top(&N, k, value, &U));
	assert_ok(fedsc_anchor_basis(lam, &U, value, R));
	mat_release(&U);
	mat_release(&N);
}

/* With B the rows' weights and lam the total weight of each landmark, the embedding B R has
 * orthonormal columns. They are eigenvectors of the n x n similarity B diag(1 / lam) B', with its
 * eigenvalues. */
TEST(eigenvectors)
{
	enum { N = 300, D = 40, K = 6 };
	struct mat X, Z, M, R, E, B, S, T, V, G;
	double lam[D], value[K], expected[K];
	struct fedsc_anchor b;

	sample_normal(&X, N, 3, 1);
	sample_normal(&Z, D, 3, 2);
	fedsc_anchor_init(&b, &X, &Z, 4, 1);
	gram(&b, &M);
	basis(&M, K, lam, value, &R);
	fedsc_anchor_embed(&b, &R, 2, &E);
	mat_init(&B, N, D);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < 4; j++)
			MAT(&B, i, b.landmark[i * 4 + j]) = b.weight[i * 4 + j];
	for (size_t j = 0; j < D; j++) {
		double sum = 0;

		for (size_t i = 0; i < N; i++)
			sum += MAT(&B, i, j);
		assert_near(lam[j], sum, 1e-12);
		for (size_t i = 0; i < N; i++)
			MAT(&B, i, j) /= sum > 0 ? sqrt(sum) : 1;
	}
	la_gram_rows(&B, 1, &S);
	la_mul_nn(&S, &E, 1, &T);
	for (size_t i = 0; i < N; i++)
		for (size_t r = 0; r < K; r++)
			assert_near(MAT(&T, i, r), value[r] * MAT(&E, i, r), 1e-12);
	la_gram_columns(&E, 1, &G);
	for (size_t r = 0; r < K; r++)
		for (size_t c = 0; c < K; c++)
			assert_near(MAT(&G, r, c), r == c, 1e-12);
	assert_ok(la_eigen_top(&S, K, expected, &V));
	for (size_t r = 0; r < K; r++)
		assert_near(value[r], expected[r], 1e-12);
	assert_near(value[0], 1, 1e-12);
	mat_release(&V);
	mat_release(&G);
	mat_release(&T);
	mat_release(&S);
	mat_release(&B);
	mat_release(&E);
	mat_release(&R);
	mat_release(&M);
	fedsc_anchor_release(&b);
	mat_release(&Z);
	mat_release(&X);
}

/* A landmark to which no row is tied gets a row of zeros in the basis R, without a division by
 * zero. */
TEST(nobodys_landmark)
{
	double z[] = { 0, 1, 2, 1000 }, x[] = { 0, 0.1, 1, 1.2, 2 };
	struct mat Z = { 4, 1, z }, X = { 5, 1, x }, M, N, U, R;
	struct fedsc_anchor b;
	double lam[4], value[4];

	fedsc_anchor_init(&b, &X, &Z, 2, 1);
	gram(&b, &M);
	basis(&M, 2, lam, value, &R);
	assert_near(lam[3], 0, 0);
	for (size_t e = 0; e < 8; e++)
		assert_true(isfinite(R.a[e]) && (e < 6 || R.a[e] == 0));
	mat_release(&R);
	fedsc_anchor_normal(&M, lam, &N);
	assert_ok(la_eigen_top(&N, 4, value, &U));
	assert_err(fedsc_anchor_basis(lam, &U, value, &R), ERR_JOB, "fewer than 4 dimensions");
	mat_release(&U);
	mat_release(&N);
	mat_release(&M);
	fedsc_anchor_release(&b);
}

TEST(threads_do_not_matter)
{
	struct fedsc_anchor one, three;
	struct mat X, Z;

	sample_normal(&X, 5000, 70, 3);
	sample_normal(&Z, 50, 70, 4);
	fedsc_anchor_init(&one, &X, &Z, 4, 1);
	fedsc_anchor_init(&three, &X, &Z, 4, 3);
	assert_memory_equal(one.weight, three.weight, 5000 * 4 * sizeof(double));
	assert_memory_equal(one.landmark, three.landmark, 5000 * 4 * sizeof(uint32_t));
	fedsc_anchor_release(&three);
	fedsc_anchor_release(&one);
	mat_release(&Z);
	mat_release(&X);
}

/* The sum over all rows adds the sums of blocks of rows in pairs. It is bitwise identical if the
 * blocks are computed one by one. */
TEST(blocks_are_joined_in_pairs)
{
	enum { N = 2 * ROWSUM_ROWS + 77, D = 40, WORDS = D * (D + 1) / 2 };
	double whole[WORDS], part[3][WORDS];
	struct fedsc_anchor b;
	struct mat X, Z;

	sample_normal(&X, N, 3, 5);
	sample_normal(&Z, D, 3, 6);
	fedsc_anchor_init(&b, &X, &Z, 4, 1);
	fedsc_anchor_gram(&b, NULL, whole);
	fedsc_anchor_release(&b);
	for (size_t t = 0; t < 3; t++) {
		struct mat rows = { rowsum_rows(N, t), 3, ROW(&X, t * ROWSUM_ROWS) };

		fedsc_anchor_init(&b, &rows, &Z, 4, 1);
		fedsc_anchor_gram(&b, NULL, part[t]);
		fedsc_anchor_release(&b);
	}
	for (size_t e = 0; e < WORDS; e++)
		assert_true(whole[e] == part[0][e] + part[1][e] + part[2][e]);
	mat_release(&Z);
	mat_release(&X);
}

/* Unless the job gives `dims`, a run has at most one landmark for each five rows (in variant anchor
 * for each three, if there are fewer than 30 rows for each cluster). It has at most 600 in variant
 * anchor, otherwise `dims_most`, but at least one for each cluster. */
TEST(how_many_landmarks)
{
	struct fedsc_params p = { .variant = FEDSC_BY_ANCHORS, .k = 10, .dims_most = 250 };

	assert_int_equal(fedsc_landmarks_most(&p, 299), 99);
	assert_int_equal(fedsc_landmarks_most(&p, 300), 60);
	assert_int_equal(fedsc_landmarks_most(&p, 1e6), 600);
	assert_int_equal(fedsc_landmarks_most(&p, 20), 10);
	p.dims = 17;
	assert_int_equal(fedsc_landmarks_most(&p, 299), 17);
	p = (struct fedsc_params){ .variant = FEDSC_BY_DENSE, .k = 10, .dims_most = 250 };
	assert_int_equal(fedsc_landmarks_most(&p, 299), 59);
	assert_int_equal(fedsc_landmarks_most(&p, 1e6), 250);
}
