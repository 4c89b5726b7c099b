/* Tests an embedding that is kept, and that later embeds other rows. */
#include "tests/unit/protocols/fedsc/choices.h"
#include "common/linalg/la.h"
#include "common/linalg/svd.h"
#include "protocols/kcagc/words.h"

#include <math.h>

enum { ROWS = 70, COLS = 33 };

/* Makes rows with entries 0 and 1 (words), or with any values. */
static void rows_of(struct csr *X, bool words, uint64_t seed)
{
	sample_sparse(X, ROWS, COLS, 5, words, seed);
}

static void over_length_of(void *length, size_t row, size_t column, double *value)
{
	(void)column;
	*value /= fmax(((double *)length)[row], 1);
}

static void count_of_row(void *length, size_t row, size_t column, double *value)
{
	(void)column;
	((double *)length)[row] += *value;
}

static void over_length(struct features *X)
{
	double length[ROWS] = { 0 };

	features_each(X, count_of_row, length);
	features_each(X, over_length_of, length);
}

TEST(same_rows_same_place)
{
	for (unsigned number = 0; number < 2 * CHOICES; number++) {
		struct embed_params p = choice(number);
		bool sparse = number >= CHOICES;
		struct embedding kept;
		struct features X;
		struct csr from;
		struct graph g;
		struct mat Z, plain, again;

		sample_graph(&g, ROWS, 150, 2, false, 1);
		rows_of(&from, number % 3, 2);
		sample_features(&from, sparse, &X);
		assert_ok(embed(&X, &g, &p, &plain));
		sample_features(&from, sparse, &X);
		assert_ok(embed_keep(&X, &g, &p, &Z, &kept));
		assert_same_bits(&Z, &plain);
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			sample_features(&from, !sparse, &X); /* embed_keep() got the other form */
			assert_ok(embed_again(&X, &g, &kept, threads, &again));
			assert_true(!X.dense.a && !X.sparse.start); /* embed_again() released X */
			assert_mat_near(&again, &Z, 1e-9);
			mat_release(&again);
		}
		embedding_release(&kept);
		mat_release(&plain);
		mat_release(&Z);
		csr_release(&from);
		graph_release(&g);
	}
}

/* Weights, mean and map come from the first rows only. A row without edges keeps its place if other
 * rows are missing. */
TEST(nothing_is_of_the_new_rows)
{
	struct embed_params p = {
		.idf = true, .dims = 4, .unit_rows = true, .row_power = 0.5, .threads = 1
	};
	struct embedding kept;
	struct mat Z, again;
	struct features X;
	struct csr from;
	struct graph g, few;

	sample_graph(&g, ROWS, 0, 0, false, 1);
	sample_graph(&few, ROWS / 2, 0, 0, false, 1);
	rows_of(&from, true, 4);
	sample_features(&from, true, &X);
	assert_ok(embed_keep(&X, &g, &p, &Z, &kept));
	assert_true(kept.word == 1 && kept.idf && kept.mean_norm > 0);
	sample_features(&from, true, &X);
	X.sparse.rows = ROWS / 2;
	assert_ok(embed_again(&X, &few, &kept, 1, &again));
	for (size_t i = 0; i < ROWS / 2; i++)
		for (size_t j = 0; j < Z.cols; j++)
			assert_near(MAT(&again, i, j), MAT(&Z, i, j), 1e-12);
	mat_release(&again);
	mat_release(&Z);
	embedding_release(&kept);
	csr_release(&from);
	graph_release(&few);
	graph_release(&g);
}

static const struct embed_params in_four = { .filter = FILTER_HALF,
					     .order = 2,
					     .dims = 4,
					     .unit_rows = true,
					     .row_power = 1,
					     .threads = 1 };

