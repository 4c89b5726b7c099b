#include "tests/unit/linalg/sample.h"
#include "common/linalg/la.h"
#include "common/cluster/metrics.h"
#include "common/cluster/spectral.h"

struct dense {
	struct mat M;
	unsigned products;
	double step; /* products are rounded to multiples of `step` */
};

static enum err times(void *ctx, const struct mat *B, struct mat *Y)
{
	struct dense *d = ctx;

	d->products++;
	la_mul_nn(&d->M, B, 1, Y);
	for (size_t i = 0; d->step > 0 && i < Y->rows * Y->cols; i++)
		Y->a[i] = nearbyint(Y->a[i] / d->step) * d->step;
	return ERR_OK;
}

static void symmetric(struct mat *M, size_t n, uint64_t seed)
{
	sample_normal(M, n, n, seed);
	ortho_symmetrise(M);
}

/* Returns the largest ||M v - theta v|| over the eigenvectors v in V, each with its eigenvalue
 * theta in `value`. */
static double residual(const struct mat *M, const struct mat *V, const double *value)
{
	double worst = 0;
	struct mat Y;

	la_mul_nn(M, V, 1, &Y);
	for (size_t r = 0; r < V->cols; r++) {
		double sum = 0;

		for (size_t i = 0; i < V->rows; i++)
			sum += (MAT(&Y, i, r) - value[r] * MAT(V, i, r)) *
			       (MAT(&Y, i, r) - value[r] * MAT(V, i, r));
		worst = fmax(worst, sqrt(sum));
	}
	mat_release(&Y);
	return worst;
}

static void check_orthonormal(const struct mat *V)
{
	struct mat G;

	la_mul_tn(V, V, 1, &G);
	for (size_t i = 0; i < G.rows; i++)
		for (size_t j = 0; j < G.cols; j++)
			assert_near(MAT(&G, i, j), i == j, 1e-12);
	mat_release(&G);
}

/* Compares eigenvalues with those of dsyevr and checks vectors by their residual. A block has from
 * all n columns, which needs one product, to one column, which needs many products. */
TEST(against_lapack)
{
	static const size_t shape[][3] = { { 1, 1, 0 },  { 5, 5, 0 },   { 5, 2, 1 },
					   { 30, 3, 7 }, { 200, 4, 0 }, { 300, 6, 3 } };

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++) {
		size_t n = shape[s][0], k = shape[s][1];
		struct dense d = { 0 };
		struct ortho_operator A = { &d, times };
		struct spectral_report report;
		struct spectral_params p;
		double expected[8], value[8];
		struct mat copy, E, V;

		symmetric(&d.M, n, s);
		mat_copy(&copy, &d.M);
		assert_ok(la_eigen_top(&copy, k, expected, &E));
		spectral_defaults(&p, n, k, 1, 2);
		p.block = shape[s][2];
		p.tolerance = 1e-9;
		assert_ok(spectral_top(&A, &p, value, &V, &report));
		for (size_t r = 0; r < k; r++)
			assert_near(value[r], expected[r], 1e-9 * fabs(expected[0]));
		check_orthonormal(&V);
		assert_true(residual(&d.M, &V, value) <= 2e-9 * fabs(expected[0]));
		assert_int_equal(report.rounds, d.products);
		mat_release(&V);
		mat_release(&E);
		mat_release(&copy);
		mat_release(&d.M);
	}
}

/* The reported residual, which stops the iteration, is that of residual(), relative to the largest
 * eigenvalue. */
TEST(residual_is_true)
{
	struct dense d = { 0 };
	struct ortho_operator A = { &d, times };
	struct spectral_report report;
	struct spectral_params p;
	double value[5];
	struct mat V;

	symmetric(&d.M, 400, 9);
	spectral_defaults(&p, 400, 5, 1, 1);
	for (double tolerance = 1e-1; tolerance > 1e-8; tolerance /= 100) {
		double own;

		p.tolerance = tolerance;
		assert_ok(spectral_top(&A, &p, value, &V, &report));
		own = residual(&d.M, &V, value) / value[0];
		assert_true(report.residual <= tolerance);
		assert_near(report.residual, own, 1e-3 * own + 1e-12);
		mat_release(&V);
	}
	mat_release(&d.M);
}

/* Limits the kept columns (`space`), so that the iteration restarts, and computes more eigenvalues
 * (`values`) than vectors. */
