/* Tests the degrees as a feature: a column beside filtered features, or alone. Compares the column
 * with its formula, and the parties' sums with those of rows that have the column, on dense
 * matrices. */
#include "tests/unit/protocols/kcagc/slices.h"
#include "common/linalg/la.h"

#include <math.h>

enum { PARTIES = 3, ORDER = 2, WIDTH = 4, SETS = 3 };

/* Writes the degree column of all nodes to z. Returns the largest square in the column. */
static double column(const struct graph *g, size_t n, double *z)
{
	double mean = 0, square = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		mean += (z[i] = degrees_logarithm(g, i)) / (double)n;
	for (size_t i = 0; i < n; i++) {
		z[i] -= mean;
		square += z[i] * z[i] / (double)n;
	}
	degrees_divide(z, n, square);
	for (size_t i = 0; i < n; i++)
		most = fmax(most, z[i] * z[i]);
	return most;
}

/* A star of three edges and a node without edges have degrees 3, 1, 1, 1, 0. The logarithms of
 * degree + 1 are 2 ln 2, ln 2 (three times) and 0. */
TEST(known)
{
	struct triple t[] = { { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 1 },
			      { 1, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 } };
	double z[5], spread = sqrt(0.4), most;
	struct csr A;
	struct graph g;

	csr_from_triples(&A, 5, 5, t, 6);
	graph_init(&g, &A);
	most = column(&g, 5, z);
	assert_near(z[0], 1 / spread, 1e-12);
	for (int i = 1; i < 4; i++)
		assert_near(z[i], 0, 1e-12);
	assert_near(z[4], -1 / spread, 1e-12);
	assert_near(degrees_scale(most), 1 / sqrt(3.5), 1e-12);
	graph_release(&g);
	csr_from_triples(&A, 3, 3, NULL, 0);
	graph_init(&g, &A);
	most = column(&g, 3, z);
	for (int i = 0; i < 3; i++)
		assert_true(z[i] == 0);
	assert_true(degrees_scale(most) == 1);
	graph_release(&g);
}

/* Computes the filtered rows F: scales the rows of X to length 1, applies the filter T ORDER times,
 * and adds the degree column; or takes the degree column alone. */
static void expected_rows(const struct graph *g, const struct csr *X, enum degrees degrees,
			  struct mat *F)
{
	double z[ROWS], square = 0, share = degrees == DEGREES_BESIDE ? 0.125 : 1, scale, length;
	size_t m = degrees == DEGREES_ALONE ? 0 : X->cols;
	struct mat T, Y, next;

	sample_mean_filter(g, &T);
	csr_to_dense(X, &Y);
	for (size_t i = 0; i < ROWS; i++) {
		length = mat_norm(ROW(&Y, i), Y.cols);
		for (size_t j = 0; j < Y.cols && length > 0; j++)
			MAT(&Y, i, j) /= length;
	}
	for (int t = 0; t < ORDER; t++) {
		la_mul_nn(&T, &Y, 1, &next);
		mat_release(&Y);
		Y = next;
	}
	for (size_t j = 0; j < Y.cols; j++) {
		double mean = 0;

		for (size_t i = 0; i < ROWS; i++)
			mean += MAT(&Y, i, j) / ROWS;
		for (size_t i = 0; i < ROWS; i++)
			square += (MAT(&Y, i, j) - mean) * (MAT(&Y, i, j) - mean);
	}
	scale = degrees_scale(column(g, ROWS, z));
	mat_init(F, ROWS, m + 1);
	for (size_t i = 0; i < ROWS; i++) {
		for (size_t j = 0; j < m; j++)
			MAT(F, i, j) = scale * MAT(&Y, i, j);
		MAT(F, i, m) = scale * sqrt(share * square / ROWS) * z[i];
		assert_true(mat_norm(ROW(F, i), m + 1) <=
			    1 + 1e-12); /* within the bounds of question_most() */
	}
	mat_release(&Y);
	mat_release(&T);
}

static void same(const struct mat *a, const struct mat *b)
{
	assert_true(a->rows == b->rows && a->cols == b->cols);
	for (size_t i = 0; i < a->rows * a->cols; i++)
		assert_near(a->a[i], b->a[i], 1e-12);
}

