/* CSV: matrices of numbers, and fields of text. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/data/csv.h"

static enum err parse(const char *text, struct mat *m)
{
	struct bytes b = exact_text(text);
	enum err err = csv_parse_numbers(b, "x.csv", m);

	free((void *)(uintptr_t)b.p);
	return err;
}

static void test_matrices(void **state)
{
	static const char *const same[] = {
		"1,2.5\n-3,4e1\n",     "1,2.5\n-3,4e1",         "a,b\n1,2.5\n-3,4e1\n",
		"1,2.5\r\n-3,4e1\r\n", " 1 ,\t2.5\n-3, 4e1 \n",
	};
	static const double values[] = { 1, 2.5, -3, 40 };
	struct mat m;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		assert_ok(parse(same[i], &m));
		assert_int_equal(m.rows, 2);
		assert_int_equal(m.cols, 2);
		assert_memory_equal(m.a, values, sizeof(values));
		mat_release(&m);
	}
	assert_ok(parse("7", &m));
	assert_int_equal(m.rows * m.cols, 1);
	mat_release(&m);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		/* 0 */ { "", "x.csv: the file is empty" },
		/* 1 */ { "a,b\n", "x.csv: 0 rows" },
		/* 2 */ { "1,2\n3\n", "x.csv:2: 1 fields, expected 2" },
		/* 3 */ { "1,2\n3,4,5\n", "x.csv:2: 3 fields, expected 2" },
		/* 4 */ { "1,2\n\n3,4\n", "x.csv:2: 1 fields, expected 2" },
		/* 5 */ { "1,2\n3,x\n", "x.csv:2: field 2 is \"x\", expected a finite number" },
		/* 6 */ { "1,2\n3,\n", "x.csv:2: field 2 is \"\"" },
		/* 7 */ { "1,x\n3,4\n", "x.csv:1: field 2 is \"x\"" }, /* no heading: it has a
									  number */
		/* 8 */ { "1,2\nnan,4\n", "x.csv:2: field 1 is \"nan\"" },
		/* 9 */ { "nan,nan\n3,4\n", "x.csv:1: field 1 is \"nan\"" }, /* no heading either */
		/* 10 */ { "1,2\n-inf,4\n", "x.csv:2: field 1 is \"-inf\"" },
		/* 11 */ { "1,2\n1e999,4\n", "x.csv:2: field 1 is \"1e999\"" },
		/* 12 */ { "a,b\n1,2\n\"3\",4\n", "x.csv:3: field 1 is \"\"3\"\"" },
		/* 13 */ { "1;2\n3;4\n", "x.csv:2: field 1 is \"3;4\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mat m;

		print_message("case %zu\n", i);
		assert_err(parse(cases[i].text, &m), ERR_INPUT, cases[i].message);
		assert_null(m.a);
	}
}

/* A long first line and many short ones would make a matrix far larger than the file. */
static void test_allocation_is_bounded_by_the_file(void **state)
{
	struct buf text = { 0 };
	struct mat m;

	(void)state;
	for (int i = 0; i < 200000; i++)
		buf_add(&text, "1,", 2);
	buf_add(&text, "1\n", 2);
	for (int i = 0; i < 200000; i++)
		buf_add(&text, "1\n", 2);
	assert_err(csv_parse_numbers((struct bytes){ text.p, text.n }, "x", &m), ERR_INPUT,
		   "x:2: 1 fields, expected 200001");
	buf_release(&text);
}

static void test_nul_is_no_number(void **state)
{
	struct bytes b = exact("1,0,\0,4\n", 8);
	struct mat m;

	(void)state;
	assert_err(csv_parse_numbers(b, "x", &m), ERR_INPUT, "x:1: field 3");
	free((void *)(uintptr_t)b.p);
}

static void test_fields(void **state)
{
	static const char *const values[] = { "",   "plain",      "a,b",    "say \"hi\"",
					      "\"", "\xc3\xa9 x", ",,\"\"," };
	struct buf text = { 0 }, field = { 0 };
	struct text t;
	bool last;

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		csv_print_field(values[i], &text);
		buf_add(&text, i == 6 ? "\r\n" : ",", i == 6 ? 2 : 1);
	}
	t = text_open((struct bytes){ text.p, text.n }, "x");
	for (size_t i = 0; i < 7; i++) {
		assert_ok(csv_field(&t, &field, &last));
		assert_string_equal(field.p, values[i]);
		assert_int_equal(last, i == 6);
	}
	assert_int_equal(t.line, 2);
	assert_ptr_equal(t.p, t.end);
	buf_release(&text);
	buf_release(&field);
}

static void test_field_refusals(void **state)
{
	static const char *const texts[] = { "\"abc", "\"abc\ndef\"", "a\"b", "\"a\"b", "a\rb" };
	struct buf field = { 0 };
	bool last;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct bytes b = exact_text(texts[i]);
		struct text t = text_open(b, "x");

		assert_err(csv_field(&t, &field, &last), ERR_INPUT,
			   i < 2 ? "does not end on its line" : "in the middle");
		free((void *)(uintptr_t)b.p);
	}
	buf_release(&field);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_allocation_is_bounded_by_the_file),
		cmocka_unit_test(test_nul_is_no_number),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_field_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
