#include "tests/unit/linalg/sample.h"
#include "common/cluster/kmeans.h"

static double inertia(const struct mat *Z, size_t k, const uint32_t *label)
{
	double sum = 0;
	struct mat c;

	mat_init(&c, k, Z->cols);
	kmeans_centres(Z, NULL, label, &c);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			sum += (MAT(Z, i, j) - MAT(&c, label[i], j)) *
			       (MAT(Z, i, j) - MAT(&c, label[i], j));
	mat_release(&c);
	return sum;
}

/* Centres are -2 and 3. Row 1 is nearer to the first, so Lloyd leaves it there. But {-4, 0} costs 8
 * and {0, 3} costs 4.5, so kmeans_swap() moves it. */
TEST(a_row_moves)
{
	double z[] = { -4, 0, 3 };
	struct mat Z = { 3, 1, z };
	uint32_t label[] = { 0, 0, 1 };

	kmeans_swap(&Z, 2, 0, 1, label);
	assert_int_equal(label[0], 0);
	assert_int_equal(label[1], 1);
	assert_int_equal(label[2], 1);
}

/* Two of four groups share a centre, and one group has two centres. No move of a row improves this;
 * a swap does. */
TEST(a_centre_moves)
{
	struct mat Z;
	uint32_t label[80];
	struct rng rng;

	rng_seed(&rng, 1, 0);
	mat_init(&Z, 80, 2);
	for (size_t i = 0; i < 80; i++) {
		MAT(&Z, i, 0) = (double)(i / 20 % 2) * 100 + rng_unit(&rng);
		MAT(&Z, i, 1) = (double)(i / 40) * 30 + rng_unit(&rng);
		label[i] = i / 20 == 1 ? 1 + (MAT(&Z, i, 1) > 0.5) : i / 20 == 3 ? 3 : 0;
	}
	kmeans_swap(&Z, 4, 0, 1, label);
	assert_true(inertia(&Z, 4, label) > 8000);
	kmeans_swap(&Z, 4, 200, 1, label);
	assert_true(inertia(&Z, 4, label) < 80);
	for (size_t i = 0; i < 80; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_equal(label[i] == label[j], i / 20 == j / 20);
	mat_release(&Z);
}

/* From any labels the inertia decreases, and with many swaps every start reaches one optimum. The
 * same seed gives the same labels. */
TEST(one_optimum)
{
	double least = INFINITY;
	uint32_t label[120], again[120];
	struct mat Z;

	sample_normal(&Z, 120, 3, 4);
	for (uint64_t seed = 0; seed < 8; seed++) {
		double first, after;
		struct rng rng;

		rng_seed(&rng, seed, 9);
		for (size_t i = 0; i < 120; i++)
			label[i] = again[i] = (uint32_t)rng_below(&rng, 4);
		first = inertia(&Z, 4, label);
		kmeans_swap(&Z, 4, 300, seed, label);
		kmeans_swap(&Z, 4, 300, seed, again);
		assert_memory_equal(label, again, sizeof(label));
		after = inertia(&Z, 4, label);
		assert_true(after < first);
		if (seed)
			assert_near(after, least, 1e-9);
		least = after;
	}
	mat_release(&Z);
}

/* Covers more clusters than rows, one cluster, equal rows and no rows. */
TEST(odd_shapes)
{
	double z[] = { 1, 1, 1, 1, 2 };
	struct mat Z = { 5, 1, z };
	uint32_t label[5] = { 0, 1, 0, 1, 0 };

	kmeans_swap(&Z, 7, 20, 1, label);
	for (size_t i = 0; i < 5; i++)
		assert_true(label[i] < 7);
	assert_near(inertia(&Z, 7, label), 0, 1e-20);
	memset(label, 0, sizeof(label));
	kmeans_swap(&Z, 1, 20, 1, label);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(label[i], 0);
	Z.rows = 0;
	kmeans_swap(&Z, 2, 20, 1, label);
}
