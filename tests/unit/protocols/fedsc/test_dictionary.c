#include "tests/unit/protocols/fedsc/trilaterate.h"
#include "protocols/fedsc/dictionary.c" /* tests the static parts of a Stage I step */

enum { N = 40, D = 7, M = 5 };
static const double R = 2.5, LAMBDA = 1e-2;

static struct mat X, Z;

static int make(void **state)
{
	(void)state;
	sample_normal(&X, N, M, 1);
	sample_normal(&Z, D, M, 2);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	mat_release(&X);
	mat_release(&Z);
	return 0;
}

/* Returns the objective (equation 8 of the FedSC paper), summed term by term. */
static double objective(const struct mat *C, const struct mat *at)
{
	struct mat Kzx, Kzz;
	double f = 0.5 * N;

	kernel_gaussian(&X, at, R, 1, &Kzx);
	kernel_gaussian(at, at, R, 1, &Kzz);
	for (size_t i = 0; i < N; i++)
		for (size_t a = 0; a < D; a++) {
			f += 0.5 * LAMBDA * MAT(C, i, a) * MAT(C, i, a) -
			     MAT(C, i, a) * MAT(&Kzx, i, a);
			for (size_t b = 0; b < D; b++)
				f += 0.5 * MAT(C, i, a) * MAT(&Kzz, a, b) * MAT(C, i, b);
		}
	mat_release(&Kzz);
	mat_release(&Kzx);
	return f;
}

/* For given C, computes the objective f, its gradient G at Z, and the step that training would
 * take. Each output may be NULL. */
static enum err gradient_of(const struct mat *C, struct mat *G, double *f, double *step)
{
	struct coefficients held;
	struct gradient g = { .C = &held, .r = R, .lambda = LAMBDA, .threads = 1 };
	enum err err;

	coefficients_init(&held, &X, C, NULL, D, 1);
	err = gram_of(&held, D, &g.CC);
	if (!err)
		err = gradient_at(&g, &Z);
	if (!err && G)
		mat_copy(G, &g.G);
	if (!err && f)
		*f = g.f;
	if (!err && step)
		*step = step_of(&g);
	gradient_forget(&g);
	mat_release(&g.CC);
	coefficients_release(&held);
	return err;
}

/* Each entry of the gradient is the slope of the objective, for any C. */
TEST(finite_differences)
{
	const double h = 1e-5;
	struct mat C, G;
	double f, size = 0, off = 0;

	sample_normal(&C, N, D, 3);
	assert_ok(gradient_of(&C, &G, &f, NULL));
	assert_near(f, objective(&C, &Z), 1e-10 * fabs(f));
	for (size_t e = 0; e < D * M; e++) {
		double z = Z.a[e], up, down, slope;

		Z.a[e] = z + h;
		up = objective(&C, &Z);
		Z.a[e] = z - h;
		down = objective(&C, &Z);
		Z.a[e] = z;
		slope = (up - down) / (2 * h);
		size += slope * slope;
		off += (slope - G.a[e]) * (slope - G.a[e]);
	}
	assert_true(sqrt(off / size) < 1e-7);
	mat_release(&G);
	mat_release(&C);
}

/* C minimises the objective: the slope at C is 0. */
TEST(coefficients)
{
	struct fedsc_basis b;
	struct mat C;

	assert_ok(fedsc_basis_init(&b, &Z, R, LAMBDA, 1));
	mat_init(&C, N, D);
	assert_ok(fedsc_coefficients(&b, X.a, N, C.a));
	for (size_t e = 0; e < N * D; e += 13) {
		double c = C.a[e], up, down;

		C.a[e] = c + 1e-4;
		up = objective(&C, &Z);
		C.a[e] = c - 1e-4;
		down = objective(&C, &Z);
		C.a[e] = c;
		assert_near((up - down) / 2e-4, 0, 1e-9);
	}
	mat_release(&C);
	fedsc_basis_release(&b);
}

/* The basis's root multiplied by itself is Kzz, the kernel between the rows of Z. A block of F,
 * whose rows have the similarities C Kzz C' as inner products, is C times the root. */
TEST(factors)
{
	struct fedsc_basis b;
	struct mat square, C, CR, F;

	assert_ok(fedsc_basis_init(&b, &Z, R, LAMBDA, 1));
	assert_ok(fedsc_basis_root(&b, 1));
	la_mul_nn(&b.root, &b.root, 1, &square);
	assert_mat_near(&square, &b.Kzz, 1e-12);
	mat_init(&C, N, D);
	assert_ok(fedsc_coefficients(&b, X.a, N, C.a));
	la_mul_nn(&C, &b.root, 1, &CR);
	assert_ok(fedsc_factor_block(&b, &X, 0, 2, &F));
	assert_mat_near(&F, &CR, 1e-12);
	mat_release(&F);
	mat_release(&CR);
	mat_release(&C);
	mat_release(&square);
	fedsc_basis_release(&b);
}

/* The step is 1 / (1.05 ||H||) within 5 %, with the matrix H that is computed here. dictionary.c
 * estimates ||H|| by 20 power iterations. */