/* With F the expected rows, B any block and M the means of sets, the parties' answers sum up to F
 * F' B, F M' and ||F||^2. This holds for any split of the columns. */
static void check_sums(enum degrees degrees, bool dense, bool given)
{
	struct memory memory = { .kind = &slices_in_memory, .count = PARTIES };
	struct slice slice[PARTIES];
	struct features part[PARTIES];
	struct parties parties;
	struct sums_basis basis;
	uint32_t label[ROWS];
	struct mat F, B, C, seen, wanted, M;
	struct graph g;
	struct csr X;

	sample_graph(&g, ROWS, 80, 0, false, 2);
	sample_sparse(&X, ROWS, COLS, 5, false, 3);
	even_out(&X, PARTIES);
	sample_normal(&B, ROWS, WIDTH, 4);
	expected_rows(&g, &X, degrees, &F);
	deal_columns(&X, PARTIES, dense, part);
	for (size_t l = 0; l < PARTIES; l++) {
		assert_ok(slice_init(&slice[l], &part[l], &g, 1));
		slice[l].degrees = degrees;
	}
	memory.party = slice;
	parties_in_memory(&parties, &memory);
	assert_ok(sums_agree(&parties, ROWS, given ? ORDER : 0, degrees, NULL, NULL, &basis));
	if (given)
		assert_near(basis.square, mat_square(F.a, F.rows * F.cols), 1e-12);
	else
		assert_true(basis.rule >= 1 && basis.square > 0);
	basis.order = ORDER;

	assert_ok(sums_products(&parties, ORDER, &B, &seen));
	la_mul_tn(&F, &B, 1, &C);
	la_mul_nn(&F, &C, 1, &wanted);
	same(&seen, &wanted);
	mat_release(&seen);
	mat_release(&wanted);
	mat_release(&C);

	for (size_t i = 0; i < ROWS; i++)
		label[i] = i % SETS;
	assert_ok(sums_means(&parties, ORDER, label, ROWS, SETS, &seen));
	mat_init(&M, SETS, F.cols);
	kmeans_centres(&F, NULL, label, &M);
	la_mul_nt(&F, &M, 1, &wanted);
	same(&seen, &wanted);
	mat_release(&seen);
	mat_release(&wanted);
	mat_release(&M);
	for (size_t l = 0; l < PARTIES; l++)
		slice_release(&slice[l]);
	mat_release(&B);
	mat_release(&F);
	csr_release(&X);
	graph_release(&g);
}

TEST(sums)
{
	for (int dense = 0; dense < 2; dense++)
		for (int given = 0; given < 2; given++) {
			check_sums(DEGREES_BESIDE, dense, given);
			check_sums(DEGREES_ALONE, dense, given);
		}
}

/* A party clusters its nodes by features and degrees, or by degrees alone. Degrees separate two
 * kinds of nodes here. */
TEST(clusters)
{
	struct kmeans_params how = {
		.k = 2, .restarts = 5, .iterations = 10, .seed = 1, .threads = 1
	};
	struct triple t[2 * 380];
	struct embed_params project = {
		.dims = 2, .unit_rows = true, .row_power = 1, .threads = 1
	};
	uint32_t label[ROWS], expected[ROWS];
	double x[2 + ROWS];
	struct mat F, Z;
	struct slice s;
	struct graph g;
	struct csr X, A;
	size_t count = 0;

	for (uint32_t i = 0; i < 20; i++) /* 20 hubs tied to each other and to some of 20 others */
		for (uint32_t j = i + 1; j < ROWS; j++)
			if (j < 20 || (i + j) % 4 == 0) {
				t[count++] = (struct triple){ i, j, 1 };
				t[count++] = (struct triple){ j, i, 1 };
			}
	csr_from_triples(&A, ROWS, ROWS, t, count);
	graph_init(&g, &A);
	sample_sparse(&X, ROWS, COLS, 5, false, 3);
	for (int d = DEGREES_BESIDE; d <= DEGREES_ALONE; d++) {
		make(&s, &X, false, &g, 1);
		s.degrees = d;
		ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
		assert_ok(slice_cluster(&s, ORDER, 2, 2, &how, label));
		expected_rows(&g, &X, d, &F);
		assert_ok(embed_project(NULL, &F, &project, &Z));
		kmeans(&Z, NULL, &how, expected, NULL, NULL);
		assert_memory_equal(label, expected, sizeof(label));
		mat_release(&F);
		mat_release(&Z);
		slice_release(&s);
	}
	for (uint32_t i = 0; i < ROWS; i++)
		assert_true((label[i] == label[0]) == (i < 20));
	csr_release(&X);
	graph_release(&g);
}

