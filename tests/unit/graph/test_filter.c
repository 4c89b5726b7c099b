#include "tests/unit/linalg/sample.h"
#include "common/graph/filter.h"
#include "common/linalg/la.h"

/* Sets Ls to I - S as a dense matrix, where S is the normalised adjacency. */
static void dense_laplacian(const struct graph *g, struct mat *Ls)
{
	sample_normalised(g, Ls);
	for (size_t i = 0; i < Ls->rows; i++)
		for (size_t j = 0; j < Ls->cols; j++)
			MAT(Ls, i, j) = (i == j) - MAT(Ls, i, j);
}

/* Computes V' diag((1 - l / by)^psi) V X, where l are the eigenvalues of I - S and the rows of V
 * its eigenvectors. `by` is 2 for FILTER_HALF, else the largest l. */
static void by_spectrum(const struct graph *g, enum filter_kind kind, unsigned psi,
			const struct mat *X, struct mat *out)
{
	size_t n = X->rows;
	struct mat Ls, V, along;
	double *lambda, by;

	dense_laplacian(g, &Ls);
	ALLOC(lambda, n);
	assert_ok(la_eigen_top(&Ls, n, lambda, &V));
	by = kind == FILTER_HALF ? 2 : lambda[0];
	la_mul_nn(&V, X, 1, &along);
	for (size_t r = 0; r < n; r++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(&along, r, j) *= pow(1 - lambda[r] / by, psi);
	la_mul_tn(&V, &along, 1, out);
	mat_release(&along);
	mat_release(&V);
	free(lambda);
	mat_release(&Ls);
}

/* Compares graph_filter() with by_spectrum(). Orders of 26 and more use fewer steps
 * (filter_steps.h). */
TEST(equals_the_spectral_definition)
{
	static const unsigned orders[] = { 0, 1, 2, 3, 5, 25, 26, 60, 200 };

	for (int weighted = 0; weighted < 2; weighted++)
		for (int kind = 0; kind < 2; kind++)
			for (size_t o = 0; o < sizeof(orders) / sizeof(*orders); o++) {
				unsigned psi = orders[o];
				struct mat X, expected;
				struct graph g;

				sample_graph(&g, 30, 60, 3, weighted, 1 + psi);
				sample_normal(&X, 30, 5, psi);
				by_spectrum(&g, (enum filter_kind)kind, psi, &X, &expected);
				assert_ok(graph_filter(&g, (enum filter_kind)kind, psi, 1, &X));
				assert_mat_near(&X, &expected, 1e-10);
				mat_release(&expected);
				mat_release(&X);
				graph_release(&g);
			}
}

/* Compares FILTER_MEAN with T^psi X, where T is the dense matrix of one step. */
TEST(mean_filter_by_matrix)
{
	for (int weighted = 0; weighted < 2; weighted++) {
		struct mat X, T, expected, from_sparse;
		struct graph g;
		struct csr s;

		sample_graph(&g, 40, 80, 3, weighted, 5);
		sample_sparse(&s, 40, 35, 6, false, 5);
		sample_mean_filter(&g, &T);
		csr_to_dense(&s, &expected);
		csr_to_dense(&s, &X);
		for (int t = 0; t < 4; t++) {
			struct mat next;

			la_mul_nn(&T, &expected, 1, &next);
			mat_release(&expected);
			expected = next;
		}
		assert_ok(graph_filter(&g, FILTER_MEAN, 4, 1, &X));
		assert_mat_near(&X, &expected, 1e-13);
		assert_ok(graph_filter_sparse(&g, FILTER_MEAN, 4, 3, &s, &from_sparse));
		assert_same_bits(&X, &from_sparse);
		for (size_t i = 0; i < 40; i++)
			MAT(&X, i, 0) = 2.5; /* one step keeps a constant */
		assert_ok(graph_filter(&g, FILTER_MEAN, 9, 1, &X));
		for (size_t i = 0; i < 40; i++)
			assert_near(MAT(&X, i, 0), 2.5, 1e-14);
		mat_release(&from_sparse);
		mat_release(&expected);
		mat_release(&T);
		mat_release(&X);
		csr_release(&s);
		graph_release(&g);
	}
}

/* Checks that `square` is the sum of squares of X, a result of graph_filter(), and that `spread` is
 * this sum after the column means are subtracted. */
static void check_spread(const struct mat *X, double square, double spread)
{
	double all = 0, off = 0;

	for (size_t j = 0; j < X->cols; j++) {
		double mean = 0;

		for (size_t i = 0; i < X->rows; i++)
			mean += MAT(X, i, j) / (double)X->rows;
		for (size_t i = 0; i < X->rows; i++) {
			all += MAT(X, i, j) * MAT(X, i, j);
			off += pow(MAT(X, i, j) - mean, 2);
		}
	}
	assert_near(square, all, 1e-12 * all);
	assert_near(spread, off, 1e-12 * all);
}

TEST(spread_of_powers)
{
	enum { STEPS = 5 };
	double square[STEPS + 1], spread[STEPS + 1], again[2 * (STEPS + 1)];

	for (int kind = FILTER_HALF; kind <= FILTER_MEAN; kind++) {
		struct mat dense, X;
		struct graph g;
		struct csr s;

		sample_graph(&g, 50, 90, 2, false, 6);
		sample_sparse(&s, 50, 37, 5, false, 6); /* a panel of 32 columns, and 5 more */
		csr_to_dense(&s, &dense);
		assert_ok(graph_filter_spread(&g, (enum filter_kind)kind, STEPS, 1, &s, NULL,
					      square, spread));
		for (unsigned t = 0; t <= STEPS; t++) {
			mat_copy(&X, &dense);
			assert_ok(graph_filter(&g, (enum filter_kind)kind, t, 1, &X));
			check_spread(&X, square[t], spread[t]);
			mat_release(&X);
		}
		for (unsigned threads = 1; threads <= 4; threads++) {
			assert_ok(graph_filter_spread(&g, (enum filter_kind)kind, STEPS, threads,
						      NULL, &dense, again, again + STEPS + 1));
			assert_memory_equal(again, square, sizeof(square));
			assert_memory_equal(again + STEPS + 1, spread, sizeof(spread));
		}
		mat_release(&dense);
		csr_release(&s);
		graph_release(&g);
	}
}

/* Checks FILTER_PLAIN. The test computes S x as twice a half step minus x. */
TEST(spread_of_plain_powers)
{
	enum { STEPS = 5 };
	double square[STEPS + 1], spread[STEPS + 1];

	for (int weighted = 0; weighted < 2; weighted++) {
		struct mat X, half;
		struct graph g;

		sample_graph(&g, 50, 90, 2, weighted, 6);
		sample_normal(&X, 50, 37, 6);
		assert_ok(
		    graph_filter_spread(&g, FILTER_PLAIN, STEPS, 2, NULL, &X, square, spread));
		for (unsigned t = 0; t <= STEPS; t++) {
			check_spread(&X, square[t], spread[t]);
			mat_copy(&half, &X);
			assert_ok(graph_filter(&g, FILTER_HALF, 1, 1, &half));
			for (size_t e = 0; e < X.rows * X.cols; e++)
				X.a[e] = 2 * half.a[e] - X.a[e];
			mat_release(&half);
		}
		mat_release(&X);
		graph_release(&g);
	}
}

/* Two joined nodes: S = [1 1; 1 1] / 2, so a half step turns the values a and b into (3a + b) / 4
 * and (a + 3b) / 4. */
TEST(one_step_by_hand)
{
	struct triple t[] = { { 0, 1, 1 }, { 1, 0, 1 } };
	struct csr a;
	struct graph g;
	struct mat X;

	csr_from_triples(&a, 3, 3, t, 2);
	graph_init(&g, &a);
	assert_null(a.start);
	mat_init(&X, 3, 1);
	X.a[0] = 4;
	X.a[1] = 8;
	X.a[2] = 5; /* node 2 has no edge and does not change */
	assert_ok(graph_filter(&g, FILTER_HALF, 1, 1, &X));
	assert_near(X.a[0], 5, 1e-15);
	assert_near(X.a[1], 7, 1e-15);
	assert_true(X.a[2] == 5);
	/* the largest eigenvalue of I - S is 1, so one step is X <- S X */
	assert_ok(graph_filter(&g, FILTER_SPECTRAL, 1, 1, &X));
	assert_near(X.a[0], 6, 1e-7);
	assert_near(X.a[1], 6, 1e-7);
	mat_release(&X);
	graph_release(&g);
}

/* Computes the half filter in the simplest way: all columns at once, nodes in their own order. */
static void naive_half(const struct graph *g, unsigned psi, struct mat *X)
{
	const struct csr *a = &g->adjacency;
	size_t n = X->rows, m = X->cols;
	struct mat Y, out;

	mat_init(&Y, n, m);
	mat_init(&out, n, m);
	for (size_t i = 0; i < n * m; i++)
		Y.a[i] = g->inv_sqrt_deg[i / m] * X->a[i];
	for (unsigned t = 0; t < psi; t++) {
		for (size_t i = 0; i < n; i++) {
			double take = 0.5 * (g->inv_sqrt_deg[i] * g->inv_sqrt_deg[i]);

			for (size_t j = 0; j < m; j++) {
				double sum = MAT(&Y, i, j);

				for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
					sum +=
					    (a->value ? a->value[e] : 1) * MAT(&Y, a->index[e], j);
				MAT(&out, i, j) = 0.5 * MAT(&Y, i, j) + take * sum;
			}
		}
		memcpy(Y.a, out.a, n * m * sizeof(double));
	}
	for (size_t i = 0; i < n * m; i++)
		X->a[i] = Y.a[i] / g->inv_sqrt_deg[i / m];
	mat_release(&out);
	mat_release(&Y);
}

TEST(same_bits_as_the_naive_order)
{
	for (int weighted = 0; weighted < 2; weighted++) {
		struct graph g;
		struct mat X, naive;

		sample_graph(&g, 200, 700, 5, weighted, 4);
		assert_true(!!g.adjacency.value == weighted);
		sample_normal(&X, 200, 37, 9);
		sample_copy(&X, &naive);
		naive_half(&g, 7, &naive);
		assert_ok(graph_filter(&g, FILTER_HALF, 7, 1, &X));
		assert_same_bits(&X, &naive);
		mat_release(&naive);
		mat_release(&X);
		graph_release(&g);
	}
}

/* The result of a column depends neither on the other columns of its panel, with which it is
 * filtered, nor on the thread. */
TEST(same_bits_for_any_width_and_threads)
{
	static const size_t widths[] = { 1, 15, 16, 17, 32, 70 };
	struct graph g;
	struct mat X, whole;

	sample_graph(&g, 120, 300, 2, false, 5);
	sample_normal(&X, 120, 70, 10);
	sample_copy(&X, &whole);
	assert_ok(graph_filter(&g, FILTER_SPECTRAL, 4, 1, &whole));
	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
		for (unsigned threads = 1; threads <= 4; threads *= 2)
			for (size_t first = 0; first + widths[w] <= 70; first += 13) {
				struct mat part;

				mat_init(&part, 120, widths[w]);
				for (size_t i = 0; i < 120; i++)
					memcpy(ROW(&part, i), ROW(&X, i) + first,
					       widths[w] * sizeof(double));
				assert_ok(graph_filter(&g, FILTER_SPECTRAL, 4, threads, &part));
				for (size_t i = 0; i < 120; i++)
					assert_memory_equal(ROW(&part, i), ROW(&whole, i) + first,
							    widths[w] * sizeof(double));
				mat_release(&part);
			}
	mat_release(&whole);
	mat_release(&X);
	graph_release(&g);
}

/* Compares several steps in one call, which fold the leaves of a node into one row (filter_plan.h),
 * with single steps, which do not. */
TEST(leaves_of_one_node)
{
	enum { COLS = 37 };

	for (int kind = FILTER_HALF; kind <= FILTER_MEAN; kind++)
		for (unsigned psi = 2; psi <= 50; psi = 2 * psi + 1) {
			struct mat X, steps, from_sparse;
			struct graph g;
			struct csr s;

			sample_leafy(&g, false);
			sample_sparse(&s, SAMPLE_LEAFY, COLS, 6, false, psi);
			csr_to_dense(&s, &X);
			sample_copy(&X, &steps);
			assert_ok(graph_filter(&g, (enum filter_kind)kind, psi, 1, &X));
			for (unsigned t = 0; t < psi; t++)
				assert_ok(graph_filter(&g, (enum filter_kind)kind, 1, 1, &steps));
			assert_mat_near(&X, &steps, psi < 26 ? 1e-14 : 1e-10);
			for (unsigned threads = 1; threads <= 3; threads++) {
				assert_ok(graph_filter_sparse(&g, (enum filter_kind)kind, psi,
							      threads, &s, &from_sparse));
				assert_same_bits(&X, &from_sparse);
				mat_release(&from_sparse);
			}
			mat_release(&steps);
			mat_release(&X);
			csr_release(&s);
			graph_release(&g);
		}
}

/* A value travels at most psi edges; between two leaves of one node the distance is two. */
TEST(zeros_stay_out_of_reach)
{
	struct graph g;

	sample_leafy(&g, false);
	for (unsigned psi = 1; psi <= 3; psi++) {
		/* The leaf is the last one of the last hub. */
		const uint32_t leaf = SAMPLE_LEAFY - 1, hub = SAMPLE_HUBS - 1;
		struct mat X;

		mat_init(&X, SAMPLE_LEAFY, 1);
		X.a[leaf] = 3;
		assert_ok(graph_filter(&g, FILTER_HALF, psi, 1, &X));
		assert_true(X.a[leaf] > 1 && X.a[hub] > 0);
		assert_true((X.a[leaf - 1] != 0) == (psi >= 2)); /* another leaf of the same hub */
		assert_true((X.a[hub - 1] != 0) == (psi >= 2));
		assert_true((X.a[hub - 2] != 0) == (psi >= 3));
		assert_true(X.a[hub - 3] == 0 && X.a[2] == 0);
		mat_release(&X);
	}
	graph_release(&g);
}

TEST(sparse_equals_dense)
{
	for (unsigned psi = 0; psi <= 3; psi++)
		for (int ones = 0; ones < 2; ones++) {
			struct csr sparse;
			struct mat dense, out;
			struct graph g;

			sample_graph(&g, 90, 200, 2, true, 6);
			sample_sparse(&sparse, 90, 50, 6, ones, 11);
			if (ones) {
				free(sparse.value);
				sparse.value = NULL;
			}
			csr_to_dense(&sparse, &dense);
			assert_ok(graph_filter(&g, FILTER_HALF, psi, 2, &dense));
			assert_ok(graph_filter_sparse(&g, FILTER_HALF, psi, 2, &sparse, &out));
			assert_same_bits(&out, &dense);
			mat_release(&out);
			mat_release(&dense);
			csr_release(&sparse);
			graph_release(&g);
		}
}

/* Makes a ring. With self-loops its S is circulant(1 1 0 .. 0 1) / 3, so lambda = 1 - (1 + 2 cos) /
 * 3. For an even length the largest lambda is at cos = -1. */
static void ring(struct graph *g, size_t n)
{
	struct triple *t;
	struct csr a;

	ALLOC(t, 2 * n);
	for (size_t i = 0; i < n; i++) {
		uint32_t here = (uint32_t)i, next = (uint32_t)((i + 1) % n);

		t[2 * i] = (struct triple){ here, next, 1 };
		t[2 * i + 1] = (struct triple){ next, here, 1 };
	}
	csr_from_triples(&a, n, n, t, 2 * n);
	free(t);
	graph_init(g, &a);
}

TEST(lambda_max)
{
	static const size_t length[] = { 4, 10, 50, 3000 };
	struct graph g;
	double lambda;

	for (size_t i = 0; i < sizeof(length) / sizeof(*length); i++) {
		ring(&g, length[i]);
		assert_ok(graph_lambda_max(&g, &lambda));
		assert_near(lambda, 4. / 3, 1e-8);
		graph_release(&g);
	}
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct mat Ls, V;
		double exact;

		sample_graph(&g, 40, 30 + 10 * seed, seed % 5, seed % 2, seed);
		dense_laplacian(&g, &Ls);
		assert_ok(la_eigen_top(&Ls, 1, &exact, &V));
		assert_ok(graph_lambda_max(&g, &lambda));
		assert_near(lambda, exact, 1e-8 * exact);
		mat_release(&V);
		mat_release(&Ls);
		graph_release(&g);
	}
}

