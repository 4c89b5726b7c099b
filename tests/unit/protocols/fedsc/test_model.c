/* Tests the model that places new rows. Its file is read back equal and is refused if damaged. Rows
 * of the run get the labels of the run. */
#include "tests/test.h"
#include "rows.h"

#include "protocols/fedsc/model.h"

#include <math.h>

static void fill(struct mat *M, size_t rows, size_t cols, double first)
{
	mat_init(M, rows, cols);
	for (size_t e = 0; e < rows * cols; e++)
		M->a[e] = first + (double)e / 8;
}

/* Makes a model of two columns. With anchors it has four landmarks, uses the two nearest, and has
 * three dimensions. */
static void make(struct fedsc_model *m, bool anchors, bool named)
{
	struct columns names = { 0 };

	*m = (struct fedsc_model){ .m = 2, .clip = 5 };
	ALLOC(m->shift, 2);
	ALLOC(m->unit, 2);
	m->shift[1] = -1;
	m->unit[0] = 0.5;
	fill(&m->centre, 3, anchors ? 3 : 2, -1);
	if (anchors) {
		m->near = 2;
		fill(&m->Z, 4, 2, 0);
		fill(&m->R, 4, 3, 1);
	}
	columns_add(&names, "age", COLUMN_NUMBER, NULL, NULL);
	columns_add(&names, "sex=f", COLUMN_CATEGORY, NULL, "sex");
	if (named)
		fedsc_model_name(m, &names);
	columns_release(&names);
}

static enum err parse(const uint8_t *p, size_t n, struct fedsc_model *m)
{
	uint8_t *exact = alloc(n ? n : 1, 1); /* a sanitizer reports reads behind it */
	enum err err;

	memcpy(exact, p, n);
	err = fedsc_model_parse((struct bytes){ exact, n }, "x.rows", m);
	free(exact);
	return err;
}

TEST(test_there_and_back)
{
	for (int i = 0; i < 4; i++) {
		struct buf b = { 0 }, c = { 0 };
		struct fedsc_model m, n;

		make(&m, i & 1, i & 2);
		fedsc_model_print(&m, &b);
		assert_ok(parse(b.p, b.n, &n));
		assert_true(n.clip == 5 && n.near == m.near && !n.name == !m.name);
		assert_true(MAT(&n.centre, 2, 1) == MAT(&m.centre, 2, 1));
		if (n.name)
			assert_string_equal(n.name[1], "sex=f");
		fedsc_model_print(&n, &c);
		assert_int_equal(b.n, c.n);
		assert_memory_equal(b.p, c.p, b.n);
		fedsc_model_release(&m);
		fedsc_model_release(&n);
		buf_release(&b);
		buf_release(&c);
	}
}

/* Refuses a file with a flipped bit, and a file cut at any length. */
TEST(test_damaged)
{
	struct fedsc_model m, n;
	struct buf b = { 0 };

	make(&m, true, true);
	fedsc_model_print(&m, &b);
	for (size_t i = 0; i < b.n; i++) {
		b.p[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(parse(b.p, b.n, &n), ERR_INPUT);
		assert_null(n.shift);
		b.p[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(parse(b.p, i, &n), ERR_INPUT);
	}
	assert_err(parse(b.p, 4, &n), ERR_INPUT, "x.rows: does not begin like a model of rows");
	assert_err(parse(b.p, 30, &n), ERR_INPUT, "x.rows: cut off after 30 bytes");
	assert_err(parse(b.p, b.n - 1, &n), ERR_INPUT, "x.rows: damaged or cut off");
	b.p[8] = 9;
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "version 9 of its format, this program reads 1");
	fedsc_model_release(&m);
	buf_release(&b);
}

static void refused(const struct fedsc_model *m)
{
	struct fedsc_model n;
	struct buf b = { 0 };

	fedsc_model_print(m, &b);
	assert_err(parse(b.p, b.n, &n), ERR_INPUT, "are inconsistent");
	buf_release(&b);
}

/* Refuses models with a correct checksum but impossible contents. */
TEST(test_does_not_hold_together)
{
	struct fedsc_model m;

	make(&m, true, true);
	m.near = 4; /* each row would use all four landmarks */
	refused(&m);
	m.near = 0; /* rows would use none of the landmarks */
	refused(&m);
	m.near = 2;
	m.unit[1] = -1;
	refused(&m);
	m.unit[1] = 1;
	MAT(&m.R, 3, 2) = NAN;
	refused(&m);
	MAT(&m.R, 3, 2) = 0;
	m.Z.rows = 3; /* Z has three rows, but R has four */
	refused(&m);
	m.Z.rows = 4;
	m.name[0][0] = 0;
	refused(&m);
	m.name[0][0] = 'a';
	fedsc_model_release(&m);
}

enum { N = 240, M = 3, K = 3, L = 3 };

TEST(test_rows_of_the_run)
{
	static const enum fedsc_variant variant[] = { FEDSC_BY_KMEANS, FEDSC_BY_ANCHORS,
						      FEDSC_BY_DENSE };
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	uint32_t truth[N], *label, again[N];
	double sure[N];
	struct mat X, copy;

	rows_balls(&X, truth, K, N / K, M, 3, 3);
	for (size_t v = 0; v < 3; v++) {
		struct fedsc_params p = { .variant = variant[v],
					  .k = K,
					  .restarts = 5,
					  .lloyd = 50,
					  .least = 3,
					  .tolerance = 1e-6,
					  .dims = 30,
					  .near = 3,
					  .lambda = 1e-3,
					  .width_factor = 1,
					  .rounds = 1,
					  .inner = 1,
					  .standardize = STANDARDIZE_JOINT,
					  .seed = 2,
					  .threads = 1 };
		struct fedsc_report report;

		rows_lab_init(lab, &X, truth, L, 0, 1);
		label = rows_run(lab, &p, &report);
		assert_int_equal(report.model.m, variant[v] == FEDSC_BY_DENSE ? 0 : M);
		if (report.model.m) {
			mat_copy(&copy, &X);
			assert_ok(fedsc_model_assign(&report.model, &copy, NULL, 2, again, sure));
			assert_memory_equal(again, label, sizeof(again));
			for (size_t i = 0; i < N; i++)
				assert_true(sure[i] >= 0 && sure[i] <= 1);
			copy.cols = M - 1;
			assert_err(fedsc_model_assign(&report.model, &copy, NULL, 1, again, sure),
				   ERR_INPUT, "the rows have 2 columns, those of the run had 3");
			copy.cols = M;
			MAT(&copy, 7, 1) = INFINITY;
			assert_err(fedsc_model_assign(&report.model, &copy, NULL, 1, again, sure),
				   ERR_INPUT, "row 7, column 1 is inf");
			mat_release(&copy);
		}
		free(label);
		fedsc_report_release(&report);
		rows_lab_release(lab);
	}
	mat_release(&X);
	free(lab);
}
