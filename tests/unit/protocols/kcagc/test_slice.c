/* Tests a party's columns: facts, the order of questions, bad input, clusters, and the parties'
 * agreement. */
#include "tests/unit/protocols/kcagc/slices.h"
#include "common/linalg/la.h"
#include "protocols/kcagc/order.h"

/* Writes the two facts and the squared norms of three rows to x. */
static void facts_of(struct triple *t, size_t count, size_t columns, bool dense, double *x)
{
	struct slice s;
	struct graph g;
	struct csr X;

	sample_graph(&g, 3, 2, 0, false, 1);
	csr_from_triples(&X, 3, (uint32_t)columns, t, count);
	make(&s, &X, dense, &g, 1);
	ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
	slice_release(&s);
	csr_release(&X);
	graph_release(&g);
}

TEST(facts)
{
	static const struct {
		double value, measured;
	} cases[] = { { 1, 0 }, { 0, 0 }, { 2, 1 }, { -1, 1 }, { 0.5, 1 } };

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
		for (int dense = 0; dense < 2; dense++) {
			struct triple t[] = { { 0, 0, 1 }, { 1, 1, cases[c].value }, { 2, 0, 1 } };
			double x[2 + 3];

			facts_of(t, 3, 4, dense, x);
			assert_true(x[0] == cases[c].measured);
			assert_true(x[1] ==
				    (cases[c].value != 0 ? 2 : 1)); /* zero columns do not count */
		}
}

/* Tests a column with a number in each row beside a column of words: `words`, 0, `words`. Words
 * keep their weights; numbers get one size in any unit. norms NULL: both columns are measurements,
 * scaled by a power of two to a root mean square near 1. */
static void beside_words(const double *number, double words, double varied, const double *norms)
{
	for (int dense = 0; dense < 2; dense++) {
		struct triple t[] = { { 0, 0, words },
				      { 2, 0, words },
				      { 0, 1, number[0] },
				      { 1, 1, number[1] },
				      { 2, 1, number[2] } };
		double x[2 + 3], square = 0, count = 0, by;

		for (size_t e = 0; e < 5; e++) {
			square += t[e].value * t[e].value;
			count += t[e].value != 0;
		}
		by = exp2(-round(log2(sqrt(square / count))));
		facts_of(t, 5, 2, dense, x);
		assert_true(x[0] == !norms);
		assert_true(x[1] == varied);
		for (size_t i = 0; i < 3; i++)
			assert_near(x[2 + i],
				    norms ? norms[i]
					  : ((i != 1 ? words * words : 0) + number[i] * number[i]) *
						by * by,
				    1e-12);
	}
}

TEST(foreign_columns)
{
	const double word = (log(4.0 / 3) + 1) * (log(4.0 / 3) + 1), by = 3 / 14.0;
	const double brought[] = { word + 4 * by, by, word + 9 * by };
	const double alone[] = { word, 0, word };

	beside_words((const double[]){ 1, 2, 6 }, 1, 2, brought);
	beside_words((const double[]){ 1001e6, 1002e6, 1006e6 }, 1, 2,
		     brought); /* the number has another unit and origin */
	beside_words((const double[]){ 7, 7, 7 }, 1, 1, alone);
	beside_words((const double[]){ 1, 0, 6 }, 1, 2, NULL);    /* counts are measurements */
	beside_words((const double[]){ 1, 2, 6 }, 3, 2, brought); /* each word is 3, not 1 */
	beside_words((const double[]){ 1, 2, 6 }, 0, 1, NULL);    /* numbers alone */
}

/* Writes to x the two facts and the squared norms of six rows, each with value(row, column) in two
 * of four columns. */
static void facts_of_pairs(double (*value)(uint32_t i, uint32_t j), bool dense, double *x)
{
	struct triple t[12];
	struct slice s;
	struct graph g;
	struct csr X;

	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t j = 0; j < 2; j++)
			t[2 * i + j] = (struct triple){ i, (i + 2 * j) % 4, value(i, j) };
	sample_graph(&g, 6, 5, 0, false, 1);
	csr_from_triples(&X, 6, 4, t, 12);
	make(&s, &X, dense, &g, 1);
	ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
	slice_release(&s);
	csr_release(&X);
	graph_release(&g);
}