TEST(no_edges)
{
	struct graph g;
	struct mat X, before;
	double lambda = -1;

	sample_graph(&g, 9, 0, 0, false, 1);
	assert_ok(graph_lambda_max(&g, &lambda));
	assert_true(lambda == 0);
	sample_normal(&X, 9, 20, 1);
	sample_copy(&X, &before);
	assert_ok(graph_filter(&g, FILTER_SPECTRAL, 5, 1, &X));
	assert_same_bits(&X, &before);
	assert_ok(graph_filter(&g, FILTER_HALF, 5, 1, &X));
	assert_mat_near(&X, &before, 1e-15);
	mat_release(&before);
	mat_release(&X);
	graph_release(&g);
}

TEST(rows_must_match)
{
	struct csr sparse;
	struct graph g;
	struct mat X;

	sample_graph(&g, 9, 10, 0, false, 1);
	sample_normal(&X, 8, 2, 1);
	sample_sparse(&sparse, 8, 5, 2, true, 1);
	assert_err(graph_filter(&g, FILTER_HALF, 1, 1, &X), ERR_INPUT, "8 rows");
	assert_err(graph_filter_sparse(&g, FILTER_HALF, 1, 1, &sparse, &X), ERR_INPUT, "9 nodes");
	csr_release(&sparse);
	mat_release(&X);
	graph_release(&g);
}

