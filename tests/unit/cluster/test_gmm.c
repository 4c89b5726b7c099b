/* Tests Gaussian mixtures: the fit finds planted components, and degenerate data do not fail. */
#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/cluster/gmm.h"
#include "common/cluster/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct gmm_params TWO = {
	.k = 2, .restarts = 3, .iterations = 200, .tolerance = 1e-9, .ridge = 1e-6, .seed = 1
};

/* Makes two components with one centre: one is a thin line through the other. Both are rotated by
 * the angle whose sine is 0.6. */
static void planted(struct mat *X, uint32_t *truth)
{
	struct rng rng;

	rng_seed(&rng, 4, 0);
	for (size_t i = 0; i < X->rows; i++)
		truth[i] = i % 4 == 0;
	for (size_t i = 0; i < X->rows; i++) {
		double along = rng_normal(&rng) * (truth[i] ? 0.05 : 1);
		double across = rng_normal(&rng) * (truth[i] ? 3 : 0.2);

		MAT(X, i, 0) = 0.8 * along - 0.6 * across;
		MAT(X, i, 1) = 0.6 * along + 0.8 * across;
	}
}

TEST(test_planted)
{
	enum { N = 2000 };
	struct metrics score;
	uint32_t truth[N], label[N];
	struct mat X;
	const double *P;
	struct gmm m;
	size_t thin;

	mat_init(&X, N, 2);
	planted(&X, truth);
	gmm_fit(&X, &TWO, &m);
	assert_ok(gmm_label(&m, &X, label));
	assert_ok(metrics_of(truth, label, N, &score));
	assert_true(score.acc > 0.93);
	thin = m.share[0] < m.share[1] ? 0 : 1;
	assert_float_equal(m.share[thin], 0.25, 0.03);
	assert_float_equal(m.share[0] + m.share[1], 1, 1e-12);
	/* the thin component has precision 1 / 0.05^2 along (0.8, 0.6) */
	P = m.precision + 4 * thin;
	assert_float_equal(sqrt((0.64 * P[0] + 0.96 * P[1] + 0.36 * P[3]) * 0.0025), 1, 0.15);
	assert_true(P[1] == P[2] && P[1] > 0);
	assert_float_equal(0.8 * m.mu[2 * thin] + 0.6 * m.mu[2 * thin + 1], 0, 0.02);
	mat_release(&X);
	gmm_release(&m);
}

/* Covers three data sets: all points are equal, there are fewer distinct points than components,
 * and three points are on a line. */
TEST(test_degenerate)
{
	double one[12] = { 0 }, few[12] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1 };
	double line[6] = { 0, 0, 1, 1, 2, 2 };
	const struct mat sets[] = { { 6, 2, one }, { 6, 2, few }, { 3, 2, line } };
	struct gmm_params p = TWO;

	for (size_t s = 0; s < 3; s++) {
		for (p.k = 1; p.k <= 3; p.k++) {
			uint32_t label[6];
			struct gmm m;

			gmm_fit(&sets[s], &p, &m);
			for (size_t i = 0; i < p.k * 4; i++)
				assert_true(isfinite(m.precision[i]));
			assert_ok(gmm_label(&m, &sets[s], label));
			for (size_t i = 0; i < sets[s].rows; i++)
				assert_true(label[i] < p.k);
			gmm_release(&m);
		}
	}
}

TEST(test_indefinite)
{
	double share = 1, mu[2] = { 0 }, precision[4] = { 1, 2, 2, 1 }, x[2] = { 0 };
	struct gmm m = { 1, 2, &share, mu, precision, 0 };
	struct mat X = { 1, 2, x };
	uint32_t label;

	assert_err(gmm_label(&m, &X, &label), ERR_INPUT, "positive definite");
}

TEST(test_same_seed)
{
	enum { N = 300 };
	uint32_t truth[N];
	struct mat X;
	struct gmm a, b;

	mat_init(&X, N, 2);
	planted(&X, truth);
	gmm_fit(&X, &TWO, &a);
	gmm_fit(&X, &TWO, &b);
	assert_memory_equal(a.precision, b.precision, 8 * sizeof(double));
	assert_true(a.likelihood == b.likelihood);
	gmm_release(&a);
	gmm_release(&b);
	mat_release(&X);
}
