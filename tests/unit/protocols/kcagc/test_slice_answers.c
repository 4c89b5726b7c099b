/* Compares each answer of a party's columns with its formula on dense matrices. */
#include "tests/unit/protocols/kcagc/slices.h"
#include "common/linalg/la.h"
#include "common/graph/graph.h"

enum { ORDER = 3, SETS = 5 };

struct answers {
	struct csr sparse;
	struct graph g;
	struct slice s;
	bool idf;
	double square[ROWS]; /* squared norms over two parties with equal columns */
	/* Unit rows over both parties, the filter, and inner products after ORDER steps. */
	struct mat X, T, K;
	uint32_t label[2 * ROWS];
};

static void weigh_by_idf(struct mat *X)
{
	for (size_t j = 0; j < COLS; j++) {
		double df = 0;

		for (size_t i = 0; i < ROWS; i++)
			df += MAT(X, i, j) != 0;
		for (size_t i = 0; i < ROWS; i++)
			MAT(X, i, j) *= log((1.0 + ROWS) / (1 + df)) + 1;
	}
}

static void open_answers(struct answers *a, bool dense, bool ones, bool idf)
{
	*a = (struct answers){ .idf = idf };
	sample_graph(&a->g, ROWS, 80, 4, false, 2);
	sample_sparse(&a->sparse, ROWS, COLS, 5, ones, 3);
	for (size_t e = a->sparse.start[7]; e < a->sparse.start[8]; e++)
		a->sparse.value[e] = 0; /* a zero row */
	even_out(&a->sparse, 1);
	csr_to_dense(&a->sparse, &a->X);
	if (idf)
		weigh_by_idf(&a->X);
	sample_mean_filter(&a->g, &a->T);
	make(&a->s, &a->sparse, dense, &a->g, 2);
	for (uint32_t i = 0; i < 2 * ROWS; i++)
		a->label[i] = i % 9 % 4; /* set 4 of 5 is empty */
}

static void close_answers(struct answers *a)
{
	mat_release(&a->K);
	mat_release(&a->T);
	mat_release(&a->X);
	slice_release(&a->s);
	csr_release(&a->sparse);
	graph_release(&a->g);
}

/* Checks the norms, then scales the rows of X to joint unit length. */
static void check_norms(struct answers *a, bool ones)
{
	double told[2];

	begin(&a->s, a->idf, told, a->square);
	assert_true(told[0] == !ones && told[1] == COLS);
	for (size_t i = 0; i < ROWS; i++) {
		double sum = 0;

		for (size_t j = 0; j < COLS; j++)
			sum += MAT(&a->X, i, j) * MAT(&a->X, i, j);
		assert_near(a->square[i], sum, 1e-12);
		a->square[i] = 2 * sum; /* the other party has the same columns */
		for (size_t j = 0; j < COLS && sum > 0; j++)
			MAT(&a->X, i, j) /= sqrt(2 * sum);
	}
	assert_true(a->square[7] == 0);
}

/* Checks the shares: shares[0] is the squared length of S^t X along sqrt(degree), equal for all t;
 * shares[t] is the whole of ||S^t X||^2. S is twice the half filter, less I. */
static void check_shares(struct answers *a, const double *shares)
{
	const double *inv = a->s.g->inv_sqrt_deg;
	double total = 0;
	struct mat X, half;

	for (size_t i = 0; i < ROWS; i++)
		total += 1 / (inv[i] * inv[i]);
	mat_copy(&X, &a->X);
	for (size_t t = 0; t <= SLICE_ORDER_MAX; t++) {
		double all = 0, along = 0;

		for (size_t j = 0; j < COLS; j++) {
			double sum = 0;

			for (size_t i = 0; i < ROWS; i++) {
				sum += MAT(&X, i, j) / inv[i];
				all += MAT(&X, i, j) * MAT(&X, i, j);
			}
			along += sum * sum / total;
		}
		assert_near(shares[0], along, 1e-10 * along);
		if (t)
			assert_near(shares[t], all, 1e-10 * all);
		mat_copy(&half, &X);
		assert_ok(graph_filter(a->s.g, FILTER_HALF, 1, 1, &half));
		for (size_t e = 0; e < ROWS * COLS; e++)
			X.a[e] = 2 * half.a[e] - X.a[e];
		mat_release(&half);
	}
	mat_release(&X);
}

