/* Tests the model that a party keeps of a run. It is read back equal, and damaged or inconsistent
 * files are refused. */
#include "protocols/kcagc/job.h"
#include "tests/test.h"
#include "tests/unit/dir.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "crypto/hash.h"
#include "protocols/kcagc/party/model.h"
#include "protocols/kcagc/party/kcagc.h"
#include "proto/codec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLUMNS = 7, DIMS = 3, K = 4, ID = 0x5a };

static struct model *sample(bool kept)
{
	struct model *m = alloc(1, sizeof(*m));

	memset(m->job_id, ID, sizeof(m->job_id));
	m->L = 3;
	m->own = 1;
	for (int l = 0; l < 3; l++)
		snprintf(m->name[l], sizeof(m->name[l]), "bank-%c", 'a' + l);
	m->method = kept ? METHOD_FLAT : METHOD_GCC;
	m->min_cell = 1;
	m->clusters = K;
	m->fraction_bits = 16;
	m->nodes = 10;
	if (!kept)
		return m;
	m->kept = true;
	m->how = (struct embedding){ .word = 1,
				     .filter = FILTER_SPECTRAL,
				     .order = 5,
				     .unit_rows = true,
				     .row_power = 0.5,
				     .mean_norm = 0.25 };
	ALLOC(m->how.idf, COLUMNS);
	mat_init(&m->how.map, COLUMNS, DIMS);
	mat_init(&m->centre, K, DIMS);
	ALLOC(m->size, K);
	for (int j = 0; j < COLUMNS; j++)
		m->how.idf[j] = 1 + j;
	for (int i = 0; i < COLUMNS * DIMS; i++)
		m->how.map.a[i] = -0.1 * i;
	for (int i = 0; i < K * DIMS; i++)
		m->centre.a[i] = 1e-300 * i;
	m->size[0] = 7;
	m->size[3] = 3;
	return m;
}

/* Makes a model of kmeans.columns with four columns, of which the third was left out. */
static struct model *sample_of_columns(void)
{
	static const double unit[] = { 2, 1e300, 0, 0.5 };
	struct model *m = sample(false);

	m->kept = true;
	m->method = METHOD_TREE;
	m->columns = 4;
	ALLOC(m->by.shift, 4);
	ALLOC(m->by.unit, 4);
	memcpy(m->by.unit, unit, sizeof(unit));
	for (int j = 0; j < 4; j++)
		m->by.shift[j] = -1.5 * j;
	mat_init(&m->centre, K, 3);
	for (int i = 0; i < K * 3; i++)
		m->centre.a[i] = 0.1 * i;
	ALLOC(m->size, K);
	m->size[0] = 4;
	m->size[3] = 6;
	return m;
}

static struct buf printed(bool kept)
{
	struct model *m = sample(kept);
	struct buf b = { 0 };

	model_print(m, &b);
	model_free(m);
	return b;
}

/* Parses a heap block of exactly n bytes, so that sanitizers report a read past it. */
static enum err parse(const uint8_t *p, size_t n, struct model **m)
{
	uint8_t *copy = alloc(n, 1);
	enum err e;

	if (n)
		memcpy(copy, p, n);
	e = model_parse((struct bytes){ copy, n }, "model-x.bin", m);
	free(copy);
	return e;
}

/* Makes a new checksum over changed bytes, as a forger would. */
static void sum_again(struct buf *b)
{
	sha256_of(b->p, b->n - SHA256_LEN, b->p + b->n - SHA256_LEN);
}

