/* Tests the measures that choose k from inner products alone. */
#include "protocols/kcagc/coordinator/measure.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "tests/unit/linalg/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void products(const struct mat *Y, struct mat *G)
{
	mat_init(G, Y->rows, Y->rows);
	for (size_t i = 0; i < Y->rows; i++)
		for (size_t l = 0; l < Y->rows; l++)
			for (size_t c = 0; c < Y->cols; c++)
				MAT(G, i, l) += MAT(Y, i, c) * MAT(Y, l, c);
}

/* Compares measure_joint(), which knows products of cells' means, with selection_measure() of the
 * rows in these cells. */
TEST(test_cells_as_rows)
{
	enum { M = 30, K = 3, N = 75, D = 4 };
	struct mat rows, Y, G, centre;
	double weight[M] = { 0 }, within[M] = { 0 };
	uint32_t cell[N], label[M];
	struct selection_point by_rows, p;
	struct tree_node node = { 0 };
	uint64_t round = 0;
	struct joint j;

	mat_init(&rows, N, D);
	mat_init(&Y, M, D);
	mat_init(&centre, K, D);
	for (size_t i = 0; i < M; i++)
		label[i] = (uint32_t)(i % K);
	for (size_t r = 0; r < N; r++) {
		cell[r] = (uint32_t)(r < M ? r : (r * r) % M);
		weight[cell[r]]++;
		for (size_t c = 0; c < D; c++)
			MAT(&rows, r, c) = 8 * (double)(c == label[cell[r]]) + 5 +
					   sin((double)cell[r] + (double)c) +
					   0.2 * cos((double)(7 * r + c));
	}
	kmeans_centres(&rows, NULL, cell, &Y);
	kmeans_centres(&Y, weight, label, &centre);
	for (size_t r = 0; r < N; r++)
		for (size_t c = 0; c < D; c++) {
			double d = MAT(&rows, r, c) - MAT(&Y, cell[r], c);

			within[cell[r]] += d * d / weight[cell[r]];
		}
	by_rows = selection_measure(&rows, &centre);
	products(&Y, &G);
	joint_init(&j, &node, &round, M, K, 2, 1, weight);
	j.running[0] = j.running[1] = true;
	j.inertia[0] = 1; /* makes the second restart win */
	memcpy(j.label + M, label, sizeof(label));
	p = measure_joint(&j, &G, within);
	assert_near(p.inertia, by_rows.inertia, 1e-9 * by_rows.inertia);
	assert_near(p.ratio, by_rows.ratio, 1e-9 * by_rows.ratio);
	assert_near(p.silhouette, by_rows.silhouette, 0.01);
	joint_release(&j);
	mat_release(&Y);
	mat_release(&rows);
	mat_release(&G);
	mat_release(&centre);
}

/* measure_points() finds points with the given inner products, also if they span fewer dimensions
 * than there are points. */
TEST(test_points_of_products)
{
	struct mat Y, G, Z, H;

	mat_init(&Y, 40, 5);
	for (size_t i = 0; i < 200; i++)
		Y.a[i] = cos((double)i * (double)i);
	products(&Y, &G);
	assert_ok(measure_points(&G, &Z));
	assert_int_equal(Z.rows, 40);
	products(&Z, &H);
	for (size_t i = 0; i < 1600; i++)
		assert_near(H.a[i], G.a[i], 1e-9);
	mat_release(&Y);
	mat_release(&G);
	mat_release(&H);
	mat_release(&Z);
}

TEST(test_no_points_of_many)
{
	struct mat G, Z;

	mat_init(&G, MEASURE_ITEMS + 1, MEASURE_ITEMS + 1);
	assert_ok(measure_points(&G, &Z));
	assert_int_equal(Z.rows, 0);
	mat_release(&G);
}
