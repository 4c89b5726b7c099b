#include "tests/unit/linalg/sample.h"
#include "common/linalg/distance.h"
#include "common/graph/knn.h"
#include "common/linalg/la.h"

TEST(same_as_by_definition)
{
	assert_int_equal(knn_rule(1), 1);
	assert_int_equal(knn_rule(2), 1);
	assert_int_equal(knn_rule(3), 2);
	assert_int_equal(knn_rule(150), 6);
	assert_int_equal(knn_rule(1440), 8);
	assert_int_equal(knn_rule(9298), 10);
}

/* Computes the neighbour graph S by its definition, from the whole matrix K of products. */
static void slowly(const struct mat *K, size_t k, struct mat *S)
{
	size_t n = K->rows;

	mat_init(S, n, n);
	for (size_t i = 0; i < n; i++) {
		bool *taken = alloc(n, sizeof(*taken));

		taken[i] = true;
		for (size_t t = 0; t < k && t < n - 1; t++) {
			size_t best = n;

			for (size_t j = 0; j < n; j++)
				if (!taken[j] && (best == n || MAT(K, i, j) > MAT(K, i, best)))
					best = j;
			taken[best] = true;
			if (MAT(K, i, best) > 0) {
				MAT(S, i, best) += MAT(K, i, best) / 2;
				MAT(S, best, i) += MAT(K, i, best) / 2;
			}
		}
		free(taken);
	}
}

static void check(const struct csr *S, const struct mat *expected, double tolerance)
{
	struct mat dense;

	csr_to_dense(S, &dense);
	assert_mat_near(&dense, expected, tolerance);
	for (size_t i = 0; i < dense.rows; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(MAT(&dense, i, j) == MAT(&dense, j, i));
	mat_release(&dense);
}

/* Uses more rows than a block has, and k from 1 to more than the number of rows. */
TEST(against_the_definition)
{
	static const size_t shape[][3] = {
		{ 2, 2, 1 }, { 9, 3, 20 }, { 40, 3, 5 }, { 1030, 2, 7 }
	};

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++) {
		struct mat X, K, expected;
		struct csr S;

		sample_normal(&X, shape[s][0], shape[s][1], s);
		la_gram_rows(&X, 1, &K); /* some products are negative */
		slowly(&K, shape[s][2], &expected);
		knn_products(&X, shape[s][2], 2, &S);
		check(&S, &expected, 1e-12);
		csr_release(&S);
		mat_release(&expected);
		mat_release(&K);
		mat_release(&X);
	}
}

static void given(void *ctx, size_t first, size_t count, double *S)
{
	const struct mat *K = ctx;

	memcpy(S, ROW(K, first), count * K->cols * sizeof(*S));
}

/* Row 0 has equal products with rows 1, 2 and 3, so with k = 2 rows 1 and 2 remain. Row 3 has no
 * neighbours. */
TEST(ties_and_nothing)
{
	double k[] = { 9, 1, 1, 1, 0, 9, 2, 0, 0, 2, 9, 0, 0, -1, 0, 9 };
	struct mat K = { 4, 4, k }, dense;
	struct knn_source source = { 4, &K, given };
	struct csr S;

	knn_graph(&source, 2, 1, &S);
	csr_to_dense(&S, &dense);
	assert_near(MAT(&dense, 0, 1), 0.5, 0);
	assert_near(MAT(&dense, 0, 2), 0.5, 0);
	assert_near(MAT(&dense, 0, 3), 0, 0);
	assert_near(MAT(&dense, 1, 2), 2, 0);
	assert_int_equal(S.start[4] - S.start[3], 0);
	mat_release(&dense);
	csr_release(&S);
}

TEST(threads_do_not_matter)
{
	struct csr one, three;
	struct mat X;

	sample_normal(&X, 2500, 3, 8);
	knn_products(&X, 8, 1, &one);
	knn_products(&X, 8, 3, &three);
	assert_memory_equal(one.start, three.start, 2501 * sizeof(size_t));
	assert_memory_equal(one.index, three.index, one.start[2500] * sizeof(uint32_t));
	assert_memory_equal(one.value, three.value, one.start[2500] * sizeof(double));
	csr_release(&three);
	csr_release(&one);
	mat_release(&X);
}
