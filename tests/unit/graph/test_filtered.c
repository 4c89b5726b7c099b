/* Compares two ways to multiply by filtered features: as a linear map, and by the filtered matrix
 * itself. */
#include "tests/unit/linalg/sample.h"
#include "common/graph/filtered.h"
#include "common/linalg/la.h"

enum { NODES = 90, COLS = 41, EDGES = 260, ISOLATED = 3 };

struct sample {
	struct graph g;
	struct csr X;
	struct mat dense;
};

static void sample_init(struct sample *s, bool weighted, bool ones)
{
	sample_graph(&s->g, NODES, EDGES, ISOLATED, weighted, 1);
	sample_sparse(&s->X, NODES, COLS, 6, ones, 2);
	for (size_t e = s->X.start[NODES - 1]; e < s->X.start[NODES]; e++)
		s->X.value[e] = 0; /* the last row is zero and its node has no edge */
	csr_to_dense(&s->X, &s->dense);
}

static void sample_release(struct sample *s)
{
	graph_release(&s->g);
	csr_release(&s->X);
	mat_release(&s->dense);
}

/* Computes both products with the filtered matrix F itself. */
static void formed(const struct sample *s, enum filter_kind kind, unsigned psi,
		   const struct mat *in, struct mat *once, struct mat *twice)
{
	struct mat F;

	assert_ok(graph_filter_sparse(&s->g, kind, psi, 1, &s->X, &F));
	la_mul_nt(in, &F, 1, once);
	la_mul_nn(once, &F, 1, twice);
	mat_release(&F);
}

static double largest(const struct mat *m)
{
	double most = 0;

	for (size_t i = 0; i < m->rows * m->cols; i++)
		most = fmax(most, fabs(m->a[i]));
	return most;
}

static void check(const struct sample *s, enum filter_kind kind, unsigned psi, bool dense,
		  size_t vectors)
{
	struct mat in, once, twice, exact_once, exact_twice;
	struct filtered f;

	sample_normal(&in, vectors, COLS, 3 + vectors);
	formed(s, kind, psi, &in, &exact_once, &exact_twice);
	assert_ok(
	    filtered_init(&f, dense ? NULL : &s->X, dense ? &s->dense : NULL, &s->g, kind, psi, 1));
	assert_true(f.map.rows == NODES && f.map.cols == COLS);
	f.map.square(f.map.ctx, &in, &twice);
	f.map.multiply(f.map.ctx, &in, &once);
	/* From 26 steps on, a polynomial replaces the steps (filter_steps.h). `square` takes 2 psi
	 * steps, for which the polynomial is not the square of that of psi steps. So from psi = 13
	 * on, its result needs a larger tolerance. */
	assert_mat_near(&once, &exact_once, 1e-13 * largest(&exact_once));
	assert_mat_near(&twice, &exact_twice, (psi < 13 ? 1e-13 : 1e-10) * largest(&exact_twice));
	for (size_t i = 0; i < vectors; i++)
		assert_true(MAT(&once, i, NODES - 1) == 0); /* exactly zero */
	filtered_release(&f);
	mat_release(&exact_twice);
	mat_release(&exact_once);
	mat_release(&twice);
	mat_release(&once);
	mat_release(&in);
}

/* psi goes from 0 to values so large that fewer steps suffice (filter_steps.h). */
TEST(products)
{
	static const unsigned psi[] = { 0, 1, 2, 9, 30, 60, 100 };
	static const size_t vectors[] = { 1, 8, 11, 24 };

	for (unsigned number = 0; number < 16; number++) {
		struct sample s;

		sample_init(&s, number & 1, false);
		for (size_t p = 0; p < sizeof(psi) / sizeof(*psi); p++)
			for (size_t v = 0; v < 4; v++)
				check(&s, number & 2 ? FILTER_SPECTRAL : FILTER_HALF, psi[p],
				      number & 4, vectors[v]);
		sample_release(&s);
	}
}

