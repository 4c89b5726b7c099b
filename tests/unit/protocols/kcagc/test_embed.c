#include "tests/unit/protocols/fedsc/choices.h"
#include "common/linalg/svd.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void features_from_dense(const struct mat *from, struct features *X)
{
	*X = (struct features){ 0 };
	sample_copy(from, &X->dense);
}

static void assert_finite(const struct mat *Z)
{
	for (size_t i = 0; i < Z->rows * Z->cols; i++)
		assert_true(isfinite(Z->a[i]));
}

TEST(sparse_equals_dense)
{
	for (unsigned number = 0; number < CHOICES; number++)
		for (int ones = 0; ones < 2; ones++) {
			struct embed_params p = choice(number);
			struct features dense, sparse;
			struct csr from;
			struct graph g;
			struct mat Z, Z2;

			sample_graph(&g, 70, 150, 2, false, 1);
			sample_sparse(&from, 70, 33, 5, ones, 2);
			if (ones && number % 3 == 0) { /* values NULL: all are 1 */
				free(from.value);
				from.value = NULL;
			}
			sample_features(&from, false, &dense);
			sample_features(&from, true, &sparse);
			assert_int_equal(features_rows(&sparse), features_rows(&dense));
			assert_int_equal(features_cols(&sparse), features_cols(&dense));
			assert_ok(embed(&dense, &g, &p, &Z));
			assert_ok(embed(&sparse, &g, &p, &Z2));
			assert_same_bits(&Z, &Z2);
			assert_finite(&Z);
			assert_true(!dense.dense.a && !sparse.sparse.start); /* both released */
			mat_release(&Z2);
			mat_release(&Z);
			csr_release(&from);
			graph_release(&g);
		}
}

/* Without a filter, and with as many dimensions as the rank, the embedding Z has the inner products
 * of the rows X (Z Z' = X X'), and so their distances. */
TEST(keeps_distances)
{
	struct embed_params p = { .dims = 6, .threads = 1 };
	struct features X;
	struct mat from, Z;
	struct graph g;

	sample_graph(&g, 20, 30, 0, false, 1);
	sample_normal(&from, 20, 6, 5);
	features_from_dense(&from, &X);
	assert_ok(embed(&X, &g, &p, &Z));
	for (size_t i = 0; i < 20; i++)
		for (size_t j = 0; j < 20; j++) {
			double inner = 0, exact = 0;

			for (size_t t = 0; t < 6; t++) {
				inner += MAT(&Z, i, t) * MAT(&Z, j, t);
				exact += MAT(&from, i, t) * MAT(&from, j, t);
			}
			assert_near(inner, exact, 1e-12);
		}
	mat_release(&Z);
	mat_release(&from);
	graph_release(&g);
}

/* With unit_basis the embedding is U, which has orthonormal columns. Without it, Z = U S scales
 * them by the singular values. */
TEST(unit_basis)
{
	struct embed_params p = { .dims = 4, .threads = 1, .unit_basis = true };
	struct features X;
	struct mat from, U, Z, exact;
	struct graph g;
	double sigma[4];

	sample_graph(&g, 25, 30, 0, false, 1);
	sample_normal(&from, 25, 9, 5);
	assert_ok(svd_left(&from, 4, 1, &exact, sigma, NULL));
	features_from_dense(&from, &X);
	assert_ok(embed(&X, &g, &p, &U));
	assert_same_bits(&U, &exact);
	p.unit_basis = false;
	features_from_dense(&from, &X);
	assert_ok(embed(&X, &g, &p, &Z));
	for (size_t i = 0; i < 100; i++)
		assert_true(Z.a[i] == U.a[i] * sigma[i % 4]);
	mat_release(&exact);
	mat_release(&U);
	mat_release(&Z);
	mat_release(&from);
	graph_release(&g);
}

/* Embeds each column of 4 rows alone with one dimension, which shows the column's scale. Ones, and
 * equal values of 3, are weighed by idf. Differing values and zeros keep scale 1. */