TEST(step)
{
	struct mat C, CC, K, H, V;
	double eta, value[D], w[D] = { 0 }, norm;

	sample_normal(&C, N, D, 4);
	assert_ok(gradient_of(&C, NULL, NULL, &eta));
	kernel_gaussian(&X, &Z, R, 1, &K);
	for (size_t i = 0; i < N; i++)
		for (size_t a = 0; a < D; a++)
			w[a] += MAT(&C, i, a) * MAT(&K, i, a);
	mat_release(&K);
	kernel_gaussian(&Z, &Z, R, 1, &K);
	la_gram_columns(&C, 1, &CC);
	mat_init(&H, D, D);
	for (size_t a = 0; a < D; a++) {
		MAT(&H, a, a) += w[a] / (R * R);
		for (size_t b = 0; b < D; b++) {
			double q = 0.5 * MAT(&CC, a, b) * MAT(&K, a, b);

			MAT(&H, a, a) -= 2 * q / (R * R);
			MAT(&H, a, b) += 2 * q / (R * R);
		}
	}
	assert_ok(la_eigen_top(&H, D, value, &V));
	norm = fmax(fabs(value[0]), fabs(value[D - 1]));
	assert_near(eta, 1 / (1.05 * norm), 0.05 / norm);
	mat_release(&V);
	mat_release(&H);
	mat_release(&K);
	mat_release(&CC);
	mat_release(&C);
}

/* The dictionary of each round has a lower objective than the one before it, each with its own best
 * C. */
TEST(rounds_descend)
{
	struct mat at, next, C;
	double before = INFINITY;

	mat_copy(&at, &Z);
	mat_init(&C, N, D);
	for (int s = 0; s < 8; s++) {
		struct fedsc_basis b;
		double f;

		assert_ok(fedsc_basis_init(&b, &at, R, LAMBDA, 1));
		assert_ok(fedsc_coefficients(&b, X.a, N, C.a));
		fedsc_basis_release(&b);
		f = objective(&C, &at);
		assert_true(f < before);
		before = f;
		assert_ok(fedsc_round(&X, &at, R, LAMBDA, 5, 1, &next));
		mat_release(&at);
		at = next;
	}
	mat_release(&C);
	mat_release(&at);
}

/* Coefficients recomputed block by block (for `thin`) give the same dictionary as stored ones (for
 * `wide`). `wide` adds columns of zeros, which change no distance. It has as many columns as the
 * dictionary has rows, so its coefficients are stored. */
TEST(held_or_made)
{
	enum { MANY = 140000, FEW = 64 };
	struct mat thin, wide, zt, zw, ot, ow;

	sample_normal(&thin, MANY, 1, 5);
	sample_normal(&zt, FEW, 1, 6);
	mat_init(&wide, MANY, FEW);
	mat_init(&zw, FEW, FEW);
	for (size_t i = 0; i < MANY; i++)
		MAT(&wide, i, 0) = thin.a[i];
	for (size_t i = 0; i < FEW; i++)
		MAT(&zw, i, 0) = zt.a[i];
	assert_ok(fedsc_round(&thin, &zt, 0.5, 1, 1, 2, &ot));
	assert_ok(fedsc_round(&wide, &zw, 0.5, 1, 1, 2, &ow));
	for (size_t i = 0; i < FEW; i++) {
		assert_near(ot.a[i], MAT(&ow, i, 0), 1e-9);
		assert_true(ot.a[i] != zt.a[i]);
	}
	mat_release(&ow);
	mat_release(&ot);
	mat_release(&zw);
	mat_release(&wide);
	mat_release(&zt);
	mat_release(&thin);
}

TEST(threads_do_not_matter)
{
	struct mat rows, at, one, three;

	sample_normal(&rows, 2500, 30, 7);
	sample_normal(&at, 20, 30, 8);
	assert_ok(fedsc_round(&rows, &at, 7, LAMBDA, 2, 1, &one));
	assert_ok(fedsc_round(&rows, &at, 7, LAMBDA, 2, 3, &three));
	assert_same_bits(&one, &three);
	mat_release(&three);
	mat_release(&one);
	mat_release(&at);
	mat_release(&rows);
}

/* Without lambda two equal rows of Z are refused, as is NaN. */
TEST(not_positive)
{
	double a[] = { 1, 2, 1, 2 };
	struct mat twice = { 2, 2, a };
	struct fedsc_basis b;

	assert_err(fedsc_basis_init(&b, &twice, 1.5, 0, 1), ERR_JOB, "lambda 0, r 1.5");
	fedsc_basis_release(&b);
	a[0] = NAN;
	assert_err(fedsc_basis_init(&b, &twice, 1.5, 1, 1), ERR_JOB, "lambda 1, r 1.5");
	fedsc_basis_release(&b);
}

/* An attacker recovers each row from its coefficients, so uploads of C are for reproduction only.
 * Noise on C prevents it. */
TEST(rows_come_back)
{
	struct fedsc_basis b;
	struct mat C;

	assert_ok(fedsc_basis_init(&b, &Z, R, LAMBDA, 1));
	mat_init(&C, N, D);
	assert_ok(fedsc_coefficients(&b, X.a, N, C.a));
	assert_true(trilaterate(&Z, &C, R, LAMBDA, &X) < 1e-10);
	assert_true(trilaterate(&Z, &C, 1.01 * R, LAMBDA, &X) > 1e-3); /* attackers must know r */
	for (size_t e = 0; e < N * D; e++)
		C.a[e] += e % 2 ? 0.1 : -0.1;
	assert_true(trilaterate(&Z, &C, R, LAMBDA, &X) > 0.05);
	mat_release(&C);
	fedsc_basis_release(&b);
}

TESTS_BETWEEN(make, unmake)