static double one(uint32_t i, uint32_t j)
{
	(void)i;
	(void)j;
	return 1;
}

static double of_255(uint32_t i, uint32_t j)
{
	return 255 * one(i, j);
}

static double by_row(uint32_t i, uint32_t j)
{
	return one(i, j) / (3 + i);
}

static double count_of(uint32_t i, uint32_t j)
{
	return 1 + (i + j) % 2;
}

/* Words coded as 0 and 255, or divided by their row's length, are words. Counts are not: their root
 * mean square of 1.58 is scaled to 0.79. */
TEST(words_in_other_codes)
{
	for (int dense = 0; dense < 2; dense++) {
		double words[2 + 6], x[2 + 6];

		facts_of_pairs(one, dense, words);
		facts_of_pairs(of_255, dense, x);
		assert_memory_equal(x, words, sizeof(x));
		facts_of_pairs(by_row, dense, x);
		assert_memory_equal(x, words, sizeof(x));
		facts_of_pairs(count_of, dense, x);
		assert_true(x[0] == 1);
		for (size_t i = 0; i < 6; i++)
			assert_near(x[2 + i], 1.25, 1e-12); /* each row has 1 and 2, both halved */
	}
}

/* A single number in each row does not show whether numbers are words divided by the row's length,
 * so the columns are measurements. */
TEST(single_amounts)
{
	struct triple t[] = { { 0, 0, 3 }, { 1, 1, 5 }, { 2, 0, 4 } };
	double x[2 + 3];

	facts_of(t, 3, 2, true, x);
	assert_true(x[0] == 1);
}

/* Beside reals that are mostly 0, a year is scaled to size 1, as all columns of the party are. */
TEST(a_year_beside_reals)
{
	struct triple t[16];
	double x[2 + 8], by_hand[8];
	struct slice s;
	struct graph g;
	struct csr X;

	for (uint32_t i = 0; i < 8; i++) {
		t[2 * i] = (struct triple){ i, i % 3, i % 2 ? 0.1 : 0.7 };
		t[2 * i + 1] = (struct triple){ i, 3, i % 2 ? 1990 : 2010 };
		by_hand[i] = (i % 2 ? 0.01 : 0.49) / 0.25 + 1;
	}
	sample_graph(&g, 8, 7, 0, false, 1);
	for (int dense = 0; dense < 2; dense++) {
		csr_from_triples(&X, 8, 4, t, 16);
		make(&s, &X, dense, &g, 1);
		ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
		assert_true(x[0] == 1 && x[1] == 4);
		for (size_t i = 0; i < 8; i++)
			assert_near(x[2 + i], by_hand[i], 1e-12);
		assert_near(s.shift[3], 2000, 1e-9);
		assert_near(s.weight[3], 0.1, 1e-12);
		slice_release(&s);
		csr_release(&X);
	}
	graph_release(&g);
}

/* Columns beyond the number of rows change nothing. The spread is c^2; c falls by 1.5 at each step
 * up to step 5, then by .3. With n columns of n rows the rule ends where c falls by less than 1. */
TEST(rule_of_copies)
{
	double spreads[SLICE_SPREADS] = { 100 };

	for (size_t t = 0; t < SLICE_POWERS; t++) {
		double c = t < 5 ? 40 - 1.5 * (double)t : 34 - 0.3 * (double)t;

		spreads[SLICE_POWERS + t] = c * c;
	}
	assert_int_equal(slice_rule(spreads, 100, 100), 5);
	assert_int_equal(slice_rule(spreads, 100, 800), 5);
	assert_int_equal(slice_rule(spreads, 100, 10), SLICE_ORDER_MAX);
	assert_int_equal(slice_order(spreads, 100, 800), 5);
}