TEST(idf_by_hand)
{
	static const double column[4][4] = {
		{ 1, 0, 1, 0 }, { 0, 3, 0, 0 }, { 2, 0, 0, 5 }, { 0, 0, 0, 0 }
	};
	const double scale[4] = { log(5. / 3) + 1, log(5. / 2) + 1, 1, 1 };
	struct embed_params p = { .idf = true, .dims = 1, .threads = 1 };
	struct graph g;

	sample_graph(&g, 4, 0, 0, false, 1);
	for (int c = 0; c < 4; c++) {
		struct mat from, Z;
		struct features X;

		mat_init(&from, 4, 1);
		memcpy(from.a, column[c], sizeof(column[c]));
		features_from_dense(&from, &X);
		assert_ok(embed(&X, &g, &p, &Z));
		for (int i = 0; i < 4; i++)
			assert_near(Z.a[i], scale[c] * column[c][i], 1e-14);
		mat_release(&Z);
		mat_release(&from);
	}
	graph_release(&g);
}

/* Weighs each column by its own frequency: inner products of rows show the squared scales. */
TEST(idf_by_column)
{
	static const double words[4][3] = { { 1, 1, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 0, 0, 1 } };
	const double scale[3] = { log(5. / 3) + 1, log(5. / 4) + 1, log(5. / 2) + 1 };
	struct embed_params p = { .idf = true, .dims = 3, .threads = 1 };
	struct features X = { 0 };
	struct graph g;
	struct mat Z;

	sample_graph(&g, 4, 0, 0, false, 1);
	mat_init(&X.dense, 4, 3);
	memcpy(X.dense.a, words, sizeof(words));
	assert_ok(embed(&X, &g, &p, &Z));
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			double inner = 0, exact = 0;

			for (int t = 0; t < 3; t++) {
				inner += MAT(&Z, i, t) * MAT(&Z, j, t);
				exact += words[i][t] * words[j][t] * scale[t] * scale[t];
			}
			assert_near(inner, exact, 1e-14);
		}
	mat_release(&Z);
	graph_release(&g);
}

/* If one measured column has a missing value, the slice is not a bag of words, and columns of ones
 * keep their scale. */
TEST(idf_is_for_whole_slices)
{
	struct embed_params p = { .dims = 3, .threads = 1 };
	struct mat from, Z[2];
	struct features X;
	struct graph g;

	sample_graph(&g, 9, 0, 0, false, 1);
	for (int measured = 0; measured < 2; measured++) {
		sample_normal(&from, 9, 3, 2);
		for (size_t i = 0; i < 9; i++)
			for (size_t j = 0; j < 3; j++)
				if (j || !measured)
					MAT(&from, i, j) = (i + j) % 3 > j % 2;
		if (measured) /* makes a gap: the column has no number in row 4 */
			MAT(&from, 4, 0) = 0;
		for (int idf = 0; idf < 2; idf++) {
			p.idf = idf;
			features_from_dense(&from, &X);
			assert_ok(embed(&X, &g, &p, &Z[idf]));
		}
		assert_true(measured == !memcmp(Z[0].a, Z[1].a, 27 * sizeof(double)));
		mat_release(&Z[0]);
		mat_release(&Z[1]);
		mat_release(&from);
	}
	graph_release(&g);
}

/* With r the length of a row and m the mean length, unit_rows makes the length r / (m (r /
 * m)^row_power). Zero rows stay zero. */
TEST(row_scaling)
{
	static const double power[] = { 0, 0.5, 1 };
	struct mat from;
	struct graph g;

	sample_graph(&g, 12, 0, 0, false, 1);
	sample_normal(&from, 12, 3, 7);
	memset(ROW(&from, 5), 0, 3 * sizeof(double));
	for (int t = 0; t < 3; t++) {
		struct embed_params p = { .dims = 3, .threads = 1 };
		struct features X;
		struct mat plain, Z;
		double r[12] = { 0 }, mean = 0;

		features_from_dense(&from, &X);
		assert_ok(embed(&X, &g, &p, &plain));
		p.unit_rows = true;
		p.row_power = power[t];
		features_from_dense(&from, &X);
		assert_ok(embed(&X, &g, &p, &Z));
		for (size_t i = 0; i < 12; i++) {
			for (size_t j = 0; j < 3; j++)
				r[i] += MAT(&plain, i, j) * MAT(&plain, i, j);
			r[i] = sqrt(r[i]);
			mean += r[i] / 12;
		}
		for (size_t i = 0; i < 12; i++) {
			double by = i == 5 ? 0 : 1 / (mean * pow(r[i] / mean, power[t]));

			for (size_t j = 0; j < 3; j++)
				assert_near(MAT(&Z, i, j), MAT(&plain, i, j) * by, 1e-14);
		}
		mat_release(&Z);
		mat_release(&plain);
	}
	mat_release(&from);
	graph_release(&g);
}

