/* FedGCN's prototypes: EM on them, KDE of uploaded ones, the final mixture. */
#include "tests/unit/fedgcn/fedgcn.h"
#include "common/base/rng.h"
#include "common/fedgcn/own.h"
#include "common/cluster/gmm.h"

#include <math.h>
#include <string.h>

/* Steps of EM on prototypes by sums over parties, against one that has them all. */
static void test_em(void **state)
{
	enum { N = 12, K = 3 };
	size_t words = K * (1 + FEDGCN_Z + FEDGCN_TRIANGLE);
	double *component, *other, *pooled, *sum, *term;
	struct mat U, C, D;
	struct rng rng;

	(void)state;
	mat_init(&U, N, FEDGCN_Z);
	rng_seed(&rng, 8, 0);
	for (size_t i = 0; i < N * FEDGCN_Z; i++)
		U.a[i] = rng_normal(&rng) + 3 * (double)(i / FEDGCN_Z % K);
	mat_init(&C, K, FEDGCN_Z);
	memcpy(C.a, U.a, K * FEDGCN_Z * sizeof(double));
	mat_copy(&D, &C);
	ALLOC(component, K * FEDGCN_COMPONENT);
	ALLOC(other, K * FEDGCN_COMPONENT);
	ALLOC(pooled, words);
	ALLOC(sum, words);
	ALLOC(term, words);
	fedgcn_em_begin(&C, 2, component);
	fedgcn_em_begin(&D, 2, other);
	for (int t = 0; t < 8; t++) {
		memset(pooled, 0, words * sizeof(double));
		memset(sum, 0, words * sizeof(double));
		for (size_t i = 0; i < N; i++)
			fedgcn_em_terms(K, component, ROW(&U, i), pooled);
		for (size_t l = 0; l < N / K; l++) { /* parties of K prototypes */
			memset(term, 0, words * sizeof(double));
			for (size_t r = 0; r < K; r++)
				fedgcn_em_terms(K, other, ROW(&U, l * K + r), term);
			for (size_t i = 0; i < words; i++)
				sum[i] += nearbyint(ldexp(term[i], 24)) / ldexp(1, 24);
		}
		assert_ok(fedgcn_em_step(K, pooled, 0.1, &C, component));
		assert_ok(fedgcn_em_step(K, sum, 0.1, &D, other));
	}
	for (size_t i = 0; i < K * FEDGCN_Z; i++)
		assert_float_equal(C.a[i], D.a[i], 1e-5);
	for (size_t r = 0; r < K; r++) { /* and it has found the three places */
		double mean = 0;

		for (size_t j = 0; j < FEDGCN_Z; j++)
			mean += MAT(&C, r, j) / FEDGCN_Z;
		assert_float_equal(mean, 3 * (double)r, 0.3);
	}
	mat_release(&U);
	mat_release(&C);
	mat_release(&D);
	free(component);
	free(other);
	free(pooled);
	free(sum);
	free(term);
}

/* The density of a component is that of a Gaussian of its covariance, tempered. */
static void test_component(void **state)
{
	double sum[1 + FEDGCN_Z + FEDGCN_TRIANGLE] = { 0 }, c[FEDGCN_COMPONENT] = { 0 };
	const double *P = c + 2 + FEDGCN_Z;
	struct mat C;

	(void)state;
	mat_init(&C, 1, FEDGCN_Z);
	sum[0] = 2; /* prototypes at +-1 in the first dimension: variance 1 there, else the floor */
	sum[1 + FEDGCN_Z] = 2;
	assert_ok(fedgcn_em_step(1, sum, 0.5, &C, c));
	assert_float_equal(P[0], 4.0 / 64 / 1.5, 1e-9);
	assert_float_equal(P[1], 0, 1e-9);
	assert_float_equal(P[2], 4.0 / 64 / 0.5, 1e-9);
	assert_float_equal(c[0], -4.0 / 64 / 2 * (log(1.5) + 63 * log(0.5)), 1e-9);
	assert_true(c[1] == 1);
	mat_release(&C);
}

