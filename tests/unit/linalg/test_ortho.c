#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"
#include "common/linalg/svd.h"

/* Makes a random positive semidefinite matrix of rank r. */
static void positive(struct mat *K, size_t n, size_t r, uint64_t seed)
{
	struct mat A;

	sample_normal(&A, n, r, seed);
	la_mul_nt(&A, &A, 1, K);
	mat_release(&A);
}

static double inner(const struct mat *A, size_t i, size_t j)
{
	double sum = 0;

	for (size_t t = 0; t < A->cols; t++)
		sum += MAT(A, i, t) * MAT(A, j, t);
	return sum;
}

TEST(centre)
{
	struct mat A, before;
	double gap;

	sample_normal(&A, 40, 3, 1);
	for (size_t i = 0; i < 40; i++)
		MAT(&A, i, 1) += 1000;
	mat_copy(&before, &A);
	ortho_centre(&A);
	for (size_t j = 0; j < 3; j++) {
		double sum = 0;

		for (size_t i = 0; i < 40; i++)
			sum += MAT(&A, i, j);
		assert_near(sum, 0, 1e-10);
		gap = MAT(&before, 0, j) - MAT(&A, 0, j);
		for (size_t i = 1; i < 40; i++)
			assert_near(MAT(&before, i, j) - MAT(&A, i, j), gap, 1e-12);
	}
	mat_release(&before);
	mat_release(&A);
}

/* Checks that the basis is orthonormal, orthogonal to the mean, and spans the centred columns:
 * projecting them on the basis does not change them. */
static void check_basis(struct mat *A, size_t expected)
{
	struct mat Q, C, again, I;

	mat_copy(&Q, A);
	ortho_centre(A);
	assert_ok(ortho_basis(&Q));
	assert_int_equal(Q.cols, expected);
	la_mul_tn(&Q, &Q, 1, &I);
	for (size_t i = 0; i < Q.cols; i++) {
		double sum = 0;

		for (size_t j = 0; j < Q.cols; j++)
			assert_near(MAT(&I, i, j), i == j, 1e-13);
		for (size_t j = 0; j < Q.rows; j++)
			sum += MAT(&Q, j, i);
		assert_near(sum, 0, 1e-13);
	}
	la_mul_tn(&Q, A, 1, &C);
	la_mul_nn(&Q, &C, 1, &again);
	assert_mat_near(&again, A, 1e-12);
	mat_release(&again);
	mat_release(&C);
	mat_release(&I);
	mat_release(&Q);
	mat_release(A);
}

TEST(basis)
{
	struct mat A;

	sample_normal(&A, 50, 6, 2);
	check_basis(&A, 6);
	sample_normal(&A, 50, 6, 2);
	/* The columns span four directions, one of them the vector of ones. ortho_basis() still
	 * returns as many columns as A has. */
	for (size_t i = 0; i < 50; i++)
		for (size_t j = 3; j < 6; j++)
			MAT(&A, i, j) = j == 3 ? 1 : MAT(&A, i, j - 3) + 2;
	check_basis(&A, 6);
	sample_normal(&A, 7, 9, 2);
	A.cols = 6; /* as many columns as the rows permit */
	check_basis(&A, 6);
	sample_normal(&A, 7, 9, 2);
	assert_ok(ortho_basis(&A));
	assert_int_equal(A.cols, 6);
	MAT(&A, 3, 3) = NAN;
	assert_err(ortho_basis(&A), ERR_INPUT, "too large");
	mat_release(&A);
}

/* For R from ortho_inverse_root(), R H R is the projector on the range of H: for full rank the
 * identity. */
TEST(inverse_root)
{
	for (size_t rank = 3; rank <= 5; rank += 2) {
		struct mat H, R, RH, P, PP;
		double trace = 0;

		positive(&H, 5, rank, 3);
		assert_ok(ortho_inverse_root(&H, 1e-10, &R));
		la_mul_nn(&R, &H, 1, &RH);
		la_mul_nn(&RH, &R, 1, &P);
		la_mul_nn(&P, &P, 1, &PP);
		assert_mat_near(&PP, &P, 1e-9);
		for (size_t i = 0; i < 5; i++) {
			trace += MAT(&P, i, i);
			for (size_t j = 0; j < 5; j++)
				assert_true(MAT(&R, i, j) == MAT(&R, j, i));
		}
		assert_near(trace, (double)rank, 1e-9);
		mat_release(&PP);
		mat_release(&P);
		mat_release(&RH);
		mat_release(&R);
		mat_release(&H);
	}
}

/* With 7 landmarks (rows of M) in 4 dimensions the inner products of the rows of P are those of X.
 * With 2 landmarks P has 2 columns, and with landmarks of length 0 one column of zeros. */
TEST(whiten)
{
	struct mat X, M, XM, MM, K, P;

	sample_normal(&X, 20, 4, 4);
	sample_normal(&M, 7, 4, 5); /* 7 landmarks in 4 dimensions */
	la_mul_nt(&X, &M, 1, &XM);
	la_mul_nt(&M, &M, 1, &MM);
	la_mul_nt(&X, &X, 1, &K);
	assert_ok(ortho_whiten(&XM, &MM, 7, 1e-8, &P));
	assert_int_equal(P.cols, 4);
	for (size_t i = 0; i < 20; i++)
		for (size_t j = 0; j < 20; j++)
			assert_near(inner(&P, i, j), MAT(&K, i, j), 1e-9);
	mat_release(&P);
	assert_ok(ortho_whiten(&XM, &MM, 2, 1e-8, &P));
	assert_int_equal(P.cols, 2);
	mat_release(&P);
	memset(MM.a, 0, 49 * sizeof(double));
	assert_ok(ortho_whiten(&XM, &MM, 7, 1e-8, &P));
	assert_int_equal(P.cols, 1);
	for (size_t i = 0; i < 20; i++)
		assert_true(MAT(&P, i, 0) == 0);
	mat_release(&P);
	mat_release(&K);
	mat_release(&MM);
	mat_release(&XM);
	mat_release(&M);
	mat_release(&X);
}

