/* Tests stability over halves of the data, for real clouds, for noise, and for data too small to be
 * halved. */
#include "tests/unit/linalg/sample.h"

#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/cluster/stability.h"

#include <stdlib.h>

enum { EACH = 60 };

/* Makes four clouds at the corners of a square with sides of 20 standard deviations. */
static void clouds(struct mat *Z)
{
	struct rng rng;

	rng_seed(&rng, 4, 4);
	mat_init(Z, (size_t)4 * EACH, 2);
	for (size_t i = 0; i < Z->rows; i++) {
		MAT(Z, i, 0) = (i % 2 ? 20 : 0) + rng_normal(&rng);
		MAT(Z, i, 1) = (i % 4 < 2 ? 20 : 0) + rng_normal(&rng);
	}
}

TEST(test_clouds)
{
	struct mat Z;
	double four, three, seven;

	clouds(&Z);
	four = stability_of(&Z, NULL, 4, 1, 1);
	three = stability_of(&Z, NULL, 3, 1, 1);
	seven = stability_of(&Z, NULL, 7, 1, 1);
	assert_near(four, 1, 0);
	assert_true(three < 0.9 &&
		    /* halves differ in which clouds they join or split */
		    seven < 0.9);
	assert_near(stability_of(&Z, NULL, 7, 1, 2), seven, 0);
	mat_release(&Z);
}

/* A point of weight 0 has no effect. The points of weight 0 in this test are noise over the whole
 * area. */
TEST(test_weights)
{
	struct mat Z, more;
	double *weight;
	struct rng rng;

	rng_seed(&rng, 5, 5);
	clouds(&Z);
	mat_init(&more, 2 * Z.rows, 2);
	ALLOC(weight, more.rows);
	for (size_t i = 0; i < more.rows; i++)
		for (size_t j = 0; j < 2; j++) {
			MAT(&more, i, j) = i < Z.rows ? MAT(&Z, i, j) : 40 * rng_unit(&rng) - 10;
			weight[i] = i < Z.rows;
		}
	assert_near(stability_of(&more, weight, 4, 1, 1), 1, 0);
	assert_true(stability_of(&more, NULL, 4, 1, 1) < 0.99);
	free(weight);
	mat_release(&more);
	mat_release(&Z);
}

/* If data have no clusters, the halves agree little more than by chance. */
TEST(test_none)
{
	struct mat Z, few = { 0 };

	sample_normal(&Z, 400, 20, 3);
	assert_true(stability_of(&Z, NULL, 8, 1, 1) < 0.4);
	few = (struct mat){ 7, Z.cols, Z.a };
	assert_near(stability_of(&few, NULL, 4, 1, 1), 0, 0);
	mat_release(&Z);
}