TEST(ones_without_values)
{
	struct sample s;

	sample_graph(&s.g, NODES, EDGES, ISOLATED, false, 1);
	sample_sparse(&s.X, NODES, COLS, 6, true, 2);
	s.X.start[NODES] = s.X.start[NODES - 1]; /* the last row has no entries */
	free(s.X.value);
	s.X.value = NULL;
	csr_to_dense(&s.X, &s.dense);
	check(&s, FILTER_HALF, 5, false, 8);
	check(&s, FILTER_SPECTRAL, 50, false, 8);
	sample_release(&s);
}

TEST(fewer_steps)
{
	struct sample s;
	struct filtered f;

	sample_init(&s, false, false);
	assert_ok(filtered_init(&f, &s.X, NULL, &s.g, FILTER_HALF, 60, 1));
	assert_true(f.once.count == 37 && f.twice.count == 53);
	filtered_release(&f);
	sample_release(&s);
}

/* Any number of threads gives the same bits. On a path, threads share the rows, and each row needs
 * its neighbours. */
TEST(threads)
{
	enum { LONG = 20000 };
	struct triple *t;
	struct csr a, X;
	struct graph g;
	struct mat in, first, again;
	struct filtered f;

	ALLOC(t, 2 * (size_t)LONG);
	for (uint32_t i = 0; i + 1 < LONG; i++) {
		t[2 * i] = (struct triple){ i, i + 1, 1 };
		t[2 * i + 1] = (struct triple){ i + 1, i, 1 };
	}
	csr_from_triples(&a, LONG, LONG, t, 2 * (LONG - 1));
	graph_init(&g, &a);
	for (uint32_t i = 0; i < LONG; i++)
		t[i] = (struct triple){ i, i * 7 % 31, 1 + i % 5 };
	csr_from_triples(&X, LONG, 31, t, LONG);
	free(t);
	sample_normal(&in, 10, 31, 4);
	for (unsigned threads = 1; threads <= 4; threads++) {
		assert_ok(filtered_init(&f, &X, NULL, &g, FILTER_HALF, 60, threads));
		f.map.square(f.map.ctx, &in, threads == 1 ? &first : &again);
		filtered_release(&f);
		if (threads == 1)
			continue;
		assert_same_bits(&first, &again);
		mat_release(&again);
	}
	mat_release(&first);
	mat_release(&in);
	csr_release(&X);
	graph_release(&g);
}

TEST(when_it_pays)
{
	const enum filter_kind half = FILTER_HALF;

	/* a party with half of the columns of cora, citeseer or wiki */
	assert_true(filtered_pays(2708, 716, 26000, 10556, half, 9, 7));
	assert_true(filtered_pays(3327, 1852, 53000, 9104, half, 15, 6));
	assert_true(filtered_pays(2405, 2486, 780000, 23192, half, 2, 17));
	assert_true(filtered_pays(4000, 700, 4000 * 700, 10000, half, 20, 5)); /* dense */
	/* a party with 1/2, 1/4, 1/8 or 1/16 of pubmed's columns */
	assert_true(filtered_pays(19717, 250, 492000, 88648, half, 60, 3));
	assert_false(filtered_pays(19717, 125, 246000, 88648, half, 60, 3));
	assert_false(filtered_pays(19717, 63, 124000, 88648, half, 60, 3));
	assert_false(filtered_pays(19717, 32, 63000, 88648, half, 60, 3));
	assert_false(filtered_pays(19717, 125, 246000, 88648, half, 5, 3));
	assert_false(filtered_pays(2708, 90, 3300, 10556, half, 9, 7));
	assert_false(filtered_pays(3327, 1852, 53000, 9104, FILTER_MEAN, 15, 6));
	assert_false(filtered_pays(19717, 250, 492000, 88648, FILTER_MEAN, 60, 3));
	assert_false(filtered_pays(2708, 716, 26000, 10556, half, 9, 300)); /* too many vectors */
}

TEST(bad_input)
{
	struct sample s;
	struct filtered f;

	sample_init(&s, false, false);
	s.X.rows = NODES - 1;
	assert_err(filtered_init(&f, &s.X, NULL, &s.g, FILTER_HALF, 2, 1), ERR_INPUT, "89 rows");
	s.X.rows = NODES;
	sample_release(&s);
}
