/* Compares the node features of small graphs with values computed by hand, and with powers of the
 * whole matrix. */
#include "tests/test.h"
#include "tests/unit/graph/graphs.h"

#include "common/linalg/la.h"

#include <math.h>
#include <string.h>

/* Checks the probability that a random walk is back at its node after t steps, diag((D^-1 A)^t)
 * with degrees D and adjacency A. The first graph is the triangle 0-1-2 with node 3 joined to 2;
 * the second is a node without edges. */
TEST(test_powers_by_hand)
{
	struct triple t[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 2, 1 }, { 2, 1, 1 },
			      { 0, 2, 1 }, { 2, 0, 1 }, { 2, 3, 1 }, { 3, 2, 1 } };
	struct graphs g = { .count = 2 };
	float *F;

	ALLOC(g.first, 3);
	g.first[1] = 4;
	g.first[2] = 5;
	csr_from_triples(&g.A, 5, 5, t, 8);
	assert_ok(graphs_features(&g, GRAPHS_STRUCTURE, 1, &F));
	for (size_t v = 0; v < 5; v++) {
		static const size_t hot[] = { 1, 1, 2, 0, 0 };

		for (size_t j = 0; j < GRAPHS_DEGREES; j++)
			assert_true(F[v * 32 + j] == (j == hot[v]));
		assert_true(F[v * 32 + 16] == 0); /* no walk returns in one step */
	}
	/* two steps: the sum of 1/deg(v) 1/deg(u) over each neighbour u */
	assert_float_equal(F[0 * 32 + 17], 1.0 / 4 + 1.0 / 6, 1e-7);
	assert_float_equal(F[2 * 32 + 17], 1.0 / 6 + 1.0 / 6 + 1.0 / 3, 1e-7);
	assert_float_equal(F[3 * 32 + 17], 1.0 / 3, 1e-7);
	/* three steps: round the triangle in both directions */
	assert_float_equal(F[0 * 32 + 18], 2.0 / 12, 1e-7);
	assert_float_equal(F[3 * 32 + 18], 0, 1e-7);
	for (size_t j = 16; j < 32; j++)
		assert_true(F[4 * 32 + j] == 0);
	free(F);
	graphs_release(&g);
}

/* Compares the probabilities with powers of the whole matrix, for graphs of up to 60 nodes, more
 * than a block. */
TEST(test_powers)
{
	struct graphs g;
	float *F;

	random_graphs(&g, 6, 60, 0.05, 3);
	assert_ok(graphs_features(&g, GRAPHS_STRUCTURE, 3, &F));
	for (size_t i = 0; i < g.count; i++) {
		size_t first = g.first[i], n = g.first[i + 1] - first;
		struct mat T, power;

		mat_init(&T, n, n);
		for (size_t v = 0; v < n; v++)
			for (size_t e = g.A.start[first + v]; e < g.A.start[first + v + 1]; e++)
				MAT(&T, v, g.A.index[e] - first) =
				    1 / (double)(g.A.start[first + v + 1] - g.A.start[first + v]);
		mat_copy(&power, &T);
		for (size_t t = 0; t < GRAPHS_WALKS; t++) {
			struct mat next;

			for (size_t v = 0; v < n; v++)
				assert_float_equal(F[(first + v) * 32 + 16 + t], MAT(&power, v, v),
						   1e-6);
			la_mul_nn(&power, &T, 1, &next);
			mat_release(&power);
			power = next;
		}
		mat_release(&T);
		mat_release(&power);
	}
	free(F);
	graphs_release(&g);
}

/* Draws one line to the right and one upwards. Each line adds its length only to its own direction
 * and place. */
TEST(test_lines_have_a_direction)
{
	enum { D = 32 + 2 + GRAPHS_LINES };
	double at[] = { 0.5, 0, 2.5, 0, 0, 0.5, 0, 2.5 };
	struct triple t[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 2, 3, 1 }, { 3, 2, 1 } };
	struct graphs g = { .count = 2, .attribute = { 4, 2, at } };
	double sum[2][4] = { { 0 } };
	float *F, *G;

	ALLOC(g.first, 3);
	g.first[1] = 2;
	g.first[2] = 4;
	csr_from_triples(&g.A, 4, 4, t, 4);
	assert_int_equal(graphs_width(GRAPHS_DRAWING), D);
	assert_ok(graphs_features(&g, GRAPHS_DRAWING, 1, &F));
	for (size_t v = 0; v < 4; v++)
		for (size_t j = 0; j < GRAPHS_LINES; j++)
			sum[v / 2][j / 16] += (double)F[v * D + 34 + j];
	for (int d = 0; d < 4; d++) {
		assert_true(d == 0 ? sum[0][d] > 1 : sum[0][d] < 1e-6);
		assert_true(d == 2 ? sum[1][d] > 1 : sum[1][d] < 1e-6);
	}
	assert_float_equal(sum[0][0], sum[1][2], 1e-5);
	for (size_t c = 0; c < 16; c++) /* the second line is the mirror image of the first */
		assert_float_equal(F[34 + c], F[2 * D + 34 + 32 + c % 4 * 4 + c / 4], 1e-6);
	assert_true(F[34] > 3 * F[34 + 4]); /* the first line is in the lowest row of cells */
	assert_ok(graphs_features(&g, GRAPHS_COORDINATES, 1, &G));
	assert_true(G[34 + 32] == 2.5F && G[34 + 33] == 0);
	free(F);
	free(G);
	free(g.first);
	csr_release(&g.A);
}

TEST(test_refused)
{
	struct graphs g;
	float *F;

	random_graphs(&g, 2, 4, 0.5, 1);
	mat_release(&g.attribute);
	mat_init(&g.attribute, graphs_nodes(&g), 1);
	assert_err(graphs_features(&g, GRAPHS_COORDINATES, 1, &F), ERR_INPUT,
		   "two coordinates of each node, there are 1 attributes");
	assert_null(F);
	graphs_release(&g);
}
