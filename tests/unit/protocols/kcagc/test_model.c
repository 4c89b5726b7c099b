/* Tests the model that a party keeps of a run. It is read back equal, and damaged or inconsistent
 * files are refused. */
#include "tests/test.h"
#include "tests/unit/protocols/kcagc/models.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "crypto/hash.h"
#include "protocols/kcagc/party/model.h"
#include "proto/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
	};

	log_init("test", LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