static void test_back_again(void **state)
{
	(void)state;
	for (int kept = 0; kept < 2; kept++) {
		struct buf b = printed(kept), again = { 0 };
		struct model *m, *from = sample(kept);

		assert_ok(parse(b.p, b.n, &m));
		model_print(m, &again);
		assert_int_equal(again.n, b.n);
		assert_memory_equal(again.p, b.p, b.n);
		assert_memory_equal(m->job_id, from->job_id, JOB_ID_LEN);
		assert_true(m->L == 3 && m->own == 1 && m->kept == kept && m->nodes == 10);
		assert_string_equal(m->name[2], "bank-c");
		assert_int_equal(m->method, from->method);
		assert_int_equal(m->how.order, from->how.order);
		assert_int_equal(m->how.filter, from->how.filter);
		assert_true(m->how.word == from->how.word &&
			    m->how.mean_norm == from->how.mean_norm);
		assert_true(m->how.unit_rows == from->how.unit_rows);
		assert_true(m->how.row_power == from->how.row_power);
		if (kept) {
			assert_memory_equal(m->how.idf, from->how.idf, COLUMNS * sizeof(double));
			assert_memory_equal(m->how.map.a, from->how.map.a,
					    COLUMNS * DIMS * sizeof(double));
			assert_memory_equal(m->centre.a, from->centre.a, K * DIMS * sizeof(double));
			assert_memory_equal(m->size, from->size, K * sizeof(*m->size));
		}
		model_free(from);
		model_free(m);
		buf_release(&b);
		buf_release(&again);
	}
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* A file in which `wrong` replaces the share is refused. */
static void refuse_share(const struct buf *file, double share, double wrong)
{
	struct buf b = { 0 };
	struct model *m = NULL;
	size_t at = 12;

	buf_add(&b, file->p, file->n);
	while (at + 8 < b.n && get_u64(b.p + at) != bits_of(share))
		at++;
	assert_true(at + 8 < b.n);
	put_u64(b.p + at, bits_of(wrong));
	sum_again(&b);
	assert_err(parse(b.p, b.n, &m), ERR_INPUT, "its contents are inconsistent");
	buf_release(&b);
}

/* The share of a thin slice (embed.h) is kept. It is not written if it is 1 or 0, so that release
 * 0.2.0 reads such models, and not read then. */
static void test_share(void **state)
{
	static const struct {
		double share;
		size_t bytes;
	} row[] = { { 0, 0 }, { 1, 0 }, { 0.3, 8 } };
	static const double wrong[] = { 0, -0.5, 1, 2, NAN };
	struct buf without = printed(true);

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct model *m = sample(true), *back;
		struct buf b = { 0 };

		m->how.share = row[i].share;
		model_print(m, &b);
		assert_int_equal(b.n, without.n + row[i].bytes);
		assert_ok(parse(b.p, b.n, &back));
		assert_true(back->how.share == (row[i].bytes ? row[i].share : 0));
		model_free(back);
		for (size_t w = 0; row[i].bytes && w < sizeof(wrong) / sizeof(*wrong); w++)
			refuse_share(&b, row[i].share, wrong[w]);
		model_free(m);
		buf_release(&b);
	}
	buf_release(&without);
}

static void test_columns_back_again(void **state)
{
	struct model *from = sample_of_columns(), *m;
	struct buf b = { 0 }, again = { 0 };

	(void)state;
	model_print(from, &b);
	assert_ok(parse(b.p, b.n, &m));
	model_print(m, &again);
	assert_int_equal(again.n, b.n);
	assert_memory_equal(again.p, b.p, b.n);
	assert_true(model_is_of_columns(m) && model_columns(m) == 4 && m->centre.cols == 3);
	assert_memory_equal(m->by.shift, from->by.shift, 4 * sizeof(double));
	assert_memory_equal(m->by.unit, from->by.unit, 4 * sizeof(double));
	assert_memory_equal(m->centre.a, from->centre.a, sizeof(double) * 3 * K);
	model_free(m);
	model_free(from);
	buf_release(&b);
	buf_release(&again);
}

/* Refuses a model of columns whose units, counts or centres are inconsistent. */
static void test_columns_that_do_not_hold_together(void **state)
{
	(void)state;
	for (int wrong = 0; wrong < 6; wrong++) {
		struct model *from = sample_of_columns(), *m = NULL;
		struct buf b = { 0 };
		size_t at, unit;

		model_print(from, &b);
		unit = b.n - SHA256_LEN - sizeof(uint64_t) * (4 + 3 * K + K);
		/* `at` is the place of the number of columns. The number of columns with a unit
		 * follows it. */
		at = unit - sizeof(uint64_t) * (4 + 2);
		if (wrong == 0) /* gives the left-out column a unit */
			put_u64(b.p + unit + 16, 0x3ff0000000000000);
		if (wrong == 1) /* a negative unit */
			put_u64(b.p + unit + 24, 0xbfe0000000000000);
		if (wrong == 2) /* a used column without a unit */
			put_u64(b.p + unit, 0);
		if (wrong == 3)
			put_u64(b.p + at, 1 << 28);
		if (wrong == 4)
			put_u64(b.p + at + 8, 5);
		if (wrong == 5)
			put_u32(b.p + at - 4, 3); /* an unknown kind of contents */
		sum_again(&b);
		assert_err(parse(b.p, b.n, &m), ERR_INPUT, "are inconsistent");
		model_free(from);
		buf_release(&b);
	}
}

