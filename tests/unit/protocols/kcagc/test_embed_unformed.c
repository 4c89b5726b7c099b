/* Compares embeddings that never form the filtered features with embeddings of formed features. */
#include "tests/unit/linalg/sample.h"
#include "common/base/sanitized.h"
#include "protocols/kcagc/embed.h"
#include "common/graph/filtered.h"
#include "common/linalg/svd.h"

enum { ROWS = 1100, COLS = 800, DIMS = 5, ISOLATED = 4 };

static const struct embed_params usual = {
	.filter = FILTER_HALF, .order = 6, .dims = DIMS, .threads = 1
};

/* Makes columns of rising weights, so that singular values are separate. The last row is 0 and has
 * no edge. */
static void make(struct graph *g, struct csr *X, size_t per_row)
{
	sample_graph(g, ROWS, 3 * ROWS, ISOLATED, false, 1);
	sample_sparse(X, ROWS, COLS, per_row, false, 2);
	for (size_t e = 0; e < X->start[ROWS]; e++)
		X->value[e] *= e < X->start[ROWS - 1] ? 1 + 3 * pow(0.9, X->index[e]) : 0;
}

/* Computes U S, or U with unit_basis, from features that are formed. */
static void formed(const struct graph *g, const struct csr *X, const struct embed_params *p,
		   struct mat *Z)
{
	double sigma[DIMS];
	struct mat F;

	assert_ok(graph_filter_sparse(g, p->filter, p->order, 1, X, &F));
	assert_ok(svd_left(&F, DIMS, 1, Z, sigma, NULL));
	for (size_t i = 0; i < Z->rows * DIMS && !p->unit_basis; i++)
		Z->a[i] *= sigma[i % DIMS];
	mat_release(&F);
}

TEST(same_as_formed)
{
	for (unsigned number = 0; number < 16; number++) {
		struct embed_params p = usual;
		struct embedding kept;
		struct features F;
		struct graph g;
		struct csr X;
		struct mat Z, exact, again;
		bool full = number & 8; /* X has too many entries for a sparse matrix to pay */

		if (!in_sample((size_t)__builtin_popcount(number), 2)) /* with all pairs of bits */
			continue;
		p.filter = number & 1 ? FILTER_SPECTRAL : FILTER_HALF;
		p.order = number & 2 ? 40 : 6;
		p.unit_basis = number & 4;
		make(&g, &X, full ? COLS : 10);
		assert_true(filtered_pays(ROWS, COLS, full ? ROWS * COLS : X.start[ROWS],
					  graph_neighbours(&g), p.filter, p.order, DIMS));
		formed(&g, &X, &p, &exact);
		sample_features(&X, number & 1, &F);
		assert_ok(embed_keep(&F, &g, &p, &Z, &kept));
		assert_true(!F.dense.a && !F.sparse.start); /* embed_keep() released F */
		assert_mat_near(&Z, &exact, p.unit_basis ? 1e-6 : 1e-5);
		for (size_t j = 0; j < DIMS; j++)
			assert_true(MAT(&Z, ROWS - 1, j) == 0); /* the zero row stays exactly 0 */
		sample_features(&X, true, &F);
		assert_ok(embed_again(&F, &g, &kept, 1, &again));
		assert_mat_near(&again, &Z, 1e-9);
		mat_release(&again);
		embedding_release(&kept);
		mat_release(&exact);
		mat_release(&Z);
		csr_release(&X);
		graph_release(&g);
	}
}

/* Tests many more rows than columns and many steps. With MORE columns it pays not to form the
 * filtered features, with FEW it does not. */
enum { MANY = 6000, FEW = 160, MORE = 240 };

TEST(many_rows)
{
	for (unsigned number = 0; number < 16; number += SANITIZED ? 5 : 1) {
		struct embed_params p = usual;
		struct embedding kept;
		struct features F;
		struct graph g;
		struct csr X;
		struct mat exact, Z;
		size_t cols = number & 8 ? MORE : FEW;
		bool full = number & 4; /* X has too many entries for a sparse matrix to pay */

		if (!in_sample((size_t)__builtin_popcount(number), 2))
			continue;
		p.filter = number & 1 ? FILTER_SPECTRAL : FILTER_HALF;
		p.order = 60 + number;
		p.unit_basis = number & 2;
		p.threads = 1 + number % 3;
		sample_graph(&g, MANY, 4 * MANY, ISOLATED, false, 1);
		sample_sparse(&X, MANY, cols, full ? cols : 10, false, 2);
		assert_int_equal(filtered_pays(MANY, cols, full ? MANY * cols : X.start[MANY],
					       graph_neighbours(&g), p.filter, p.order, DIMS),
				 cols == MORE);
		formed(&g, &X, &p, &exact);
		sample_features(&X, number & 1, &F);
		assert_ok(embed_keep(&F, &g, &p, &Z, &kept));
		assert_true(!F.dense.a && !F.sparse.start); /* embed_keep() released F */
		assert_mat_near(&Z, &exact, p.unit_basis ? 1e-6 : 1e-5);
		embedding_release(&kept);
		mat_release(&exact);
		mat_release(&Z);
		csr_release(&X);
		graph_release(&g);
	}
}

