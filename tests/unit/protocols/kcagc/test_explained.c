/* Compares the share of features that degrees explain with its definition in explained.h. */
#include "tests/unit/protocols/kcagc/slices.h"
#include "protocols/kcagc/explained.h"

enum { NODES = 60, WORDS = 9 };

static size_t degree_of(const struct graph *g, size_t i)
{
	return g->adjacency.start[i + 1] - g->adjacency.start[i];
}

/* Gives each row the word of its degree (at most WORDS - 1), but each `other`th row an arbitrary
 * word. */
static void words_of(const struct graph *g, size_t other, struct csr *X)
{
	struct triple t[NODES];

	for (uint32_t i = 0; i < NODES; i++) {
		size_t word = other && i % other == 0 ? i * 7 / other : degree_of(g, i);

		t[i] = (struct triple){ i, (uint32_t)(word < WORDS ? word : WORDS - 1), 1 };
	}
	csr_from_triples(X, NODES, WORDS, t, NODES);
}

/* Computes *explained and *varied by their definition: sums over pairs of rows with equal degrees,
 * in O(n^2 m). */
static void literal(const struct mat *X, const struct graph *g, double *explained, double *varied)
{
	double between = 0, square = 0, mean = 0, groups = 0, chance;

	for (size_t i = 0; i < X->rows; i++) {
		double same = 0, dot = 0;

		for (size_t j = 0; j < X->rows; j++) {
			double xy = 0;

			for (size_t c = 0; c < X->cols; c++)
				xy += MAT(X, i, c) * MAT(X, j, c);
			mean += xy / (double)X->rows;
			square += i == j ? xy : 0;
			if (degree_of(g, i) == degree_of(g, j)) {
				same++;
				dot += xy;
			}
		}
		between += dot / same;
		groups += 1 / same;
	}
	chance = (groups - 1) / ((double)X->rows - 1);
	*varied = square - mean;
	*explained = (between - mean - chance * *varied) / (1 - chance);
}

/* Asks a slice of X for the explained share. Releases X. */
static void ask_explained(struct features *X, const struct graph *g, double *x)
{
	explained_by_degrees(X, g, x);
	features_release(X);
}

static void check(const struct csr *words, const struct graph *g, double least, double most)
{
	double x[2], y[2], left[2], e, v;
	struct features X;
	struct mat dense;

	csr_to_dense(words, &dense);
	literal(&dense, g, &e, &v);
	deal_columns(words, 1, true, &X);
	ask_explained(&X, g, x);
	assert_true(x[0] >= least * x[1] && x[0] <= most * x[1]);
	assert_near(x[0], e, 1e-9);
	assert_near(x[1], v, 1e-9);
	deal_columns(words, 1, false, &X);
	ask_explained(&X, g, y);
	assert_near(x[0], y[0], 1e-12);
	assert_near(x[1], y[1], 1e-12);
	memcpy(left, x, sizeof(left));
	for (size_t l = 0; l < 3; l++) { /* values of parts add up to the whole */
		X = (struct features){ .dense = { 0 } };
		mat_init(&X.dense, NODES, WORDS / 3);
		for (size_t i = 0; i < NODES; i++)
			for (size_t j = 0; j < WORDS / 3; j++)
				MAT(&X.dense, i, j) = MAT(&dense, i, 3 * j + l);
		ask_explained(&X, g, y);
		left[0] -= y[0];
		left[1] -= y[1];
	}
	assert_near(left[0], 0, 1e-9);
	assert_near(left[1], 0, 1e-9);
	mat_release(&dense);
}

TEST(parts)
{
	struct graph g;
	struct csr X;

	sample_graph(&g, NODES, 120, 0, false, 3);
	words_of(&g, 0, &X);
	check(&X, &g, 0.8, 1.0 + 1e-9); /* not exactly 1: some degrees share the last word */
	csr_release(&X);
	words_of(&g, 2, &X);
	check(&X, &g, 0.05, 0.6);
	csr_release(&X);
	words_of(&g, 1, &X);
	check(&X, &g, -0.2, 0.2);
	csr_release(&X);
	graph_release(&g);
}

/* In a ring all degrees are equal and explain nothing. */
TEST(one_degree)
{
	double x[2];
	struct triple t[2 * NODES];
	struct features X;
	struct graph g;
	struct csr A, words;

	for (uint32_t i = 0; i < NODES; i++) {
		t[2 * i] = (struct triple){ i, (i + 1) % NODES, 1 };
		t[2 * i + 1] = (struct triple){ (i + 1) % NODES, i, 1 };
	}
	csr_from_triples(&A, NODES, NODES, t, 2 * (size_t)NODES);
	graph_init(&g, &A);
	words_of(&g, 1, &words);
	deal_columns(&words, 1, true, &X);
	ask_explained(&X, &g, x);
	assert_true(x[0] == 0 && x[1] > 1);
	csr_release(&words);
	graph_release(&g);
}

/* With many columns and groups, signed sums of columns approximate the value. */
TEST(sketched)
{
	enum { MANY = 3000, COLUMNS = 4000 };
	struct triple *t = alloc(2 * MANY, sizeof(*t));
	double x[2];
	struct features X;
	struct graph g;
	struct csr words;

	sample_graph(&g, MANY, 40 * MANY, 0, false, 4);
	for (uint32_t i = 0; i < MANY; i++) { /* a word for the degree, and its own word */
		t[2 * i] = (struct triple){ i, (uint32_t)degree_of(&g, i), 1 };
		t[2 * i + 1] = (struct triple){ i, 500 + i, 1 };
	}
	csr_from_triples(&words, MANY, COLUMNS, t, 2 * (size_t)MANY);
	deal_columns(&words, 1, false, &X);
	ask_explained(&X, &g, x);
	assert_true(x[0] > 0.4 * x[1] && x[0] < 0.6 * x[1]);
	csr_release(&words);
	graph_release(&g);
	free(t);
}