/* A slice answers questions in their order; products, means and modularities also repeatedly. It
 * refuses a filter order below the one before or above SLICE_ORDER_MAX and, with degrees as a
 * feature, also a higher one. */
TEST(orders)
{
	double x[ROWS * 4 + 2], square[ROWS] = { 0 };
	uint32_t label[ROWS] = { 0 }, own[ROWS];
	struct mat B;
	struct question one[] = {
		{ .kind = ASK_FACTS },
		{ .kind = ASK_NORMS },
		{ .kind = ASK_SPREADS, .square = square, .parties = 1 },
		{ .kind = ASK_PRODUCTS, .order = 2, .B = &B },
		{ .kind = ASK_MEANS, .order = 2, .label = label, .k = 2 },
		{ .kind = ASK_QUALITY, .label = label, .k = 2, .labellings = 1, .parties = 1 }
	};
	struct kmeans_params how = { .k = 3, .restarts = 1, .iterations = 3 };
	struct slice s;
	struct graph g;
	struct csr X;

	sample_graph(&g, ROWS, 60, 0, false, 5);
	sample_sparse(&X, ROWS, COLS, 4, true, 5);
	sample_normal(&B, ROWS, 2, 5);
	make(&s, &X, false, &g, 1);
	assert_ok(slice_answer(&s, &one[0], x));
	assert_ok(slice_cluster(&s, 2, 2, 3, &how, own));
	assert_ok(slice_answer(&s, &one[1], x));
	assert_ok(slice_answer(&s, &one[2], x));
	one[3].order = SLICE_ORDER_MAX + 1;
	assert_err(slice_answer(&s, &one[3], x), ERR_PEER, "order 16, expected at most 15");
	one[3].order = 2;
	for (int again = 0; again < 2; again++)
		for (int kind = 3; kind < 6; kind++)
			assert_ok(slice_answer(&s, &one[kind], x));
	one[4].order = 3;
	assert_ok(slice_answer(&s, &one[4], x));
	one[4].order = 2;
	assert_err(slice_answer(&s, &one[4], x), ERR_PEER, "order 2 after 3");
	one[4].order = SLICE_ORDER_MAX + 1;
	assert_err(slice_answer(&s, &one[4], x), ERR_PEER, "order 16, expected at most 15");
	s.degrees = DEGREES_BESIDE;
	one[4].order = 4;
	assert_err(slice_answer(&s, &one[4], x), ERR_PEER, "order 4 after 3");
	mat_release(&B);
	slice_release(&s);
	csr_release(&X);
	graph_release(&g);
}

/* Computes products and means of the rows of X after `order` filter steps. If `before` is above 0,
 * asks for this lower order first. */
static void answers_after(const struct csr *X, const struct graph *g, bool dense, unsigned before,
			  unsigned order, double *products, double *means)
{
	size_t n = X->rows;
	uint32_t *label = alloc(n, sizeof(*label));
	struct slice s;
	struct mat B;

	for (size_t i = 0; i < n; i++)
		label[i] = i % 3 == 1;
	sample_normal(&B, n, 2, 5);
	make(&s, X, dense, g, 1);
	for (int t = before ? 0 : 1; t < 2; t++) {
		unsigned p = t ? order : before;

		ask(&s, &(struct question){ .kind = ASK_PRODUCTS, .order = p, .B = &B }, products);
		ask(&s, &(struct question){ .kind = ASK_MEANS, .order = p, .label = label, .k = 2 },
		    means);
	}
	mat_release(&B);
	slice_release(&s);
	free(label);
}

static void check_further(const struct csr *X, const struct graph *g, bool dense)
{
	double *products[2], *means[2];

	for (unsigned t = 0; t < 2; t++) {
		ALLOC(products[t], 2 * X->rows);
		ALLOC(means[t], 2 * X->rows);
		answers_after(X, g, dense, t ? 1 : 0, 4, products[t], means[t]);
	}
	for (size_t i = 0; i < 2 * X->rows; i++) {
		assert_near(products[1][i], products[0][i], 1e-10);
		assert_near(means[1][i], means[0][i], 1e-12);
	}
	for (unsigned t = 0; t < 2; t++) {
		free(products[t]);
		free(means[t]);
	}
}