TEST(bounded_space)
{
	struct dense d = { 0 };
	struct ortho_operator A = { &d, times };
	struct spectral_report whole, bounded;
	struct spectral_params p;
	double expected[9], value[9];
	struct mat copy, E, V;

	symmetric(&d.M, 500, 8);
	mat_copy(&copy, &d.M);
	assert_ok(la_eigen_top(&copy, 9, expected, &E));
	spectral_defaults(&p, 500, 5, 1, 2);
	p.block = 7;
	p.values = 9;
	p.tolerance = 1e-8;
	p.rounds = 500;
	assert_ok(spectral_top(&A, &p, value, &V, &whole));
	assert_int_equal(whole.values, 9);
	for (size_t r = 5; r < 9; r++)
		assert_true(value[r] <= expected[r] + 1e-9 && value[r] > 0.8 * expected[r]);
	mat_release(&V);
	p.space = 5 + 4 * 7;
	assert_ok(spectral_top(&A, &p, value, &V, &bounded));
	for (size_t r = 0; r < 5; r++)
		assert_near(value[r], expected[r], 1e-9 * expected[0]);
	check_orthonormal(&V);
	assert_near(residual(&d.M, &V, value), bounded.residual * value[0], 1e-10);
	assert_true(bounded.residual <= 1e-8);
	assert_true(bounded.rounds > whole.rounds);
	assert_true(bounded.rounds < 8 * whole.rounds);
	mat_release(&V);
	mat_release(&E);
	mat_release(&copy);
	mat_release(&d.M);
}

/* The matrix has rank 3: after the first product only rounding errors remain, and no direction may
 * occur twice. */
TEST(low_rank)
{
	struct dense d = { 0 };
	struct ortho_operator A = { &d, times };
	struct spectral_report report;
	struct spectral_params p;
	double expected[3], value[40];
	struct mat X, copy, E, V;

	sample_normal(&X, 3, 120, 6);
	la_mul_tn(&X, &X, 1, &d.M);
	mat_copy(&copy, &d.M);
	assert_ok(la_eigen_top(&copy, 3, expected, &E));
	spectral_defaults(&p, 120, 40, 1, 1);
	p.block = 8;
	assert_ok(spectral_top(&A, &p, value, &V, &report));
	check_orthonormal(&V);
	for (size_t r = 0; r < 40; r++)
		assert_near(value[r], r < 3 ? expected[r] : 0, 1e-9 * expected[0]);
	assert_int_equal(report.rounds, 5);
	mat_release(&V);
	mat_release(&E);
	mat_release(&copy);
	mat_release(&d.M);
	mat_release(&X);
}

/* `weight` starts the iteration near the solution, which takes fewer rounds. */
TEST(weighted_start)
{
	struct spectral_report plain, weighted;
	double value[3], weight[400];
	struct dense d = { 0 };
	struct ortho_operator A = { &d, times };
	struct spectral_params p;
	struct mat V;

	symmetric(&d.M, 400, 3);
	for (size_t i = 0; i < 400; i++) {
		weight[i] = i < 3 ? 1 : 1e-6;
		for (size_t j = 0; j < 400; j++)
			MAT(&d.M, i, j) *= 1e-3;
		MAT(&d.M, i, i) += i < 3;
	}
	spectral_defaults(&p, 400, 3, 1, 1);
	assert_ok(spectral_top(&A, &p, value, &V, &plain));
	mat_release(&V);
	p.weight = weight;
	assert_ok(spectral_top(&A, &p, value, &V, &weighted));
	assert_true(weighted.rounds < plain.rounds);
	assert_true(residual(&d.M, &V, value) <= 2e-6 * value[0]);
	mat_release(&V);
	mat_release(&d.M);
}

/* The graph has ten paths and a clique without edges between them. Eigenvalue 1 occurs eleven
 * times, more often than a block of one vector can find. */
TEST(components)
{
	enum { PARTS = 11, EACH = 20, SIZE = PARTS * EACH };
	struct triple *t = alloc(SIZE * EACH * 2, sizeof(*t));
	struct spectral_params p;
	uint32_t label[SIZE], truth[SIZE];
	struct metrics m;
	size_t count = 0;
	struct csr S;

	for (uint32_t c = 0; c < PARTS; c++)
		for (uint32_t i = 0; i < EACH; i++) {
			truth[c * EACH + i] = c;
			for (uint32_t j = 0; j < i; j++)
				if (c == 0 || j + 1 == i) {
					uint32_t a = c * EACH + i, b = c * EACH + j;

					t[count++] = (struct triple){ a, b, 0.5 };
					t[count++] = (struct triple){ b, a, 0.5 };
				}
		}
	csr_from_triples(&S, SIZE, SIZE, t, count);
	free(t);
	for (size_t block = 1; block <= 16; block += 5) {
		struct spectral_graph g;
		struct ortho_operator A = { &g, spectral_graph_times };
		struct spectral_report report;
		double value[PARTS];
		struct mat V;

		spectral_defaults(&p, SIZE, PARTS, block, 1);
		p.block = block;
		p.rounds = SIZE;
		spectral_graph_init(&g, &S, 1);
		assert_ok(spectral_top(&A, &p, value, &V, &report));
		for (size_t r = 0; r < (block > 6 ? PARTS : 1); r++)
			assert_near(value[r], 1, 1e-9);
		mat_release(&V);
		spectral_graph_release(&g);
	}
	for (size_t more = 0; more <= 4; more += 4) { /* more eigenvalues than clusters */
		spectral_defaults(&p, SIZE, PARTS, 1, 1);
		p.values = more ? PARTS + more : 0;
		assert_ok(spectral_cluster(&S, &p, 20, label, NULL));
		assert_ok(metrics_of(truth, label, SIZE, &m));
		assert_near(m.acc, 1, 0);
	}
	csr_release(&S);
}