/* Two groups of uploads far apart: KDE puts the prototypes there, whatever is withheld. */
static void test_kde(void **state)
{
	enum { PARTIES = 4, K = 2 };
	struct fedgcn_params p;
	struct mat C;
	double *x;
	size_t words;

	(void)state;
	quick(&p, K);
	words = fedgcn_upload_words(&p);
	ALLOC(x, PARTIES * words);
	for (size_t l = 0; l < PARTIES; l++) {
		for (size_t r = 0; r < K; r++) {
			for (size_t j = 0; j < FEDGCN_Z; j++)
				x[l * words + r * FEDGCN_Z + j] =
				    10 * (double)r + 0.1 * (double)((l + j) % 3);
			x[l * words + K * FEDGCN_Z + r] = 5;
		}
		x[l * words + words - 1] = 0.1 * (double)l;
	}
	x[K * FEDGCN_Z + 1] = 0; /* withheld: its numbers mean nothing */
	for (size_t j = 0; j < FEDGCN_Z; j++)
		x[FEDGCN_Z + j] = 1e6;
	mat_init(&C, K, FEDGCN_Z);
	for (size_t j = 0; j < FEDGCN_Z; j++)
		MAT(&C, 1, j) = 7;
	fedgcn_kde(&p, PARTIES, x, &C);
	for (size_t j = 0; j < FEDGCN_Z; j++) {
		assert_float_equal(MAT(&C, 0, j), 0.1, 0.15);
		assert_float_equal(MAT(&C, 1, j), 10.1, 0.15);
	}
	x[3 * words + K * FEDGCN_Z] = 0; /* the clearest party withholds its first */
	fedgcn_best(&p, PARTIES, x, &C);
	for (size_t j = 0; j < FEDGCN_Z; j++) {
		assert_float_equal(MAT(&C, 0, j), 0.1, 0.15);
		assert_true(MAT(&C, 1, j) == x[3 * words + FEDGCN_Z + j]);
	}
	mat_release(&C);
	free(x);
}

/* The final mixture stands where EM settles, not where it became slow: of clusters that overlap, as
 * those of graphs do, that is elsewhere. */
static void test_mixture_where_em_settles(void **state)
{
	enum { N = 800, AXES = 3 };
	struct fedgcn_model m = { .k = 2 };
	struct gmm_params how = {
		.k = 2, .restarts = 5, .iterations = 5000, .tolerance = 1e-12, .ridge = 1e-2
	};
	uint32_t label[N];
	struct fedgcn_params p;
	struct mat Z, X;
	struct gmm g;
	struct rng rng;

	(void)state;
	quick(&p, 2);
	how.seed = p.seed;
	rng_seed(&rng, 5, 0);
	mat_init(&Z, N, FEDGCN_Z);
	mat_init(&m.C, 2, FEDGCN_Z);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < AXES; j++)
			MAT(&Z, i, j) = (i % 3 ? 0.5 : 1.2) * (double)(AXES - j) * rng_normal(&rng);
	assert_ok(fedgcn_cluster(&p, &Z, &m, label));
	mat_init(&X, N, AXES);
	for (size_t i = 0; i < N; i++)
		for (size_t a = 0; a < AXES; a++)
			for (size_t j = 0; j < FEDGCN_Z; j++)
				MAT(&X, i, a) +=
				    (MAT(&Z, i, j) - m.mean[j]) * m.axis[a * FEDGCN_Z + j];
	gmm_fit(&X, &how, &g);
	assert_float_equal(fmin(m.share[0], m.share[1]), fmin(g.share[0], g.share[1]), 0.01);
	gmm_release(&g);
	mat_release(&X);
	mat_release(&Z);
	fedgcn_model_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_em),
		cmocka_unit_test(test_component),
		cmocka_unit_test(test_kde),
		cmocka_unit_test(test_mixture_where_em_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
