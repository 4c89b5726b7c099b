/* Tests rows placed by a slice's model: distances to its means equal those of its filtered rows,
 * for each kind of column. */
#include "tests/unit/protocols/kcagc/slices.h"
#include "protocols/kcagc/place.h"
#include "protocols/kcagc/wide.h"
#include "common/linalg/la.h"

#include <math.h>

enum { ORDER = 3, K = 4, PARTIES = 2, WORDS = 9 };

static struct graph g;
static uint32_t label[ROWS];
static const struct question means = { .kind = ASK_MEANS, .order = ORDER, .label = label, .k = K };

/* Makes columns: words (kind 0), words beside a year-like number in each row (1), measurements (2),
 * words of 0 and 255 (3), or words that have one value in each row (4). */
static void columns_of(struct features *X, int kind)
{
	struct rng rng;

	rng_seed(&rng, 8, (uint64_t)kind);
	*X = (struct features){ 0 };
	mat_init(&X->dense, ROWS, WORDS);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < WORDS; j++)
			MAT(&X->dense, i, j) =
			    kind == 2                     ? rng_normal(&rng)
			    : kind == 1 && j == WORDS - 1 ? 1900 + 3 * rng_normal(&rng)
			    : kind < 3                    ? rng_unit(&rng) < 0.3
			    : rng_unit(&rng) < 0.5 ? (kind == 3 ? 255 : 1 / (2.0 + (double)i))
						   : 0;
}

/* Makes a slice of X. Writes the norms of its rows to norm, and its answer about means to Q. */
static void through_slice(struct features *X, bool idf, struct slice *s, double *norm, double *Q)
{
	double facts[2], square[ROWS], spreads[SLICE_SPREADS];

	assert_ok(slice_init(s, X, &g, 1));
	begin(s, idf, facts, square);
	for (size_t i = 0; i < ROWS; i++)
		norm[i] = sqrt(square[i]);
	ask(s,
	    &(struct question){
		.kind = ASK_SPREADS, .idf = idf, .square = square, .parties = PARTIES },
	    spreads);
	ask(s, &means, Q);
}

static void check(int kind, bool idf)
{
	double norm[ROWS], length[ROWS], Q[ROWS * K];
	struct features X, again;
	struct placing p;
	struct slice s;
	struct mat D, M;

	columns_of(&X, kind);
	features_copy(&again, &X);
	through_slice(&X, idf, &s, norm, Q);
	placing_of(&s, label, K, PARTIES, &p);
	slice_means(&s, label, K, &M);
	assert_ok(placing_weigh(&p, &again, length));
	for (size_t i = 0; i < ROWS; i++)
		assert_near(length[i], norm[i], 1e-9 * (1 + norm[i]));
	assert_ok(placing_distances(&p, &again, &g, length, 1, &D));
	for (size_t i = 0; i < ROWS; i++)
		for (size_t r = 0; r < K; r++) {
			double square = 0;

			for (size_t j = 0; j < WORDS; j++)
				square += MAT(&M, r, j) * MAT(&M, r, j);
			assert_near(MAT(&D, i, r), 1.0 / PARTIES + square - 2 * Q[i * K + r], 1e-9);
		}
	mat_release(&D);
	mat_release(&M);
	placing_release(&p);
	slice_release(&s);
}

TEST(test_words)
{
	check(0, true);
}

/* Another party has measurements, so words are not weighed by idf. */
TEST(test_words_beside_measurements)
{
	check(0, false);
}

TEST(test_a_year_among_words)
{
	check(1, true);
}

TEST(test_measurements)
{
	check(2, false);
}

TEST(test_words_in_other_codes)
{
	for (int kind = 3; kind <= 4; kind++) {
		check(kind, true);
		check(kind, false);
	}
}

/* Refuses other values in columns of words, and a row without its year. */
TEST(test_other_columns)
{
	double norm[ROWS], length[ROWS], Q[ROWS * K];
	struct features X, again;
	struct placing p;
	struct slice s;
	struct triple t[] = { { 0, 0, 1 }, { 1, WORDS - 1, 1900 } };

	columns_of(&X, 1);
	features_copy(&again, &X);
	through_slice(&X, true, &s, norm, Q);
	placing_of(&s, label, K, PARTIES, &p);
	MAT(&again.dense, 3, 2) = 2;
	assert_err(placing_weigh(&p, &again, length), ERR_INPUT,
		   "features hold other values than 0 and 1");
	features_release(&again);
	again = (struct features){ .is_sparse = true };
	csr_from_triples(&again.sparse, ROWS, WORDS, t, 2);
	assert_err(placing_weigh(&p, &again, length), ERR_INPUT,
		   "column 8 (from 0) has 1 values for 40 rows; when the model was made it had one "
		   "in each row");
	features_release(&again);
	placing_release(&p);
	slice_release(&s);
}

/* A slice whose filtered rows are never formed gives the same means as formed rows. */
TEST(test_means_of_a_wide_slice)
{
	struct mat B, F, seen, expected;
	struct wide w;
	struct csr X;

	sample_sparse(&X, ROWS, COLS, 5, false, 3);
	sample_normal(&B, ROWS, K, 4);
	assert_ok(graph_filter_sparse(&g, FILTER_MEAN, ORDER, 1, &X, &F));
	wide_init(&w, &X, &g, ORDER, 1);
	wide_means(&w, &B, &seen);
	la_mul_tn(&B, &F, 1, &expected);
	assert_true(seen.rows == K && seen.cols == COLS);
	for (size_t e = 0; e < K * COLS; e++)
		assert_near(seen.a[e], expected.a[e], 1e-12);
	mat_release(&seen);
	mat_release(&expected);
	mat_release(&B);
	mat_release(&F);
	wide_release(&w);
	csr_release(&X);
}

static int open_graph(void **state)
{
	(void)state;
	sample_graph(&g, ROWS, 80, 4, false, 2);
	for (size_t i = 0; i < ROWS; i++)
		label[i] = (uint32_t)(i * 7 % K);
	return 0;
}

static int close_graph(void **state)
{
	(void)state;
	graph_release(&g);
	return 0;
}

TESTS_BETWEEN(open_graph, close_graph)
