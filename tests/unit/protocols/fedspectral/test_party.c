/* Tests FedSpectral's party: its rows in the joint numbering, powers, and own clustering. */
#include "tests/unit/protocols/fedspectral/parts_planted.h"

/* Maps the rows of a small graph to other numbers among more nodes. */
TEST(rows_of_other_names)
{
	static const uint32_t row[] = { 6, 1, 4, 2 };
	struct triple t[] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 3 },
			      { 2, 0, 3 }, { 1, 2, 5 }, { 2, 1, 5 } };
	double degree[8], joint[8] = { 0, 9, 0, 1, 8, 0, 25, 0 };
	struct fedspectral_party p;
	struct mat V, Y;
	struct csr own;

	csr_from_triples(&own, 4, 4, t, 6);
	fedspectral_party_init(&p, &own, row, 8, 1);
	for (size_t i = 0; i < 8; i++)
		for (size_t e = p.A.start[i] + 1; e < p.A.start[i + 1]; e++)
			assert_true(p.A.index[e] > p.A.index[e - 1]);
	fedspectral_party_degrees(&p, degree);
	assert_near(degree[6], 5, 0);
	assert_near(degree[1], 7, 0);
	assert_near(degree[4], 8, 0);
	assert_near(degree[2], 0, 0);
	fedspectral_party_join(&p, joint); /* keeps joint rows 1, 3, 4 and 6 */
	assert_int_equal(p.A.rows, 4);
	mat_init(&V, 4, 1);
	for (size_t i = 0; i < 4; i++)
		V.a[i] = (double)(i + 1);
	mat_init(&Y, 4, 1);
	spectral_graph_rows(&p.part, &V, 0, 4, Y.a);
	assert_near(Y.a[0], 5 * 3 / sqrt(9 * 8) + 2 * 4 / sqrt(9 * 25), 1e-15);
	assert_near(Y.a[1], 0, 0);
	assert_near(Y.a[2], 5 * 1 / sqrt(8 * 9) + 3 * 4 / sqrt(8 * 25), 1e-15);
	assert_near(Y.a[3], 2 * 1 / sqrt(25 * 9) + 3 * 3 / sqrt(25 * 8), 1e-15);
	Y.a[0] = -1;
	spectral_graph_rows(&p.part, &V, 2, 1, Y.a);
	assert_near(Y.a[0], 5 * 1 / sqrt(8 * 9) + 3 * 4 / sqrt(8 * 25), 1e-15);
	mat_release(&Y);
	mat_release(&V);
	fedspectral_party_release(&p);
	csr_release(&own);
}

/* Compares (I - L)^3 V, with the normalised Laplacian L, with powers of the dense matrix. */
TEST(powers)
{
	struct fedspectral_party p;
	struct mat V, W, M, I;

	fedspectral_party_init(&p, &graph, NULL, N, 2);
	mat_init(&I, N, N);
	for (size_t i = 0; i < N; i++)
		MAT(&I, i, i) = 1;
	assert_ok(spectral_graph_times(&p.part, &I, &M));
	sample_normal(&V, N, 5, 1);
	mat_copy(&W, &V);
	fedspectral_party_powers(&p, 3, &V);
	for (int t = 0; t < 3; t++) {
		struct mat next;

		la_mul_nn(&M, &W, 1, &next);
		mat_release(&W);
		W = next;
	}
	assert_mat_near(&V, &W, 1e-13);
	for (size_t j = 0; j < 5; j++)
		assert_near(MAT(&V, N - 1, j), 0, 0);
	mat_release(&W);
	mat_release(&V);
	mat_release(&M);
	mat_release(&I);
	fedspectral_party_release(&p);
}

/* Clusters a party with fewer nodes than clusters, and a party without edges. */
TEST(cells_of_few)
{
	struct triple t[] = { { 1, 3, 1 }, { 3, 1, 1 } };
	struct fedspectral_party p;
	uint32_t label[5];
	struct csr A;

	for (size_t count = 0; count <= 2; count += 2) {
		csr_from_triples(&A, 5, 5, t, count);
		fedspectral_party_init(&p, &A, NULL, 5, 1);
		assert_ok(fedspectral_party_cells(&p, 3, 2, 1, label));
		assert_int_equal(label[0], 3);
		assert_int_equal(label[1], count ? 0 : 3);
		assert_int_equal(label[3], count ? 1 : 3);
		fedspectral_party_release(&p);
		csr_release(&A);
	}
}

TESTS_BETWEEN(plant, uproot)