/* A row outside the projection's space leaves only rounding errors and becomes zero. Only row 29
 * lies outside the space of the others. A reflection of the columns makes its projection cancel
 * instead of vanish. */
TEST(rounding_is_not_stretched)
{
	struct embed_params p = { .dims = 7, .threads = 1, .unit_rows = true, .row_power = 1 };
	struct features X;
	struct mat from, v, Z;
	struct graph g;
	double square = 0;

	sample_graph(&g, 30, 0, 0, false, 1);
	sample_normal(&from, 30, 8, 3);
	sample_normal(&v, 1, 8, 4);
	for (size_t j = 0; j < 8; j++)
		square += v.a[j] * v.a[j];
	for (size_t i = 0; i < 30; i++) {
		double *row = ROW(&from, i), along = 0;

		for (size_t j = 0; j < 8; j++) {
			row[j] = i == 29 ? (j == 7) * 0.1 : j == 7 ? 0 : row[j];
			along += row[j] * v.a[j];
		}
		for (size_t j = 0; j < 8; j++)
			row[j] -= 2 * along / square * v.a[j];
	}
	features_from_dense(&from, &X);
	assert_ok(embed(&X, &g, &p, &Z));
	for (size_t i = 0; i < 30; i++) {
		double length = 0;

		for (size_t j = 0; j < 7; j++)
			length += MAT(&Z, i, j) * MAT(&Z, i, j);
		assert_near(length, i < 29, i < 29 ? 1e-14 : 0);
	}
	mat_release(&Z);
	mat_release(&v);
	mat_release(&from);
	graph_release(&g);
}

TEST(dims_are_capped)
{
	struct embed_params p = { .dims = 100, .threads = 1 };
	struct features X;
	struct mat from, Z;
	struct graph g;

	for (size_t m = 3; m <= 30; m += 27) { /* fewer and more columns than the 12 rows */
		sample_graph(&g, 12, 20, 0, false, 1);
		sample_normal(&from, 12, m, 1);
		features_from_dense(&from, &X);
		assert_ok(embed(&X, &g, &p, &Z));
		assert_int_equal(Z.rows, 12);
		assert_int_equal(Z.cols, m < 12 ? m : 12);
		mat_release(&Z);
		mat_release(&from);
		graph_release(&g);
	}
}

/* Embeds zero matrices, zero rows, equal rows, one row, one column and isolated nodes, with all
 * combinations of parameters. */
TEST(never_nan)
{
	static const size_t shape[][2] = { { 1, 1 }, { 1, 6 }, { 9, 1 }, { 9, 6 }, { 6, 9 } };

	for (unsigned number = 0; number < CHOICES; number++)
		for (int s = 0; s < 5; s++)
			for (int fill = 0; fill < 4; fill++) {
				size_t n = shape[s][0], m = shape[s][1];
				struct embed_params p = choice(number);
				struct features X = { 0 };
				struct graph g;
				struct mat Z;

				sample_graph(&g, n, n > 1 ? 6 : 0, n > 3, false, 3);
				sample_normal(&X.dense, n, m, 1);
				for (size_t i = 0; i < n * m && fill < 3; i++)
					X.dense.a[i] = fill == 2 ? (i / m) % 3 > 0 : fill;
				assert_ok(embed(&X, &g, &p, &Z));
				assert_finite(&Z);
				mat_release(&Z);
				graph_release(&g);
			}
}