TEST(zero_rows_stay_zero)
{
	struct embedding kept;
	struct mat Z, again;
	struct features X;
	struct csr from;
	struct graph g;

	sample_graph(&g, ROWS, 100, 3, false, 1); /* the last three nodes have no edges */
	rows_of(&from, false, 5);
	sample_features(&from, false, &X);
	memset(ROW(&X.dense, ROWS - 1), 0, COLS * sizeof(double));
	assert_ok(embed_keep(&X, &g, &in_four, &Z, &kept));
	sample_features(&from, false, &X);
	memset(ROW(&X.dense, ROWS - 1), 0, COLS * sizeof(double));
	assert_ok(embed_again(&X, &g, &kept, 1, &again));
	for (size_t j = 0; j < again.cols; j++)
		assert_true(MAT(&again, ROWS - 1, j) == 0);
	mat_release(&again);
	mat_release(&Z);
	embedding_release(&kept);
	csr_release(&from);
	graph_release(&g);
}

/* A slice that varies in one of four dimensions gets rows of half the length, also if zero columns
 * fill it up. New rows are scaled in the same way. */
TEST(thin_slices_count_less)
{
	struct mat column, Z, again;
	struct embedding kept;
	struct features X;
	struct graph g;

	sample_graph(&g, ROWS, 100, 3, false, 1);
	for (size_t cols = 1; cols <= COLS; cols += COLS - 1) {
		mat_init(&column, ROWS, cols);
		for (size_t i = 0; i < ROWS; i++)
			MAT(&column, i, 0) = 1 + (double)(i % 7);
		X = (struct features){ 0 };
		mat_copy(&X.dense, &column);
		assert_ok(embed_keep(&X, &g, &in_four, &Z, &kept));
		X = (struct features){ .dense = column };
		assert_ok(embed_again(&X, &g, &kept, 1, &again));
		for (size_t i = 0; i < ROWS; i++) {
			assert_near(mat_norm(ROW(&Z, i), Z.cols), 0.5, 1e-9);
			assert_near(mat_norm(ROW(&again, i), Z.cols), 0.5, 1e-9);
		}
		mat_release(&again);
		mat_release(&Z);
		embedding_release(&kept);
	}
	graph_release(&g);
}

/* Makes features: column 0 has numbers far from 0, times `unit`; all other columns have words. */
static void words_and_number(struct features *X, const struct csr *words, bool sparse, double unit)
{
	struct triple t[ROWS * COLS];
	struct features all;
	size_t count = 0;

	sample_features(words, false, &all);
	for (size_t i = 0; i < ROWS; i++)
		MAT(&all.dense, i, 0) = unit * (double)(40 + i * i % 37);
	*X = all;
	if (!sparse)
		return;
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t j = 0; j < COLS; j++)
			if (MAT(&all.dense, i, j) != 0)
				t[count++] = (struct triple){ i, j, MAT(&all.dense, i, j) };
	*X = (struct features){ .is_sparse = true };
	csr_from_triples(&X->sparse, ROWS, COLS, t, count);
	mat_release(&all.dense);
}

/* Scales by hand: the number divided by its deviation, words weighed by idf. */
static void by_hand(struct features *X, const struct csr *words)
{
	double sum = 0, square = 0, deviation;

	words_and_number(X, words, false, 1);
	for (size_t i = 0; i < ROWS; i++) {
		sum += MAT(&X->dense, i, 0) / ROWS;
		square += MAT(&X->dense, i, 0) * MAT(&X->dense, i, 0) / ROWS;
	}
	deviation = sqrt(square - sum * sum);
	for (size_t j = 0; j < COLS; j++) {
		double there = 0;

		for (size_t i = 0; i < ROWS; i++)
			there += MAT(&X->dense, i, j) != 0;
		for (size_t i = 0; i < ROWS; i++)
			MAT(&X->dense, i, j) *=
			    j ? log((1.0 + ROWS) / (1 + there)) + 1 : 1 / deviation;
	}
}

static const struct embed_params by_idf = {
	.idf = true,
	.filter = FILTER_HALF,
	.order = 2,
	.dims = 4,
	.unit_rows = true,
	.row_power = 0.8,
	.threads = 1,
};

/* A number beside words neither outweighs them nor takes idf weights, in any unit. The stored map
 * contains the columns' weights. */