/* If all weights are one, graph_init() drops them and the graph is unweighted. */
TEST(unit_weights)
{
	struct graph g;

	sample_graph(&g, 9, 10, 0, false, 1);
	assert_null(g.adjacency.value);
	graph_release(&g);
	assert_null(g.inv_sqrt_deg);
}

static void assert_copies(const struct mat *all, const struct mat *one)
{
	for (size_t first = 0; first < all->rows; first += one->rows)
		assert_memory_equal(ROW(all, first), one->a,
				    one->rows * one->cols * sizeof(double));
}

static void csr_of_dense(const struct mat *m, struct csr *s)
{
	size_t to = 0;

	csr_init(s, m->rows, m->cols, m->rows * m->cols, true);
	for (size_t i = 0; i < m->rows; i++) {
		for (size_t j = 0; j < m->cols; j++) {
			if (MAT(m, i, j) == 0)
				continue;
			s->index[to] = (uint32_t)j;
			s->value[to++] = MAT(m, i, j);
		}
		s->start[i + 1] = to;
	}
}

/* Uses a graph of 2^17 nodes or more, so that threads share each panel of columns: COPIES of a
 * small graph, whose leaves are folded (filter_plan.h). Its result has the same bits as that of the
 * small graph. */
TEST(large_as_small_again_and_again)
{
	enum { RING = 20, LEAVES = 5, NODES = RING + LEAVES, COPIES = 6500, COLS = 21 };
	struct graph g, large;
	struct mat X, all, again;
	struct csr sparse;
	size_t count = 0;
	struct triple *t;
	struct csr a;

	ALLOC(t, COPIES * 2 * NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t to = i < RING ? (i + 1) % RING : 3;

		t[count++] = (struct triple){ i, to, 1 };
		t[count++] = (struct triple){ to, i, 1 };
	}
	csr_from_triples(&a, NODES, NODES, t, count);
	graph_init(&g, &a);
	count = 0;
	for (uint32_t c = 0; c < COPIES; c++)
		for (uint32_t i = 0; i < NODES; i++)
			for (size_t e = g.adjacency.start[i]; e < g.adjacency.start[i + 1]; e++)
				t[count++] = (struct triple){ c * NODES + i,
							      c * NODES + g.adjacency.index[e], 1 };
	csr_from_triples(&a, COPIES * NODES, COPIES * NODES, t, count);
	graph_init(&large, &a);
	free(t);
	sample_sparse(&sparse, NODES, COLS, 7, false, 3);
	csr_to_dense(&sparse, &X);
	mat_init(&all, COPIES * NODES, COLS);
	for (size_t c = 0; c < COPIES; c++)
		memcpy(ROW(&all, c * NODES), X.a, sizeof(double) * NODES * COLS);
	csr_release(&sparse);
	csr_of_dense(&all, &sparse);
	assert_ok(graph_filter(&g, FILTER_HALF, 7, 1, &X));
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		assert_ok(graph_filter_sparse(&large, FILTER_HALF, 7, threads, &sparse, &again));
		assert_copies(&again, &X);
		mat_release(&again);
		mat_copy(&again, &all);
		assert_ok(graph_filter(&large, FILTER_HALF, 7, threads, &again));
		assert_copies(&again, &X);
		mat_release(&again);
	}
	csr_release(&sparse);
	mat_release(&all);
	mat_release(&X);
	graph_release(&large);
	graph_release(&g);
}