TEST(threads_do_not_matter)
{
	struct embed_params p = choice(1 | 2 | 4 | 16);
	struct mat Z, again;
	struct csr from;
	struct graph g;

	sample_graph(&g, 400, 900, 3, false, 4);
	sample_sparse(&from, 400, 310, 12, false, 6);
	for (p.threads = 1; p.threads <= 4; p.threads *= 2) {
		struct features X;

		sample_features(&from, true, &X);
		assert_ok(embed(&X, &g, &p, p.threads == 1 ? &Z : &again));
		if (p.threads == 1)
			continue;
		assert_same_bits(&Z, &again);
		mat_release(&again);
	}
	mat_release(&Z);
	csr_release(&from);
	graph_release(&g);
}

TEST(bad_input)
{
	struct embed_params p = { .dims = 2, .threads = 1, .order = 1 };
	struct features X;
	struct mat from, Z;
	struct graph g;

	sample_graph(&g, 6, 5, 0, false, 1);
	sample_normal(&from, 5, 3, 1);
	features_from_dense(&from, &X);
	assert_err(embed(&X, &g, &p, &Z), ERR_INPUT, "5 rows");
	assert_null(X.dense.a); /* released even on an error */
	mat_release(&from);
	sample_normal(&from, 6, 3, 1);
	features_from_dense(&from, &X);
	p.dims = 0;
	assert_err(embed(&X, &g, &p, &Z), ERR_INPUT, "0 dimensions");
	p.dims = 2;
	from.a[4] = 1e180;
	features_from_dense(&from, &X);
	assert_err(embed(&X, &g, &p, &Z), ERR_INPUT, "too large");
	X = (struct features){ 0 };
	assert_err(embed(&X, &g, &p, &Z), ERR_INPUT, "nothing to cluster");
	mat_release(&from);
	graph_release(&g);
}

/* -- memory --------------------------------------------------------------------------------- */

/* Returns the peak resident MiB of this process. */
static double peak_mib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	double kib = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %lf", &kib);
	fclose(f);
	return kib / 1024;
}

enum { BIG_ROWS = 6000, BIG_COLS = 2000 };

/* Embeds one slice in this process, which holds no other data. Returns the rise of the peak in MiB.
 */
static double embed_alone(const struct graph *g, bool sparse)
{
	struct embed_params p = { .order = 2, .dims = 17, .threads = 2, .idf = true };
	double before = peak_mib();
	struct features X = { .is_sparse = sparse };
	struct mat Z;
	struct rng rng;

	rng_seed(&rng, 1, 0);
	if (sparse) {
		X.sparse = (struct csr){ .rows = BIG_ROWS, .cols = BIG_COLS };
		ALLOC(X.sparse.start, BIG_ROWS + 1);
		ALLOC(X.sparse.index, (size_t)BIG_ROWS * BIG_COLS);
		ALLOC(X.sparse.value, (size_t)BIG_ROWS * BIG_COLS);
		for (size_t i = 0; i < BIG_ROWS; i++) {
			size_t *end = &X.sparse.start[i + 1];

			*end = X.sparse.start[i];
			for (uint32_t j = 0; j < BIG_COLS; j++) {
				X.sparse.index[*end] = j;
				X.sparse.value[(*end)++] = rng_unit(&rng);
			}
		}
	} else {
		mat_init(&X.dense, BIG_ROWS, BIG_COLS);
		for (size_t i = 0; i < (size_t)BIG_ROWS * BIG_COLS; i++)
			X.dense.a[i] = rng_unit(&rng);
	}
	if (embed(&X, g, &p, &Z))
		return INFINITY;
	return peak_mib() - before;
}

/* The documented bound is 3 dense slices and 200 MiB. A dense slice is filtered in place. A sparse
 * slice (full here, so 1.5 times as large) is released once its dense result exists. One more slice
 * in memory would exceed the limits below. */
TEST(memory)
{
	const double slice = (double)BIG_ROWS * BIG_COLS * sizeof(double) / (1 << 20);
	struct graph g;

	if (SANITIZED)
		skip(); /* the sanitizer's memory would count */
	sample_graph(&g, BIG_ROWS, 3 * BIG_ROWS, 0, false, 1);
	for (int sparse = 0; sparse < 2; sparse++) {
		int status;
		pid_t child = fork();

		if (child == 0)
			_exit(embed_alone(&g, sparse) > (sparse ? 2.5 * slice + 25 : slice + 75));
		assert_true(child > 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	graph_release(&g);
}
