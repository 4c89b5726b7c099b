/* Compares filtered features that are never formed with the formula on dense matrices. */
#include "tests/unit/protocols/kcagc/slices.h"
#include "common/linalg/la.h"

enum { ORDER = 3, VECTORS = 4 };

/* Forms F = T^ORDER X, with the mean filter T. */
static void formed(const struct graph *g, const struct csr *X, struct mat *F)
{
	struct mat T, next;

	sample_mean_filter(g, &T);
	csr_to_dense(X, F);
	for (int t = 0; t < ORDER; t++) {
		la_mul_nn(&T, F, 1, &next);
		mat_release(F);
		*F = next;
	}
	mat_release(&T);
}

static void same(struct mat *a, struct mat *b)
{
	assert_true(a->rows == b->rows && a->cols == b->cols);
	for (size_t i = 0; i < a->rows * a->cols; i++)
		assert_near(a->a[i], b->a[i], 1e-12);
	mat_release(a);
	mat_release(b);
}

TEST(products)
{
	for (int bare = 0; bare < 2; bare++)
		for (unsigned threads = 1; threads <= 2; threads++) {
			struct mat F, B, C, A, seen, expected;
			struct graph g;
			struct wide w;
			struct csr X;

			sample_graph(&g, ROWS, bare ? 0 : 80, 4, false, 2);
			sample_sparse(&X, ROWS, COLS, 5, bare, 3);
			sample_normal(&B, ROWS, VECTORS, 4);
			sample_normal(&A, VECTORS, COLS, 5);
			formed(&g, &X, &F);
			wide_init(&w, &X, &g, ORDER, threads);

			wide_products(&w, &B, &seen);
			la_mul_tn(&F, &B, 1, &C);
			la_mul_nn(&F, &C, 1, &expected);
			same(&seen, &expected);
			mat_release(&C);

			w.map.multiply(w.map.ctx, &A, &seen);
			la_mul_nt(&A, &F, 1, &expected);
			same(&seen, &expected);

			w.map.square(w.map.ctx, &A, &seen);
			la_mul_nt(&A, &F, 1, &C);
			la_mul_nn(&C, &F, 1, &expected);
			same(&seen, &expected);

			mat_release(&C);
			mat_release(&F);
			mat_release(&B);
			mat_release(&A);
			wide_release(&w);
			csr_release(&X);
			graph_release(&g);
		}
}

/* A slice of 700 x 10^5 is not formed. Its answers equal those of the products, its clusters are
 * those of the generated rows, and it takes few megabytes. */
TEST(large_slice)
{
	enum { N = 700, M = 100000, K = 3, EACH = 20 };
	struct kmeans_params how = { .k = K, .restarts = 5, .iterations = 10, .seed = 1 };
	struct triple *t = alloc((size_t)N * EACH, sizeof(*t));
	uint32_t label[N], set[N];
	double *x = alloc((size_t)N * K, sizeof(*x));
	struct mat B, expected;
	struct slice s;
	struct wide w;
	struct graph g;
	struct csr X;
	struct rng rng;

	rng_seed(&rng, 6, 0);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t e = 0; e < EACH; e++)
			t[i * EACH + e] =
			    (struct triple){ i, i % K * 30000 + (uint32_t)rng_below(&rng, 100), 1 };
	csr_from_triples(&X, N, M, t, (size_t)N * EACH);
	sample_graph(&g, N, 0, 0, false, 2);
	assert_true(wide_pays(&X));
	wide_init(&w, &X, &g, ORDER, 1);
	make(&s, &X, false, &g, 2);
	assert_ok(slice_cluster(&s, ORDER, 1, K, &how, label));
	for (uint32_t i = K; i < N; i++)
		assert_int_equal(label[i], label[i % K]);
	assert_true(label[0] != label[1] && label[1] != label[2] && label[0] != label[2]);

	mat_init(&B, N, K);
	for (uint32_t i = 0; i < N; i++) {
		set[i] = i < 100 ? 0 : 1; /* set 2 is empty */
		MAT(&B, i, set[i]) = 1.0 / (i < 100 ? 100 : N - 100);
	}
	ask(&s, &(struct question){ .kind = ASK_MEANS, .order = ORDER, .label = set, .k = K }, x);
	assert_null(s.filtered.a);
	wide_products(&w, &B, &expected);
	for (size_t i = 0; i < (size_t)N * K; i++)
		assert_near(x[i], expected.a[i], 1e-12);
	assert_err(
	    slice_answer(
		&s, &(struct question){ .kind = ASK_MEANS, .order = 2, .label = set, .k = K }, x),
	    ERR_PEER, "order 2 after 3");

	X.cols = 60000; /* few enough columns to be formed */
	assert_false(wide_pays(&X));
	X.cols = M;
	X.start[N] = (size_t)N * (M / 64); /* too many entries for products to pay */
	assert_false(wide_pays(&X));
	mat_release(&expected);
	mat_release(&B);
	slice_release(&s);
	wide_release(&w);
	csr_release(&X);
	graph_release(&g);
	free(x);
	free(t);
}
