/* Reads Matrix Market files, and refuses broken ones with the place of the error. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/data/mtx.h"

#define REAL "%%MatrixMarket matrix coordinate real general\n"

static enum err parse(const char *text, struct mtx *m)
{
	struct bytes b = exact_text(text);
	enum err err = mtx_parse(b, "x.mtx", m);

	free((void *)(uintptr_t)b.p);
	return err;
}

/* Sets d to the dense matrix that the text describes. */
static void dense(const char *text, struct mat *d)
{
	struct features X;
	struct mtx m;

	assert_ok(parse(text, &m));
	mtx_features(&m, &X);
	if (X.is_sparse)
		csr_to_dense(&X.sparse, d);
	else
		*d = X.dense;
	if (X.is_sparse)
		features_release(&X);
}

static void is(const char *text, size_t rows, size_t cols, const double *values)
{
	struct mat d;

	dense(text, &d);
	assert_int_equal(d.rows, rows);
	assert_int_equal(d.cols, cols);
	assert_memory_equal(d.a, values, rows * cols * sizeof(double));
	mat_release(&d);
}

TEST(test_kinds)
{
	is(REAL "% comment\n\n2 3 2\n2 3 -1.5\n1 1 2e3\n", 2, 3,
	   (double[]){ 2000, 0, 0, 0, 0, -1.5 });
	is(REAL "1 1 0\n", 1, 1, (double[]){ 0 });
	is("%%MatrixMarket MATRIX Coordinate Integer General\r\n1 2 1\r\n1 2 7\r\n", 1, 2,
	   (double[]){ 0, 7 });
	is("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", 2, 2,
	   (double[]){ 0, 1, 0, 0 });
	is("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n", 2, 2,
	   (double[]){ 5, 3, 3, 0 });
	is("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 1\n", 3, 3,
	   (double[]){ 0, 1, 1, 1, 0, 0, 1, 0, 0 });
	is("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", 2, 2,
	   (double[]){ 1, 3, 2, 4 }); /* the file lists values by columns */
}

TEST(test_refusals)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		/* 0 */ { "", "x.mtx:1: it does not begin with %%MatrixMarket" },
		/* 1 */ { "1 1 1\n", "it does not begin" },
		/* 2 */
		{ "%%MatrixMarket vector coordinate real general\n",
		  "expected \"matrix coordinate\"" },
		/* 3 */
		{ "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
		  "the field is \"complex\"" },
		/* 4 */
		{ "%%MatrixMarket matrix coordinate real hermitian\n",
		  "the symmetry is \"hermitian\"" },
		/* 5 */
		{ "%%MatrixMarket matrix array pattern general\n", "the field is \"pattern\"" },
		/* 6 */ { "%%MatrixMarket matrix array real symmetric\n", "the symmetry is" },
		/* 7 */ { REAL, "the file ends before its sizes" },
		/* 8 */ { REAL "2 2\n", "x.mtx:2: the line ends where the number of entries" },
		/* 9 */ { REAL "0 2 0\n", "x.mtx:2: the number of rows is \"0\"" },
		/* 10 */ { REAL "2 -2 0\n", "the number of columns is \"-2\"" },
		/* 11 */ { REAL "2 2 1\n", "x.mtx:3: the file ends after 0 of 1 entries" },
		/* 12 */ { REAL "2 2 2\n1 1 1\n", "x.mtx:4: the file ends after 1 of 2 entries" },
		/* 13 */
		{ REAL "2 2 1\n3 1 1\n",
		  "x.mtx:3: the row is \"3\", expected a whole number from 1 to 2" },
		/* 14 */ { REAL "2 2 1\n1 0 1\n", "x.mtx:3: the column is \"0\"" },
		/* 15 */ { REAL "2 2 1\n1 1 nan\n", "x.mtx:3: \"nan\" is not a finite number" },
		/* 16 */ { REAL "2 2 1\n1 1 inf\n", "\"inf\" is not a finite number" },
		/* 17 */ { REAL "2 2 1\n1 1 1e999\n", "\"1e999\" is not" },
		/* 18 */ { REAL "2 2 1\n1 1\n", "x.mtx:3: the line ends where a number" },
		/* 19 */ { REAL "2 2 1\n1 1 1 1\n", "x.mtx:3: \"1\" is more than expected" },
		/* 20 */
		{ REAL "2 2 1\n1 1 1\n2 2 2\n", "x.mtx:4: there is more than the 1 values" },
		/* 21 */
		{ REAL "2 2 3\n1 2 1\n1 1 1\n1 2 4\n",
		  "x.mtx:5: entry (1, 2) is given twice, first on line 3" },
		/* 22 */
		{ REAL "2 2 9000000000\n1 1 1\n", "the number of entries is \"9000000000\"" },
		/* 23 */
		{ REAL "2 2 2000000000\n1 1 1\n", "promises 2000000000 values, but the file has" },
		/* 24 */ { REAL "200000000 2 1\n1 1 1\n", "promises 200000000 rows and 2 columns" },
		/* 25 */ { REAL "4000000000 2 1\n1 1 1\n", "the number of rows is \"4000000000\"" },
		/* 26 */
		{ "%%MatrixMarket matrix array real general\n60000 60000\n1\n",
		  "promises 3600000000 values" },
		/* 27 */
		{ "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
		  "the file ends after 3 of 4 values" },
		/* 28 */
		{ "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
		  "a symmetric matrix of 2 rows and 3" },
		/* 29 */
		{ "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 2\n",
		  "entry (1, 2) lies above the diagonal" },
		/* 30 */
		{ "%%MatrixMarket matrix coordinate real general extra\n",
		  "\"extra\" is more than expected" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mtx m;

		print_message("case %zu\n", i);
		assert_err(parse(cases[i].text, &m), ERR_INPUT, cases[i].message);
		assert_true(strstr(err_detail(), "x.mtx:") == err_detail());
		assert_null(m.entry);
	}
}

/* Refuses a file truncated at any place; only a cut in the last value may go unnoticed. */
TEST(test_every_prefix)
{
	static const char text[] = REAL "2 3 2\n1 1 25\n2 3 -15\n";
	struct mtx m;

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		struct bytes b = exact(text, n);
		enum err err = mtx_parse(b, "x", &m);

		if (n < sizeof(text) - 3)
			assert_int_equal(err, ERR_INPUT);
		mtx_release(&m);
		free((void *)(uintptr_t)b.p);
	}
}

TEST(test_written_as_read)
{
	static const char text[] = REAL "3 4 4\n1 1 0.1\n1 4 -2\n3 2 1e-300\n3 3 7\n";
	struct buf out = { 0 };
	struct features X, Y;
	struct mtx m;

	assert_ok(parse(text, &m));
	mtx_features(&m, &X);
	mtx_print(&X.sparse, &out);
	assert_ok(mtx_parse((struct bytes){ out.p, out.n }, "x", &m));
	mtx_features(&m, &Y);
	assert_memory_equal(X.sparse.start, Y.sparse.start, 4 * sizeof(size_t));
	assert_memory_equal(X.sparse.index, Y.sparse.index, 4 * sizeof(uint32_t));
	assert_memory_equal(X.sparse.value, Y.sparse.value, 4 * sizeof(double));
	buf_release(&out);
	features_release(&X);
	features_release(&Y);
}
