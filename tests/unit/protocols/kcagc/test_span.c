#include "tests/unit/linalg/sample.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"
#include "common/linalg/svd.h"
#include "protocols/kcagc/span.h"

enum { ROWS = 200, COLS = 60, SETS = 14, WIDTH = 8, TOP = 4 };

/* Makes rows with `strong` strong directions. If there are TOP of them, the last one is little
 * stronger than all other directions. */
static void rows_of(size_t strong, struct mat *X)
{
	sample_normal(X, ROWS, COLS, 5);
	for (size_t i = 0; i < ROWS; i++) {
		for (size_t j = 0; j < COLS; j++)
			MAT(X, i, j) *= j < strong ? 4.0 - (double)j : strong == TOP ? 0.85 : 0;
		MAT(X, i, 0) += 3; /* rows are not centred */
	}
}

static void sets_of(const struct mat *X, uint32_t *set)
{
	struct kmeans_params p = {
		.k = SETS, .restarts = 1, .iterations = 2, .seed = 1, .threads = 1
	};

	kmeans(X, NULL, &p, set, NULL, NULL);
}

/* Computes Q = K G D^-1 and KF = K F for K = X X'; G has the sets, and D has their sizes. */
static void sums_of(const struct mat *X, const uint32_t *set, const struct mat *F, struct mat *Q,
		    struct mat *KF)
{
	struct mat M, XF;

	mat_init(&M, SETS, COLS);
	kmeans_centres(X, NULL, set, &M);
	la_mul_nt(X, &M, 1, Q);
	la_mul_tn(X, F, 1, &XF);
	la_mul_nn(X, &XF, 1, KF);
	mat_release(&XF);
	mat_release(&M);
}

static void directions_of(const struct mat *X, size_t count, struct mat *U)
{
	struct mat C;
	double sigma[COLS];

	mat_copy(&C, X);
	ortho_centre(&C);
	assert_ok(svd_left(&C, count, 1, U, sigma, NULL));
	mat_release(&C);
}

/* Returns the part of U's last column that is outside the span of Z's centred columns. */
static double missed(const struct mat *U, const struct mat *Z)
{
	double left = 1;
	struct mat B, C;

	mat_copy(&B, Z);
	assert_ok(ortho_basis(&B));
	la_mul_tn(&B, U, 1, &C);
	for (size_t j = 0; j < C.rows; j++)
		left -= pow(MAT(&C, j, U->cols - 1), 2);
	mat_release(&C);
	mat_release(&B);
	return left;
}

/* If the sets and F span the range of K = X X', the rows Z of span_join() have the inner products
 * of the rows of X. */
TEST(whole)
{
	uint32_t set[ROWS];
	struct mat X, F, Q, KF, Z, K, got;

	rows_of(TOP - 1, &X);
	sets_of(&X, set);
	sample_normal(&F, ROWS, WIDTH, 6);
	assert_ok(ortho_basis(&F));
	sums_of(&X, set, &F, &Q, &KF);
	assert_ok(span_join(&Q, set, &F, &KF, TOP, &Z));
	assert_int_equal(Z.cols, TOP - 1);
	la_gram_rows(&X, 1, &K);
	la_gram_rows(&Z, 1, &got);
	assert_mat_near(&got, &K, 1e-8);
	assert_true(!Q.a && !F.a);
	mat_release(&got);
	mat_release(&K);
	mat_release(&Z);
	mat_release(&KF);
	mat_release(&X);
}

/* Returns missed() of the rows that F and K F alone give. F must come from ortho_basis(). */
static double missed_alone(const struct mat *U, const struct mat *F, const struct mat *KF)
{
	struct mat W, Z;
	double left;

	la_mul_tn(F, KF, 1, &W);
	ortho_symmetrise(&W);
	assert_ok(ortho_whiten(KF, &W, TOP, SPAN_ZERO, &Z));
	left = missed(U, &Z);
	mat_release(&Z);
	mat_release(&W);
	return left;
}

/* span_join() misses less of the last of the TOP strong directions than the products of F alone do,
 * and less than they do after one more product. */
TEST(both_sums_are_worth_one_more)
{
	uint32_t set[ROWS];
	struct mat X, F = { 0 }, Q, KF, again, unused, Z, U;
	double alone, joined, more;

	rows_of(TOP, &X);
	sets_of(&X, set);
	directions_of(&X, TOP, &U);
	mat_init(&F, ROWS, 1);
	sums_of(&X, set, &F, &Q, &KF);
	mat_release(&KF);
	mat_release(&F);
	assert_ok(ortho_components(&Q, WIDTH, &F));
	assert_ok(ortho_basis(&F));
	mat_release(&Q);
	sums_of(&X, set, &F, &Q, &KF);
	alone = missed_alone(&U, &F, &KF);
	assert_ok(span_join(&Q, set, &F, &KF, TOP, &Z));
	joined = missed(&U, &Z);
	assert_ok(ortho_basis(&KF));
	sums_of(&X, set, &KF, &unused, &again);
	more = missed_alone(&U, &KF, &again);
	assert_true(joined < 0.6 * alone);
	assert_true(joined < more);
	mat_release(&again);
	mat_release(&unused);
	mat_release(&Z);
	mat_release(&KF);
	mat_release(&U);
	mat_release(&X);
}