/* Wide slices, whose filtered rows are not formed, have the column as well. */
TEST(wide)
{
	double *beside = alloc(ROWS, sizeof(*beside)), z[ROWS], scale;
	struct mat F, B, A, C, seen, wanted;
	struct graph g;
	struct wide w;
	struct csr X;

	sample_graph(&g, ROWS, 80, 4, false, 2);
	sample_sparse(&X, ROWS, COLS, 5, false, 3);
	sample_normal(&B, ROWS, WIDTH, 4);
	sample_normal(&A, WIDTH, COLS + 1, 5);
	expected_rows(&g, &X, DEGREES_BESIDE, &F);
	for (size_t i = 0; i < ROWS; i++) {
		double length = 0;

		beside[i] = MAT(&F, i, COLS);
		for (size_t e = X.start[i]; e < X.start[i + 1]; e++)
			length += X.value[e] * X.value[e];
		for (size_t e = X.start[i]; e < X.start[i + 1] && length > 0; e++)
			X.value[e] /= sqrt(length);
	}
	scale = degrees_scale(column(&g, ROWS, z));
	wide_init(&w, &X, &g, ORDER, 2);
	wide_put(&w, scale, beside);

	wide_products(&w, &B, &seen);
	la_mul_tn(&F, &B, 1, &C);
	la_mul_nn(&F, &C, 1, &wanted);
	same(&seen, &wanted);
	mat_release(&seen);
	mat_release(&wanted);
	mat_release(&C);
	w.map.multiply(w.map.ctx, &A, &seen);
	la_mul_nt(&A, &F, 1, &wanted);
	same(&seen, &wanted);
	mat_release(&seen);
	w.map.square(w.map.ctx, &A, &seen);
	la_mul_nn(&wanted, &F, 1, &C);
	same(&seen, &C);
	mat_release(&seen);
	mat_release(&wanted);
	mat_release(&C);

	wide_release(&w);
	mat_release(&F);
	mat_release(&A);
	mat_release(&B);
	csr_release(&X);
	graph_release(&g);
}

/* In a ring all degrees are equal. The column beside the rows is 0, and degrees alone are refused.
 */
TEST(all_the_same)
{
	struct triple t[2 * ROWS];
	double x[2 + ROWS], spreads[2 * SLICE_POWERS + 1];
	struct question q = { .kind = ASK_SPREADS, .square = x + 2, .degrees = true, .parties = 4 };
	struct slice s;
	struct graph g;
	struct csr X, A;

	for (uint32_t i = 0; i < ROWS; i++) {
		t[2 * i] = (struct triple){ i, (i + 1) % ROWS, 1 };
		t[2 * i + 1] = (struct triple){ (i + 1) % ROWS, i, 1 };
	}
	csr_from_triples(&A, ROWS, ROWS, t, 2 * ROWS);
	graph_init(&g, &A);
	sample_sparse(&X, ROWS, COLS, 5, false, 3);
	for (int d = DEGREES_BESIDE; d <= DEGREES_ALONE; d++) {
		make(&s, &X, false, &g, 1);
		s.degrees = d;
		ask(&s, &(struct question){ .kind = ASK_FACTS }, x);
		if (d == DEGREES_ALONE) {
			assert_err(slice_answer(&s, &q, spreads), ERR_INPUT,
				   "all 40 nodes of the graph have the same degree");
		} else {
			ask(&s, &q, spreads);
			assert_near(spreads[2 * SLICE_POWERS], 0.25, 1e-12);
		}
		slice_release(&s);
	}
	csr_release(&X);
	graph_release(&g);
}