/* A question for a higher order continues from the filtered slice, which is dense, sparse, or known
 * by products only. */
TEST(further)
{
	struct graph g;
	struct csr X;

	sample_graph(&g, ROWS, 60, 0, false, 5);
	sample_sparse(&X, ROWS, COLS, 4, true, 5);
	check_further(&X, &g, true);
	check_further(&X, &g, false);
	csr_release(&X);
	graph_release(&g);
	sample_graph(&g, 8500, 20000, 0, false, 6);
	sample_sparse(&X, 8500, 8000, 2, true, 6);
	assert_true(wide_pays(&X));
	check_further(&X, &g, false);
	csr_release(&X);
	graph_release(&g);
}

TEST(bad_input)
{
	struct features X = { 0 };
	struct slice s;
	struct graph g;

	sample_graph(&g, 5, 4, 0, false, 1);
	sample_normal(&X.dense, 4, 3, 1);
	assert_err(slice_init(&s, &X, &g, 1), ERR_INPUT, "4 rows of features for a graph of 5");
	slice_release(&s);
	mat_init(&X.dense, 5, 0);
	assert_err(slice_init(&s, &X, &g, 1), ERR_INPUT, "5 x 0: nothing to cluster");
	slice_release(&s);
	graph_release(&g);
}

/* Divides rows by their own length. Weighs columns by idf if all are words. */
static void scale_alone(struct csr *X, bool idf)
{
	double df[COLS] = { 0 };

	for (size_t e = 0; e < X->start[ROWS]; e++)
		df[X->index[e]] += X->value[e] != 0;
	for (size_t i = 0; i < ROWS; i++) {
		double sum = 0;

		for (size_t e = X->start[i]; e < X->start[i + 1]; e++) {
			if (idf)
				X->value[e] *= log((1.0 + ROWS) / (1 + df[X->index[e]])) + 1;
			sum += X->value[e] * X->value[e];
		}
		for (size_t e = X->start[i]; e < X->start[i + 1] && sum > 0; e++)
			X->value[e] /= sqrt(sum);
	}
}

/* Local clusters equal those of Protocol 1, which clusters the unit rows of U S. For the clusters
 * the slice scales its rows without other parties and filters them. This does not change later
 * answers. */
static void check_clusters(bool words, bool dense)
{
	struct kmeans_params how = {
		.k = 4, .restarts = 3, .iterations = 10, .ninth = true, .seed = 9, .threads = 1
	};
	struct embed_params embedding = {
		.filter = FILTER_MEAN, .dims = 3, .unit_rows = true, .row_power = 1
	};
	struct question spreads = { .kind = ASK_SPREADS, .parties = 5 };
	double x[2 + ROWS], all[2][2 * SLICE_POWERS], square[ROWS], none[2 * SLICE_POWERS];
	uint32_t label[ROWS], expected[ROWS];
	struct features whole;
	struct slice s, other;
	struct graph g;
	struct csr X;
	struct mat Z;

	sample_graph(&g, ROWS, 60, 0, false, 5);
	sample_sparse(&X, ROWS, COLS, 6, words, 6);
	make(&s, &X, dense, &g, 1);
	make(&other, &X, dense, &g, 1);
	ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
	ask(&other, &(struct question){ .kind = ASK_FACTS }, x);
	scale_alone(&X, words);
	for (size_t i = 0; i < ROWS; i++)
		square[i] = x[2 + i] > 0 ? 1 : 0;
	/* asks for the party's own order (0), then for order 3 */
	for (unsigned order = 0; order < 4; order += 3) {
		assert_ok(slice_cluster(&s, order, 5, 3, &how, label));
		deal_columns(&X, 1, false, &whole);
		assert_ok(graph_filter_spread(&g, FILTER_MEAN, SLICE_POWERS - 1, 1, &whole.sparse,
					      NULL, none, all[0]));
		embedding.order =
		    order ? order : psi_gcc(all[0], none[0], ROWS, ROWS, SLICE_ORDER_MAX);
		assert_true(order || embedding.order != 3);
		assert_ok(embed(&whole, &g, &embedding, &Z));
		kmeans(&Z, NULL, &how, expected, NULL, NULL);
		assert_memory_equal(label, expected, sizeof(label));
		mat_release(&Z);
	}
	spreads.square = square;
	ask(&s, &spreads, all[0]);
	ask(&other, &spreads, all[1]);
	assert_memory_equal(all[0], all[1], sizeof(all[0]));
	slice_release(&s);
	slice_release(&other);
	csr_release(&X);
	graph_release(&g);
}