/* Checks the spreads of X after 0, 1, .. filter steps. Makes K on the way. */
static void check_spreads(struct answers *a)
{
	double spreads[SLICE_SPREADS];
	struct question q = { .kind = ASK_SPREADS,
			      .idf = a->idf,
			      .square = a->square,
			      .parties = 2,
			      .shares = true };
	struct mat X;

	ask(&a->s, &q, spreads);
	check_shares(a, spreads + (size_t)2 * SLICE_POWERS);
	mat_copy(&X, &a->X);
	for (size_t t = 0; t < SLICE_POWERS; t++) {
		double all = 0, off = 0;
		struct mat next;

		for (size_t j = 0; j < COLS; j++) {
			double mean = 0;

			for (size_t i = 0; i < ROWS; i++)
				mean += MAT(&X, i, j) / ROWS;
			for (size_t i = 0; i < ROWS; i++) {
				all += MAT(&X, i, j) * MAT(&X, i, j);
				off += pow(MAT(&X, i, j) - mean, 2);
			}
		}
		assert_near(spreads[t], all, 1e-12);
		assert_near(spreads[SLICE_POWERS + t], off, 1e-12);
		if (t == ORDER)
			la_gram_rows(&X, 1, &a->K);
		la_mul_nn(&a->T, &X, 1, &next);
		mat_release(&X);
		X = next;
	}
	mat_release(&X);
}

static void check_products(struct answers *a)
{
	struct mat B, Y, expected;

	sample_normal(&B, ROWS, 6, 4);
	mat_init(&Y, ROWS, 6);
	ask(&a->s, &(struct question){ .kind = ASK_PRODUCTS, .order = ORDER, .B = &B }, Y.a);
	la_mul_nn(&a->K, &B, 1, &expected);
	assert_mat_near(&Y, &expected, 1e-12);
	mat_release(&expected);
	mat_release(&Y);
	mat_release(&B);
}

/* Checks the means. Y (ROWS x SETS) gets the answer. */
static void check_means(struct answers *a, struct mat *Y)
{
	struct mat G, expected;

	mat_init(&G, ROWS, SETS);
	for (size_t i = 0; i < ROWS; i++)
		MAT(&G, i, a->label[i]) = 1;
	for (size_t c = 0; c < SETS; c++) {
		double size = 0;

		for (size_t i = 0; i < ROWS; i++)
			size += MAT(&G, i, c);
		for (size_t i = 0; i < ROWS && size > 0; i++)
			MAT(&G, i, c) /= size;
	}
	mat_init(Y, ROWS, SETS);
	ask(&a->s,
	    &(struct question){ .kind = ASK_MEANS, .order = ORDER, .label = a->label, .k = SETS },
	    Y->a);
	la_mul_nn(&a->K, &G, 1, &expected);
	assert_mat_near(Y, &expected, 1e-13);
	mat_release(&expected);
	mat_release(&G);
}

/* Checks the modularity of two labellings. If the question has means, the means equal those of a
 * question for means alone. */
static void check_quality(struct answers *a, const struct mat *means_alone)
{
	double quality[2 + SETS * ROWS];

	for (int means = 0; means < 2; means++) {
		struct question both = { .kind = ASK_QUALITY,
					 .order = ORDER,
					 .label = a->label,
					 .k = SETS,
					 .labellings = 2,
					 .parties = 5,
					 .means = means };

		assert_int_equal(question_words(&both, ROWS), means ? 2 + SETS * ROWS : 2);
		ask(&a->s, &both, quality);
		for (size_t t = 0; t < 2; t++)
			assert_near(quality[t], modularity(&a->g, a->label + t * ROWS, SETS) / 5,
				    1e-15);
		assert_true(quality[0] != quality[1]);
	}
	assert_memory_equal(quality + 2, means_alone->a, ROWS * SETS * sizeof(double));
}

static void check_answers(bool dense, bool ones, bool idf)
{
	struct answers a;
	struct mat means;

	open_answers(&a, dense, ones, idf);
	check_norms(&a, ones);
	check_spreads(&a);
	check_products(&a);
	check_means(&a, &means);
	check_quality(&a, &means);
	mat_release(&means);
	close_answers(&a);
}

TEST(answers)
{
	for (int dense = 0; dense < 2; dense++) {
		check_answers(dense, true, true);
		check_answers(dense, true, false);
		check_answers(dense, false, false);
	}
}