/* Centred components are uncorrelated, their variances fall, and together they keep all
 * distances. */
TEST(components)
{
	struct mat A, P, G;

	sample_normal(&A, 60, 5, 6);
	for (size_t i = 0; i < 60; i++) {
		MAT(&A, i, 2) = 4 * MAT(&A, i, 2) + 7;
		MAT(&A, i, 0) += MAT(&A, i, 2);
	}
	assert_ok(ortho_components(&A, 9, &P));
	assert_int_equal(P.cols, 5);
	for (size_t i = 1; i < 60; i++) {
		double before = 0, after = 0;

		for (size_t j = 0; j < 5; j++) {
			before += pow(MAT(&A, i, j) - MAT(&A, i - 1, j), 2);
			after += pow(MAT(&P, i, j) - MAT(&P, i - 1, j), 2);
		}
		assert_near(before, after, 1e-10 * before);
	}
	ortho_centre(&P);
	la_gram_columns(&P, 1, &G);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++)
			if (i != j)
				assert_near(MAT(&G, i, j), 0, 1e-9);
	for (size_t i = 1; i < 5; i++)
		assert_true(MAT(&G, i, i) < MAT(&G, i - 1, i - 1));
	mat_release(&G);
	mat_release(&P);
	assert_ok(ortho_components(&A, 2, &P));
	assert_int_equal(P.cols, 2);
	mat_release(&P);
	mat_release(&A);
}

struct known {
	const struct mat *K;
	unsigned calls;
};

static enum err times(void *ctx, const struct mat *B, struct mat *Y)
{
	struct known *k = ctx;

	k->calls++;
	la_mul_nn(k->K, B, 1, Y);
	return ERR_OK;
}

/* K = XX', where X has a few strong directions and noise. Rows of Z have the distances of X
 * projected on its leading principal directions (those of X less its column means). */
TEST(subspace)
{
	enum { N = 80, M = 30, D = 4 };
	struct ortho_subspace p = {
		.n = N, .k = D, .extra = 10, .rounds = 8, .seed = 3, .stream = 7
	};
	struct mat X, K, Z, again, C, U, P;
	struct ortho_operator op;
	struct known known = { .K = &K };
	double sigma[D];

	sample_normal(&X, N, M, 7);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < M; j++)
			MAT(&X, i, j) *= j < D ? 9.0 - (double)j : 0.2;
	for (size_t i = 0; i < N; i++)
		MAT(&X, i, 9) += 3; /* a common offset, which must not become a direction */
	la_gram_rows(&X, 1, &K);
	op = (struct ortho_operator){ &known, times };
	assert_ok(ortho_subspace(&op, &p, &Z));
	assert_int_equal(known.calls, 8);
	assert_int_equal(Z.cols, D);
	mat_copy(&C, &X);
	ortho_centre(&C);
	assert_ok(svd_left(&C, D, 1, &U, sigma, NULL));
	/* P = U diag(sigma) and Z are N x D; their distances between rows must agree. */
	mat_init(&P, N, D);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < D; j++)
			MAT(&P, i, j) = MAT(&U, i, j) * sigma[j];
	for (size_t i = 1; i < N; i++) {
		double a = 0, b = 0;

		for (size_t j = 0; j < D; j++) {
			a += pow(MAT(&P, i, j) - MAT(&P, i - 1, j), 2);
			b += pow(MAT(&Z, i, j) - MAT(&Z, i - 1, j), 2);
		}
		assert_near(a, b, 1e-6 * (1 + a));
	}
	assert_ok(ortho_subspace(&op, &p, &again));
	assert_same_bits(&Z, &again);
	mat_release(&again);
	p.rounds = 1; /* one round gives another result */
	assert_ok(ortho_subspace(&op, &p, &again));
	assert_true(fabs(inner(&again, 0, 0) - inner(&Z, 0, 0)) > 1e-3);
	mat_release(&again);
	mat_release(&P);
	mat_release(&U);
	mat_release(&C);
	mat_release(&Z);
	mat_release(&K);
	mat_release(&X);
}

/* The rank is below k, and the matrix has fewer rows than the block has columns. */
TEST(poor_spaces)
{
	struct ortho_subspace p = { .n = 12, .k = 5, .extra = 10, .rounds = 4 };
	struct known known;
	struct ortho_operator op = { &known, times };
	struct mat K, Z;

	positive(&K, 12, 2, 8);
	known = (struct known){ .K = &K };
	assert_ok(ortho_subspace(&op, &p, &Z));
	assert_int_equal(Z.cols, 2);
	mat_release(&Z);
	memset(K.a, 0, 144 * sizeof(double));
	assert_ok(ortho_subspace(&op, &p, &Z));
	for (size_t i = 0; i < 12; i++)
		assert_true(MAT(&Z, i, 0) == 0);
	mat_release(&Z);
	mat_release(&K);
}
