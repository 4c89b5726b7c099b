/* Reads CSV records of cells, and writes text as fields. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/data/csv.h"

/* Appends each record, such as "a,b", as "[a][b]", or returns the error. */
static enum err records(const char *text, char separator, char comment, struct buf *out)
{
	struct bytes b = exact_text(text);
	struct text t = text_open(b, "x");
	struct csv_record r = { 0 };
	bool there = true;
	enum err err = ERR_OK;

	while (!err && there) {
		err = csv_record(&t, separator, comment, 4, &r, &there);
		for (size_t i = 0; !err && there && i < r.n; i++)
			buf_printf(out, "[%.*s]", (int)r.cell[i].n, r.cell[i].p);
		if (!err && there)
			buf_printf(out, "%zu ", r.line);
	}
	buf_add(out, "", 1);
	csv_record_release(&r);
	free((void *)(uintptr_t)b.p);
	return err;
}

TEST(test_records)
{
	static const struct {
		const char *text;
		char separator, comment;
		const char *records;
	} cases[] = {
		{ "", ',', 0, "" },
		{ "a,b\n1,2\n", ',', 0, "[a][b]1 [1][2]2 " },
		{ "a,b\r\n1,2", ',', 0, "[a][b]1 [1][2]2 " },
		{ "a;b,c\n", ';', 0, "[a][b,c]1 " },
		{ "\"a,\n\"\"b\",c\n\"\",\n", ',', 0, "[a,\n\"\"b][c]1 [][]3 " },
		{ "1,\n\n,\n", ',', 0, "[1][]1 []2 [][]3 " },
		{ "# a\n1\t2\n#b", '\t', '#', "[1][2]2 " },
		{ "#a,b\n", ',', 0, "[#a][b]1 " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf out = { 0 };

		print_message("case %zu\n", i);
		assert_ok(records(cases[i].text, cases[i].separator, cases[i].comment, &out));
		assert_string_equal(out.p, cases[i].records);
		buf_release(&out);
	}
}

TEST(test_record_refusals)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "a,b\n1,\"x\n\ny", "x:2: a quote is opened here and never closed" },
		{ "a,b\n1,x\"y\"\n", "x:2: field 2 has a quote in its middle" },
		{ "a,b\n\"x\"y,1\n", "x:2: field 1 goes on behind its closing quote" },
		{ "a,b\r1,2\r", "x:1: field 2 has a carriage return that ends no line" },
		{ "1,2,3,4,5", "x:1: more than 4 fields" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf out = { 0 };

		print_message("case %zu\n", i);
		assert_err(records(cases[i].text, ',', 0, &out), ERR_INPUT, cases[i].message);
		buf_release(&out);
	}
}

TEST(test_fields)
{
	static const char *const values[] = { "",   "plain",      "a,b",    "say \"hi\"",
					      "\"", "\xc3\xa9 x", ",,\"\"," };
	struct buf text = { 0 }, field = { 0 };
	struct text t;
	bool last;

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

TEST(test_field_refusals)
{
	static const char *const texts[] = { "\"abc", "\"abc\ndef\"", "a\"b", "\"a\"b", "a\rb" };
	struct buf field = { 0 };
	bool last;

	for (size_t i = 0; i < 5; i++) {
		struct bytes b = exact_text(texts[i]);
		struct text t = text_open(b, "x");

		assert_err(csv_field(&t, &field, &last), ERR_INPUT,
			   i < 2 ? "does not end on its line" : "in the middle");
		free((void *)(uintptr_t)b.p);
	}
	buf_release(&field);
}