TEST(clusters)
{
	for (int words = 0; words < 2; words++)
		for (int dense = 0; dense < 2; dense++)
			check_clusters(words, dense);
}

/* A source that reads features again, after clustering has released them. */
struct kept {
	struct csr X;
	double more; /* read_kept() adds it to one value */
	size_t columns, times;
	bool lost;
};

static enum err read_kept(void *arg, struct features *X)
{
	struct kept *k = arg;

	*X = (struct features){ 0 };
	k->times++;
	if (k->lost)
		return err_set(ERR_INPUT, "no such file");
	csr_to_dense(&k->X, &X->dense);
	MAT(&X->dense, 3, 1) += k->more;
	X->dense.cols = k->columns;
	return ERR_OK;
}

/* Later answers have the same bits with a copy of the features and without. The features are words
 * beside a year if `words` is true, otherwise numbers. */
static void check_read_again(bool words)
{
	struct kmeans_params how = {
		.k = 4, .restarts = 3, .iterations = 10, .ninth = true, .seed = 9, .threads = 1
	};
	struct kept kept = { .columns = COLS };
	struct features_source source = { &kept, read_kept };
	struct question spreads = { .kind = ASK_SPREADS, .idf = words, .shares = true };
	double x[2][2 + ROWS], all[2][SLICE_SPREADS];
	uint32_t label[2][ROWS];
	struct triple entry[ROWS * COLS];
	struct slice s[2], other;
	struct graph g;
	struct mat X;

	sample_graph(&g, ROWS, 60, 0, false, 5);
	sample_sparse(&kept.X, ROWS, COLS, 6, words, 6);
	csr_to_dense(&kept.X, &X);
	csr_release(&kept.X);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < COLS; j++)
			entry[i * COLS + j] =
			    (struct triple){ (uint32_t)i, (uint32_t)j,
					     words && j == 0 ? 1950 + (double)i : MAT(&X, i, j) };
	csr_from_triples(&kept.X, ROWS, COLS, entry, (size_t)ROWS * COLS);
	for (size_t t = 0; t < 2; t++) {
		make(&s[t], &kept.X, true, &g, 1);
		s[t].source = t ? &source : NULL;
		ask(&s[t], &(struct question){ .kind = ASK_FACTS }, x[t]);
		assert_ok(slice_cluster(&s[t], 0, 2, 3, &how, label[t]));
		spreads.square = x[t] + 2;
		ask(&s[t], &spreads, all[t]);
	}
	assert_int_equal(kept.times, 1);
	assert_memory_equal(x[0], x[1], sizeof(*x));
	assert_memory_equal(label[0], label[1], sizeof(*label));
	assert_memory_equal(all[0], all[1], sizeof(*all));
	assert_memory_equal(s[0].shift, s[1].shift, COLS * sizeof(double));
	assert_memory_equal(s[0].weight, s[1].weight, COLS * sizeof(double));
	assert_memory_equal(s[0].word, s[1].word, COLS);
	assert_true(s[0].X.dense.a[COLS] == s[1].X.dense.a[COLS]);
	for (int wrong = 0; wrong < 3; wrong++) {
		kept.more = wrong == 0 ? 1e-9 : 0;
		kept.columns = wrong == 1 ? COLS - 1 : COLS;
		kept.lost = wrong == 2;
		make(&other, &kept.X, true, &g, 1);
		other.source = &source;
		ask(&other, &(struct question){ .kind = ASK_FACTS }, x[1]);
		assert_err(slice_cluster(&other, 0, 2, 3, &how, label[1]), ERR_INPUT,
			   wrong == 0   ? "have changed since they were read"
			   : wrong == 1 ? "40 x 23 are 40 x 22 now"
					: "no such file");
		slice_release(&other);
	}
	slice_release(&s[0]);
	slice_release(&s[1]);
	mat_release(&X);
	csr_release(&kept.X);
	graph_release(&g);
}

