/* Tests how DEC moves points to prototypes: the soft assignments Q, their targets P, and the
 * gradient of the loss. */
#include "tests/test.h"

#include "common/base/rng.h"
#include "common/cluster/dec.h"

#include <math.h>

enum { N = 7, K = 3, D = 5 };

static void fill(struct mat *m, size_t rows, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 0);
	mat_init(m, rows, D);
	for (size_t i = 0; i < rows * D; i++)
		m->a[i] = rng_normal(&rng);
}

/* There are two points and two prototypes in one dimension; their squared distances are 0, 1, 1,
 * 0. */
TEST(test_two_points_by_hand)
{
	double z[] = { 0, 1 }, c[] = { 0, 1 };
	struct mat Z = { 2, 1, z }, C = { 2, 1, c }, Q, P, dZ, dC;

	dec_soft(&Z, &C, &Q);
	assert_float_equal(MAT(&Q, 0, 0), 2.0 / 3, 1e-15);
	assert_float_equal(MAT(&Q, 1, 0), 1.0 / 3, 1e-15);
	dec_targets(&Q, &P);
	assert_float_equal(MAT(&P, 0, 0), 4.0 / 5, 1e-15);
	assert_float_equal(MAT(&P, 1, 1), 4.0 / 5, 1e-15);
	mat_init(&dZ, 2, 1);
	mat_init(&dC, 2, 1);
	assert_float_equal(dec_loss(&Z, &C, &Q, &P, &dZ, &dC), 0.8 * log(1.2) + 0.2 * log(0.6),
			   1e-12);
	/* gradient of the first point: 2/2 ((.2 - 1/3) / 2 (0 - 1)) = 1/15 */
	assert_float_equal(dZ.a[0], 1.0 / 15, 1e-12);
	mat_release(&Q);
	mat_release(&P);
	mat_release(&dZ);
	mat_release(&dC);
}

static double loss(const struct mat *Z, const struct mat *C, const struct mat *P)
{
	struct mat Q, dZ, dC;
	double value;

	mat_init(&dZ, N, D);
	mat_init(&dC, K, D);
	dec_soft(Z, C, &Q);
	value = dec_loss(Z, C, &Q, P, &dZ, &dC);
	mat_release(&Q);
	mat_release(&dZ);
	mat_release(&dC);
	return value;
}

static void check(struct mat *of, const struct mat *gradient, const struct mat *Z,
		  const struct mat *C, const struct mat *P)
{
	double h = 1e-5;

	for (size_t i = 0; i < of->rows * D; i++) {
		double was = of->a[i], up;

		of->a[i] = was + h;
		up = loss(Z, C, P);
		of->a[i] = was - h;
		assert_float_equal((up - loss(Z, C, P)) / (2 * h), gradient->a[i], 1e-8);
		of->a[i] = was;
	}
}

TEST(test_gradient)
{
	struct mat Z, C, Q, P, dZ, dC;

	fill(&Z, N, 1);
	fill(&C, K, 2);
	dec_soft(&Z, &C, &Q);
	dec_targets(&Q, &P);
	for (size_t i = 0; i < N; i++) {
		double q = 0, p = 0;

		for (size_t j = 0; j < K; j++) {
			q += MAT(&Q, i, j);
			p += MAT(&P, i, j);
		}
		assert_float_equal(q, 1, 1e-12);
		assert_float_equal(p, 1, 1e-12);
	}
	mat_init(&dZ, N, D);
	mat_init(&dC, K, D);
	assert_true(dec_loss(&Z, &C, &Q, &P, &dZ, &dC) > 0);
	check(&Z, &dZ, &Z, &C, &P);
	check(&C, &dC, &Z, &C, &P);
	mat_release(&Z);
	mat_release(&C);
	mat_release(&Q);
	mat_release(&P);
	mat_release(&dZ);
	mat_release(&dC);
}