static void test_any_bit(void **state)
{
	struct buf b = printed(true);
	struct model *m = NULL;

	(void)state;
	for (size_t bit = 0; bit < 8 * b.n; bit++) {
		b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_err(parse(b.p, b.n, &m), ERR_INPUT,
			   bit < 64   ? "model-x.bin: does not begin like a model"
			   : bit < 96 ? "of its format, this program reads 2"
				      : "model-x.bin: damaged, its checksum is not that of its");
		b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_ok(parse(b.p, b.n, &m));
	model_free(m);
	buf_release(&b);
}

/* Refuses a file cut at any length and one with an extra byte, also with a new checksum. */
static void test_any_length(void **state)
{
	struct buf whole = printed(true);
	struct model *m = NULL;

	(void)state;
	for (size_t n = 0; n <= whole.n + 1; n++) {
		struct buf b = { 0 };

		buf_add(&b, whole.p, n < whole.n ? n : whole.n);
		if (n > whole.n)
			buf_add(&b, "", 1);
		if (n != whole.n)
			assert_err(parse(b.p, b.n, &m), ERR_INPUT, "model-x.bin: ");
		if (n != whole.n && n >= 12 + SHA256_LEN) {
			sum_again(&b);
			assert_err(parse(b.p, b.n, &m), ERR_INPUT, "are inconsistent");
		}
		buf_release(&b);
	}
	buf_release(&whole);
}

static void test_other_version(void **state)
{
	struct buf b = printed(true);
	struct model *m = NULL;

	(void)state;
	put_u32(b.p + 8, 3);
	sum_again(&b);
	assert_err(parse(b.p, b.n, &m), ERR_INPUT,
		   "model-x.bin: a model in version 3 of its format, this program reads 2; run the "
		   "kcagc job again");
	buf_release(&b);
}

/* Replaces each 4 and each 8 bytes by extreme values, with a correct checksum. The file is refused,
 * or its model is written back equal. Nothing larger than the file is allocated. */
static void test_any_field(void **state)
{
	static const uint64_t extreme[] = { 0,
					    1,
					    UINT64_MAX,
					    (uint64_t)1 << 28,
					    (uint64_t)1 << 40,
					    0x7ff8000000000000, /* NaN */
					    0x7ff0000000000000, /* infinite */
					    0xbff0000000000000 /* -1 */ };
	struct buf whole = printed(true);
	size_t refused = 0, read = 0;

	(void)state;
	for (size_t at = 12; at + 8 <= whole.n - SHA256_LEN; at++)
		for (size_t i = 0; i < 2 * sizeof(extreme) / sizeof(*extreme); i++) {
			struct buf b = { 0 }, again = { 0 };
			struct model *m = NULL;

			buf_add(&b, whole.p, whole.n);
			if (i & 1)
				put_u32(b.p + at,
					(uint32_t)(extreme[i / 2] >> 32 | extreme[i / 2]));
			else
				put_u64(b.p + at, extreme[i / 2]);
			sum_again(&b);
			if (parse(b.p, b.n, &m) != ERR_OK) {
				refused++;
			} else {
				model_print(m, &again);
				assert_int_equal(again.n, b.n);
				assert_memory_equal(again.p, b.p, b.n);
				for (size_t j = 0; j < m->how.map.rows * m->how.map.cols; j++)
					assert_true(isfinite(m->how.map.a[j]));
				for (size_t j = 0; j < m->centre.rows * m->centre.cols; j++)
					assert_true(isfinite(m->centre.a[j]));
				read++;
			}
			model_free(m);
			buf_release(&b);
			buf_release(&again);
		}
	assert_true(refused > 100 && read > 100);
	buf_release(&whole);
}

/* Refuses models with a single error each. */
static void test_does_not_hold_together(void **state)
{
	(void)state;
	for (int wrong = 0; wrong < 7; wrong++) {
		struct model *m = sample(true);
		struct buf b = { 0 };
		size_t at = 0;

		model_print(m, &b);
		switch (wrong) {
		case 0: /* two parties named bank-b */
			b.p[12 + 16 + 8 + 4 + 5] = 'b';
			break;
		case 1: /* `own` is 3, but three parties have the numbers 0 to 2 */
			at = 12 + 16 + 8 + 3 * 10;
			put_u64(b.p + at, 3);
			break;
		case 2: /* an unknown method */
			at = 12 + 16 + 8 + 3 * 10 + 8 + 4;
			memcpy(b.p + at, "flot", 4);
			break;
		case 3: /* cluster sizes exceed the nodes by one */
			at = b.n - SHA256_LEN - 8;
			put_u64(b.p + at, 4);
			break;
		case 4: /* sizes add up only modulo 2^64 */
			at = b.n - SHA256_LEN - 16;
			put_u64(b.p + at, UINT64_MAX);
			put_u64(b.p + at + 8, 4);
			break;
		case 5: /* a centre is NaN */
			at = b.n - SHA256_LEN - 8 * K - 8;
			put_u64(b.p + at, 0x7ff8000000000000);
			break;
		case 6: /* an extra byte */
			buf_add(&b, "", 1);
			break;
		}
		sum_again(&b);
		model_free(m);
		m = NULL;
		assert_err(parse(b.p, b.n, &m), ERR_INPUT,
			   "model-x.bin: its contents are inconsistent");
		buf_release(&b);
	}
}

/* A file claims 2^28 columns in 2^16 dimensions. The process may not allocate that much and must
 * refuse the file. */
static void test_huge_shape(void **state)
{
	struct buf b = printed(true);
	struct model *m = NULL;
	int status;
	pid_t child;

	(void)state;
	put_u64(b.p + 146, 1 << 28);
	put_u64(b.p + 154, 1 << 16);
	sum_again(&b);
	child = fork();
	if (child == 0) {
#if !SANITIZED
		setrlimit(RLIMIT_AS, &(struct rlimit){ (rlim_t)1 << 32, (rlim_t)1 << 32 });
#endif
		_exit(parse(b.p, b.n, &m) == ERR_INPUT && strstr(err_detail(), "are inconsistent")
			  ? 0
			  : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	buf_release(&b);
}

/* ---- in the state directory ---- */

static char *path_in_dir(void)
{
	char name[64] = "model-";

	for (int i = 0; i < JOB_ID_LEN; i++)
		snprintf(name + 6 + 2 * i, 3, "%02x", ID);
	strcat(name, ".bin");
	return file_join(dir, name);
}

static void test_kept_and_found(void **state)
{
	struct model *m = sample(true), *found;
	uint8_t other[JOB_ID_LEN] = { 1, 2, 3 };
	char *path, *renamed;
	struct stat st;

	(void)state;
	path = path_in_dir();
	assert_ok(model_keep(m, dir));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_ok(model_find(dir, m->job_id, &found));
	assert_memory_equal(found->centre.a, m->centre.a, K * DIMS * sizeof(double));
	model_free(found);
	assert_err(model_find(dir, other, &found), ERR_INPUT,
		   "there is no model of run 01020300000000000000000000000000 here");
	renamed = file_join(dir, "model-01020300000000000000000000000000.bin");
	assert_int_equal(rename(path, renamed), 0);
	assert_err(model_find(dir, other, &found), ERR_INPUT,
		   "is the model of another run, renamed");
	model_forget(dir, other);
	assert_false(file_exists(renamed));
	model_forget(dir, other); /* the file no longer exists */
	free(renamed);
	free(path);
	model_free(m);
}

/* Errors contain neither the directory nor ids of other runs, because other parties see them. */
static void test_sentences_keep_to_the_party(void **state)
{
	uint8_t other[JOB_ID_LEN] = { 1, 2, 3 };
	struct model *m = sample(true), *found;
	char *path;

	(void)state;
	path = path_in_dir();
	assert_ok(model_keep(m, dir));
	assert_int_equal(model_find(dir, other, &found), ERR_INPUT);
	assert_null(strstr(err_detail(), dir));
	assert_null(strstr(err_detail(), "5a5a"));
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(model_find(dir, m->job_id, &found), ERR_INPUT);
	assert_null(strstr(err_detail(), dir));
	free(path);
	model_free(m);
}

/* ---- models that do not fit a job ---- */

static struct work work_like_sample(void)
{
	struct work w = { .L = 3, .own = 1 };

	for (int l = 0; l < 3; l++)
		snprintf(w.name[l], sizeof(w.name[l]), "bank-%c", 'a' + l);
	w.job.kind = &kind_kcagc_predict;
	w.job.clusters = K;
	w.job.fraction_bits = 16;
	memset(kcagc_job(&w.job)->model, ID, sizeof(kcagc_job(&w.job)->model));
	w.state = dir;
	return w;
}

static void test_fits_or_says_why(void **state)
{
	static const struct {
		const char *why;
		int wrong;
	} cases[] = {
		{ NULL, 0 },
		{ "job.clusters is 5, the run of job.model had 4: expected the same", 1 },
		{ "job.joint_norm is true, in the run of job.model it was false", 2 },
		{ "job.secure_sum.fraction_bits is 12, the run of job.model had 16: expected at "
		  "least as many",
		  3 },
		{ "the features of bank-b have 8 columns, in the run of job.model they had 7", 4 },
		{ "the run of job.model had 3 parties, this job has 2", 5 },
		{ "bank-c was in the run of job.model, and bank-d is in this job", 6 },
		{ "the model is that of bank-b, not of bank-a", 7 },
		{ "the run of job.model had 3 parties, this job has 4", 8 },
		{ NULL, 9 },
	};
	struct model *m = sample(true);

	(void)state;
	assert_ok(model_keep(m, dir));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct features X = { 0 };
		struct work w = work_like_sample();
		int wrong = cases[i].wrong;
		enum err e;

		w.features = &X;
		w.job.clusters += wrong == 1;
		kcagc_job(&w.job)->joint_norm = wrong == 2;
		w.job.fraction_bits = wrong == 3 ? 12 : wrong == 9 ? 32 : 16;
		w.L = wrong == 5 ? 2 : wrong == 8 ? 4 : 3;
		if (wrong == 6)
			strcpy(w.name[2], "bank-d");
		if (wrong == 8)
			strcpy(w.name[3], "bank-d");
		w.own = wrong == 7 ? 0 : 1;
		X.dense.cols = COLUMNS + (wrong == 4);
		e = predict_prepare(&w);
		if (!cases[i].why) {
			assert_ok(e);
			assert_non_null(kcagc_party(&w)->model);
			party_kind_kcagc_predict.release(&w);
		} else {
			assert_err(e, ERR_INPUT, cases[i].why);
			assert_null(w.protocol);
		}
	}
	model_free(m);
}

/* A prediction refuses a model of another kind: kcagc.predict refuses a model of kmeans.columns,
 * and the reverse. */
static void test_of_another_kind(void **state)
{
	struct features X = { .dense.cols = 4 };

	(void)state;
	for (int columns = 0; columns < 2; columns++) {
		struct model *m = columns ? sample_of_columns() : sample(true);
		struct work w = work_like_sample();

		w.features = &X;
		assert_ok(model_keep(m, dir));
		w.job.kind = columns ? &kind_kcagc_predict : &kind_kmeans_columns_predict;
		assert_err(predict_prepare(&w), ERR_INPUT,
			   columns
			       ? "job.kind is kcagc.predict, and the run of job.model was of kind "
				 "kmeans.columns: expected kmeans.columns.predict"
			       : "job.kind is kmeans.columns.predict, and the run of job.model was "
				 "of kind kcagc: expected kcagc.predict");
		if (columns) {
			w.job.kind = &kind_kmeans_columns_predict;
			assert_ok(predict_prepare(&w));
			party_kind_kmeans_columns_predict.release(&w);
		}
		model_free(m);
	}
}

static void test_runs_without_centres(void **state)
{
	struct model *m = sample(false);
	struct features X = { .dense.cols = COLUMNS };
	struct work w = work_like_sample();

	(void)state;
	w.features = &X;
	assert_ok(model_keep(m, dir));
	assert_err(predict_prepare(&w), ERR_INPUT,
		   "the run of job.model was of method gcc, whose clusters have no centres");
	m->method = METHOD_TREE;
	m->min_cell = 5;
	assert_ok(model_keep(m, dir));
	assert_err(predict_prepare(&w), ERR_INPUT,
		   "the run of job.model had min_cell 5, so no centres of it were kept");
	assert_null(w.protocol);
	model_free(m);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, dir_make, dir_remove)

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back_again),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_columns_back_again),
		cmocka_unit_test(test_columns_that_do_not_hold_together),
		cmocka_unit_test(test_any_bit),
		cmocka_unit_test(test_any_length),
		cmocka_unit_test(test_other_version),
		cmocka_unit_test(test_any_field),
		cmocka_unit_test(test_does_not_hold_together),
		cmocka_unit_test(test_huge_shape),
		WITH_DIR(test_kept_and_found),
		WITH_DIR(test_sentences_keep_to_the_party),
		WITH_DIR(test_fits_or_says_why),
		WITH_DIR(test_of_another_kind),
		WITH_DIR(test_runs_without_centres),
	};

	log_init("test", LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