TEST(read_again)
{
	check_read_again(false);
	check_read_again(true);
}

/* A slice of zeros has clusters too. */
TEST(clusters_of_nothing)
{
	struct kmeans_params how = { .k = 3, .restarts = 2, .iterations = 3, .threads = 1 };
	double x[2 + ROWS];
	uint32_t label[ROWS];
	struct triple none[] = { { 0, 0, 0 } };
	struct slice s;
	struct graph g;
	struct csr X;

	sample_graph(&g, ROWS, 60, 0, false, 5);
	csr_from_triples(&X, ROWS, 4, none, 1);
	make(&s, &X, false, &g, 1);
	ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
	assert_ok(slice_cluster(&s, 0, 2, 3, &how, label));
	for (size_t i = 0; i < ROWS; i++)
		assert_true(label[i] < 3);
	slice_release(&s);
	csr_release(&X);
	graph_release(&g);
}

/* -- parties in memory
 * ----------------------------------------------------------------------------------- */

/* Parties use idf only if all their features are words; here one 0.5 among ones prevents it. The
 * width is the number of all parties' columns. */
TEST(agreement)
{
	for (int mixed = 0; mixed < 2; mixed++) {
		struct memory memory = { .kind = &slices_in_memory, .count = 3 };
		struct sums_basis basis;
		struct features part[3];
		struct slice slice[3];
		struct parties parties;
		struct graph g;
		struct csr X;

		sample_graph(&g, ROWS, 80, 0, false, 2);
		sample_sparse(&X, ROWS, COLS, 5, true, 3);
		if (mixed)
			X.value[4] = 0.5;
		deal_columns(&X, 3, false, part);
		for (size_t l = 0; l < 3; l++)
			assert_ok(slice_init(&slice[l], &part[l], &g, 1));
		memory.party = slice;
		parties_in_memory(&parties, &memory);
		assert_err(sums_agree(&parties, ROWS, 16, DEGREES_OFF, NULL, NULL, &basis),
			   ERR_INPUT, "16, expected at most 15");
		assert_ok(
		    sums_agree(&parties, ROWS, mixed ? 4 : 0, DEGREES_OFF, NULL, NULL, &basis));
		assert_true(basis.idf == !mixed);
		assert_int_equal(basis.width, COLS);
		if (mixed)
			assert_int_equal(basis.order, 4);
		assert_true(basis.square > 0 && basis.square < ROWS);
		for (size_t l = 0; l < 3; l++)
			slice_release(&slice[l]);
		csr_release(&X);
		graph_release(&g);
	}
}

TEST(all_zero)
{
	struct memory memory = { .kind = &slices_in_memory, .count = 1 };
	struct features X = { 0 };
	struct sums_basis basis;
	struct slice slice;
	struct parties parties;
	struct graph g;

	sample_graph(&g, 5, 4, 0, false, 1);
	mat_init(&X.dense, 5, 2);
	assert_ok(slice_init(&slice, &X, &g, 1));
	memory.party = &slice;
	parties_in_memory(&parties, &memory);
	assert_err(sums_agree(&parties, 5, 0, DEGREES_OFF, NULL, NULL, &basis), ERR_INPUT,
		   "are 0: nothing to cluster");
	slice_release(&slice);
	graph_release(&g);
}