TEST(a_number_beside_words)
{
	struct embed_params p = by_idf;
	struct mat hand, Z, again;
	struct embedding kept;
	struct features X;
	struct csr words;
	struct graph g;

	sample_graph(&g, ROWS, 100, 0, false, 1);
	rows_of(&words, true, 8);
	by_hand(&X, &words);
	p.idf = false;
	assert_ok(embed(&X, &g, &p, &hand));
	p.idf = true;
	for (int t = 0; t < 4; t++) {
		bool sparse = t % 2;
		double unit = t < 2 ? 1 : 1024;

		words_and_number(&X, &words, sparse, unit);
		assert_ok(embed_keep(&X, &g, &p, &Z, &kept));
		assert_true(!kept.idf && kept.word == 0);
		assert_mat_near(&Z, &hand, 1e-9);
		words_and_number(&X, &words, !sparse, unit);
		assert_ok(embed_again(&X, &g, &kept, 1, &again));
		assert_mat_near(&again, &Z, 1e-9);
		mat_release(&again);
		mat_release(&Z);
		embedding_release(&kept);
	}
	mat_release(&hand);
	csr_release(&words);
	graph_release(&g);
}

/* Words divided by their row's length embed like words of 0 and 1. New rows may use either code. */
TEST(words_coded_by_row)
{
	struct embed_params p = by_idf;
	struct mat plain, Z, again;
	struct embedding kept;
	struct features X;
	struct csr words;
	struct graph g;

	sample_graph(&g, ROWS, 100, 0, false, 1);
	rows_of(&words, true, 8);
	sample_features(&words, true, &X);
	assert_ok(embed(&X, &g, &p, &plain));
	for (int t = 0; t < 4; t++) {
		sample_features(&words, t % 2, &X);
		over_length(&X);
		assert_ok(embed_keep(&X, &g, &p, &Z, &kept));
		assert_true(kept.idf && kept.word == WORD_OF_ROWS);
		assert_mat_near(&Z, &plain, 1e-9);
		sample_features(&words, t % 2, &X);
		if (t < 2)
			over_length(&X);
		assert_ok(embed_again(&X, &g, &kept, 1, &again));
		assert_mat_near(&again, &Z, 1e-9);
		mat_release(&again);
		mat_release(&Z);
		embedding_release(&kept);
	}
	mat_release(&plain);
	csr_release(&words);
	graph_release(&g);
}

TEST(other_columns)
{
	struct embed_params p = { .idf = true, .dims = 4, .threads = 1 };
	struct embedding kept;
	struct features X;
	struct csr words, narrow, numbers;
	struct graph g;
	struct mat Z;

	sample_graph(&g, ROWS, 100, 0, false, 1);
	rows_of(&words, true, 6);
	rows_of(&numbers, false, 6);
	sample_sparse(&narrow, ROWS, COLS - 1, 5, true, 6);
	sample_features(&words, true, &X);
	assert_ok(embed_keep(&X, &g, &p, &Z, &kept));
	mat_release(&Z);
	for (int sparse = 0; sparse < 2; sparse++) {
		sample_features(&narrow, sparse, &X);
		assert_err(embed_again(&X, &g, &kept, 1, &Z), ERR_INPUT,
			   "32 columns, the model was made of 33");
		assert_true(!X.dense.a && !X.sparse.start);
		sample_features(&numbers, sparse, &X);
		assert_err(embed_again(&X, &g, &kept, 1, &Z), ERR_INPUT,
			   "values besides 0 and the model's single word value");
	}
	embedding_release(&kept);
	csr_release(&words);
	csr_release(&numbers);
	csr_release(&narrow);
	graph_release(&g);
}

/* The basis U is X times the stored map, for each of the three ways to compute a basis, including
 * signs. */
TEST(map_makes_u)
{
	static const struct {
		size_t rows, cols;
	} shape[] = { { 200, 30 }, { 30, 200 }, { SVD_EXACT_MAX + 50, SVD_EXACT_MAX + 1 } };

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++) {
		struct mat X, U, map, again;
		double sigma[6];

		sample_normal(&X, shape[s].rows, shape[s].cols, 7 + s);
		assert_ok(svd_left(&X, 6, 2, &U, sigma, &map));
		la_mul_nn(&X, &map, 1, &again);
		assert_mat_near(&again, &U, 1e-11);
		mat_release(&again);
		mat_release(&map);
		mat_release(&U);
		mat_release(&X);
	}
}