/* Sparse and dense features on any number of threads give the same bits. */
TEST(same_bits)
{
	for (int full = 0; full < 2; full++) {
		struct mat first, Z;
		struct graph g;
		struct csr X;

		sample_graph(&g, ROWS, 3 * ROWS, ISOLATED, false, 1);
		sample_sparse(&X, ROWS, COLS, full ? COLS : 10, true, 2);
		for (unsigned number = 0; number < 6; number++) {
			struct embed_params p = usual;
			struct features F;

			p.idf = p.unit_rows = true;
			p.row_power = 1;
			p.threads = 1 + number / 2;
			sample_features(&X, number % 2, &F);
			assert_ok(embed(&F, &g, &p, number ? &Z : &first));
			if (number) {
				assert_same_bits(&Z, &first);
				mat_release(&Z);
			}
		}
		mat_release(&first);
		csr_release(&X);
		graph_release(&g);
	}
}

/* Singular values are so close that the iteration does not converge; the features are formed then.
 */
TEST(formed_after_all)
{
	enum { N = 1000 };
	struct embed_params p = { .dims = 8, .unit_basis = true, .threads = 1 };
	struct embedding kept;
	struct triple *t;
	struct features F = { .is_sparse = true };
	struct graph g;
	struct mat Z;

	sample_graph(&g, N, 0, 0, false, 1);
	ALLOC(t, N);
	for (uint32_t i = 0; i < N; i++)
		t[i] = (struct triple){ i, i, 1 - 1e-6 * i };
	csr_from_triples(&F.sparse, N, N, t, N);
	free(t);
	assert_true(filtered_pays(N, N, N, graph_neighbours(&g), p.filter, 0, 8));
	assert_ok(embed_keep(&F, &g, &p, &Z, &kept));
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < 8; j++)
			assert_near(MAT(&Z, i, j), i == j, 1e-12);
	assert_int_equal(kept.map.rows, N);
	embedding_release(&kept);
	mat_release(&Z);
	graph_release(&g);
}

/* With one-hot features the filtered features are the filter's matrix itself. The largest singular
 * value occurs once for each of eleven components. */
TEST(one_hot)
{
	enum { N = 1100, PARTS = 11 };
	struct embed_params p = usual;
	struct features F = { .is_sparse = true };
	struct triple *t;
	struct csr a;
	struct graph g;
	struct mat Z;

	ALLOC(t, 2 * (size_t)N);
	for (uint32_t i = 0; i < N; i++) { /* makes PARTS rings of nodes */
		uint32_t next = (i + PARTS) % N;

		t[2 * i] = (struct triple){ i, next, 1 };
		t[2 * i + 1] = (struct triple){ next, i, 1 };
	}
	csr_from_triples(&a, N, N, t, 2 * (size_t)N);
	graph_init(&g, &a);
	for (uint32_t i = 0; i < N; i++)
		t[i] = (struct triple){ i, i, 1 };
	csr_from_triples(&F.sparse, N, N, t, N);
	free(t);
	p.dims = PARTS;
	assert_true(filtered_pays(N, N, N, graph_neighbours(&g), p.filter, p.order, PARTS));
	assert_ok(embed(&F, &g, &p, &Z));
	for (size_t i = PARTS; i < N; i++) /* nodes of one ring are at one point */
		for (size_t j = 0; j < PARTS; j++)
			assert_near(MAT(&Z, i, j), MAT(&Z, i % PARTS, j), 1e-7);
	for (size_t i = 1; i < PARTS; i++) { /* rings are at right angles to each other */
		double inner = 0;

		for (size_t j = 0; j < PARTS; j++)
			inner += MAT(&Z, 0, j) * MAT(&Z, i, j);
		assert_near(inner, 0, 1e-7);
	}
	mat_release(&Z);
	graph_release(&g);
}

TEST(bad_input)
{
	struct embed_params p = usual;
	struct features F;
	struct graph g;
	struct csr X;
	struct mat Z;

	make(&g, &X, 10);
	sample_features(&X, true, &F);
	F.sparse.value[5] = 1e200;
	assert_err(embed(&F, &g, &p, &Z), ERR_INPUT, "too large");
	assert_true(!F.dense.a && !F.sparse.start);
	csr_release(&X);
	graph_release(&g);
	sample_graph(&g, ROWS - 1, ROWS, 0, false, 1);
	sample_sparse(&X, ROWS, COLS, 10, false, 2);
	sample_features(&X, false, &F);
	assert_err(embed(&F, &g, &p, &Z), ERR_INPUT, "1100 rows");
	assert_true(!F.dense.a && !F.sparse.start);
	csr_release(&X);
	graph_release(&g);
}