/* Compares D^-1/2 S D^-1/2, where D has the row sums of S, with values computed by hand. One row
 * has no weight. */
TEST(normalised)
{
	struct triple t[] = { { 0, 1, 4 }, { 1, 0, 4 }, { 1, 2, 12 }, { 2, 1, 12 } };
	static const double expected[] = {
		0, 0.5, 0, 0, 0.5, 0, 0.866025403784438646, 0, 0, 0.866025403784438646,
		0, 0,   0, 0, 0,   0
	};
	struct spectral_graph g;
	struct mat I, Y;
	struct csr S;

	csr_from_triples(&S, 4, 4, t, 4);
	spectral_graph_init(&g, &S, 2);
	mat_init(&I, 4, 4);
	for (size_t i = 0; i < 4; i++)
		MAT(&I, i, i) = 1;
	assert_ok(spectral_graph_times(&g, &I, &Y));
	for (size_t e = 0; e < 16; e++)
		assert_near(Y.a[e], expected[e], 1e-15);
	mat_release(&Y);
	mat_release(&I);
	spectral_graph_release(&g);
	csr_release(&S);
}

/* Products rounded to multiples of 2^-24 still give eigenvalues to 1e-6. */
TEST(rounded_products)
{
	struct dense d = { .step = 0x1p-24 };
	struct ortho_operator A = { &d, times };
	struct spectral_params p;
	double expected[4], value[4];
	struct mat copy, E, V;

	symmetric(&d.M, 250, 4);
	for (size_t i = 0; i < 250 * 250; i++)
		d.M.a[i] /= 23; /* norm about 1, as for a normalised graph */
	mat_copy(&copy, &d.M);
	assert_ok(la_eigen_top(&copy, 4, expected, &E));
	spectral_defaults(&p, 250, 4, 1, 1);
	p.tolerance = 1e-5;
	assert_ok(spectral_top(&A, &p, value, &V, NULL));
	for (size_t r = 0; r < 4; r++)
		assert_near(value[r], expected[r], 1e-6);
	mat_release(&V);
	mat_release(&E);
	mat_release(&copy);
	mat_release(&d.M);
}

TEST(too_few_rounds)
{
	struct dense d = { 0 };
	struct ortho_operator A = { &d, times };
	struct spectral_params p;
	double value[5];
	struct mat V;

	symmetric(&d.M, 300, 5);
	spectral_defaults(&p, 300, 5, 1, 1);
	p.rounds = 2;
	assert_err(spectral_top(&A, &p, value, &V, NULL), ERR_JOB, "after 2 rounds");
	p.block = 1; /* two rounds give fewer directions than eigenpairs */
	assert_err(spectral_top(&A, &p, value, &V, NULL), ERR_JOB, "after 2 rounds");
	mat_release(&d.M);
}

static enum err fails(void *ctx, const struct mat *B, struct mat *Y)
{
	(void)ctx;
	(void)B;
	(void)Y;
	return err_set(ERR_PEER, "the sum failed");
}

TEST(errors_come_through)
{
	struct ortho_operator A = { NULL, fails };
	struct spectral_params p;
	double value[2];
	struct mat V;

	spectral_defaults(&p, 10, 2, 1, 1);
	assert_err(spectral_top(&A, &p, value, &V, NULL), ERR_PEER, "the sum failed");
}

TEST(threads_do_not_matter)
{
	struct spectral_params p;
	uint32_t one[3000], three[3000];
	struct graph g;

	sample_graph(&g, 3000, 9000, 5, true, 3);
	spectral_defaults(&p, 3000, 4, 1, 1);
	p.tolerance = 1e-2;
	assert_ok(spectral_cluster(&g.adjacency, &p, 3, one, NULL));
	p.threads = 3;
	assert_ok(spectral_cluster(&g.adjacency, &p, 3, three, NULL));
	assert_memory_equal(one, three, sizeof(one));
	graph_release(&g);
}
