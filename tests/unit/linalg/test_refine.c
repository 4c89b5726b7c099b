/* Singular vectors from nearly the Gram matrix, of matrices whose vectors are known. */
#include "tests/unit/linalg/diagonal.h"
#include "common/linalg/refine.h"
#include "common/linalg/svd.h"

/* One large value, and others that lie close: those of a filter of many steps on random features.
 */
static void flat(struct diagonal *a, size_t n)
{
	diagonal_init(a, n, n);
	for (size_t j = 0; j < n; j++)
		a->sigma[j] = j ? 2 / sqrt(1. + 0.05 * (double)j) : 70;
}

/* A'A and a symmetric matrix of norm `off` besides, about. */
static void perturbed(const struct diagonal *a, double off, uint64_t seed, struct mat *G)
{
	size_t n = a->map.cols;

	sample_normal(G, n, n, seed);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++)
			MAT(G, i, j) = MAT(G, j, i) = off / (2 * sqrt((double)n)) * MAT(G, i, j);
	for (size_t i = 0; i < n; i++)
		MAT(G, i, i) += a->sigma[i] * a->sigma[i];
}

static void assert_found(struct diagonal *a, struct mat *G, size_t d)
{
	bool settled = false;
	struct mat P;

	assert_ok(refine_right(&a->map, G, d, 1, &P, &settled));
	assert_true(settled);
	assert_int_equal(P.rows, d);
	assert_int_equal(P.cols, a->map.cols);
	assert_orthonormal(&P);
	if (outside(&P, d) > 1e-8 * sqrt((double)d))
		fail_msg("%zu of %zu: off by %.3g", d, P.cols, outside(&P, d));
	mat_release(&P);
}

/* The nearer G, the fewer products: that there is nothing to do is seen by one. */
static void the_nearer_the_fewer(void **state)
{
	const double off[] = { 0, 1e-6, 1e-3, 1e-2 };
	const unsigned most[] = { 1, 1, 2, 4 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (uint64_t seed = 1; seed <= 10; seed++) {
			struct diagonal a;
			struct mat G;

			flat(&a, 60);
			perturbed(&a, off[i], seed, &G);
			assert_found(&a, &G, 3);
			if (a.products > most[i])
				fail_msg("%u products for %g", a.products, off[i]);
			mat_release(&G);
			free(a.sigma);
		}
}

/* Widths that are multiples of what goes through together, one more, and all there is. */
static void widths(void **state)
{
	const size_t d[] = { 1, 7, 8, 9, 16, 29, 30 };

	(void)state;
	for (size_t i = 0; i < sizeof(d) / sizeof(*d); i++) {
		struct diagonal a;
		struct mat G;

		flat(&a, 30);
		perturbed(&a, 1e-4, i, &G);
		assert_found(&a, &G, d[i]);
		mat_release(&G);
		free(a.sigma);
	}
}

/* Equal values, all of them wanted. */
static void equal_values(void **state)
{
	struct diagonal a;
	struct mat G;

	(void)state;
	flat(&a, 60);
	for (size_t j = 1; j < 5; j++)
		a.sigma[j] = 3;
	perturbed(&a, 1e-3, 1, &G);
	assert_found(&a, &G, 5);
	mat_release(&G);
	free(a.sigma);
}

/* U and sigma are those of the map, not of G. */
static void singular_values(void **state)
{
	double sigma[4];
	struct diagonal a;
	struct mat G, U, map;
	bool settled;

	(void)state;
	flat(&a, 50);
	perturbed(&a, 1e-3, 1, &G);
	assert_ok(svd_left_near(&a.map, &G, 4, 1, &U, sigma, &map, &settled));
	assert_true(settled);
	for (size_t j = 0; j < 4; j++) {
		assert_near(sigma[j], a.sigma[j], 1e-12);
		for (size_t i = 0; i < 50; i++) {
			assert_near(MAT(&U, i, j), i == j, 1e-8);
			assert_near(MAT(&map, i, j), i == j ? 1 / a.sigma[j] : 0, 1e-8);
		}
	}
	mat_release(&map);
	mat_release(&U);
	mat_release(&G);
	free(a.sigma);
}

/* A G that says nothing of the map: it is said, after so many products, and there is nothing. */
static void not_near(void **state)
{
	double sigma[3];
	struct diagonal a;
	struct mat G, U;
	bool settled = true;

	(void)state;
	flat(&a, 400);
	perturbed(&a, 1e4, 1, &G);
	assert_ok(svd_left_near(&a.map, &G, 3, 1, &U, sigma, NULL, &settled));
	assert_false(settled);
	assert_int_equal(a.products, REFINE_TURNS);
	mat_release(&G);
	free(a.sigma);
}

static void threads(void **state)
{
	struct mat P[4];

	(void)state;
	for (unsigned t = 1; t < 4; t++) {
		struct diagonal a;
		struct mat G;
		bool settled;

		flat(&a, 300);
		perturbed(&a, 1e-3, 1, &G);
		assert_ok(refine_right(&a.map, &G, 3, t, &P[t], &settled));
		assert_same_bits(&P[t], &P[1]);
		mat_release(&G);
		free(a.sigma);
	}
	for (unsigned t = 1; t < 4; t++)
		mat_release(&P[t]);
}

static void too_large(void **state)
{
	struct diagonal a;
	struct mat G, P;
	bool settled;

	(void)state;
	flat(&a, 20);
	perturbed(&a, 1e-3, 1, &G);
	MAT(&G, 3, 4) = MAT(&G, 4, 3) = INFINITY;
	assert_err(refine_right(&a.map, &G, 3, 1, &P, &settled), ERR_INPUT, "too large");
	mat_release(&G);
	perturbed(&a, 1e-3, 1, &G);
	a.sigma[1] = 1e200; /* its square is not a double */
	assert_err(refine_right(&a.map, &G, 3, 1, &P, &settled), ERR_INPUT, "too large");
	mat_release(&G);
	free(a.sigma);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearer_the_fewer),
		cmocka_unit_test(widths),
		cmocka_unit_test(equal_values),
		cmocka_unit_test(singular_values),
		cmocka_unit_test(not_near),
		cmocka_unit_test(threads),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
