/* Reads columns.json, which has the names of a matrix's columns. */
#include "tests/test.h"
#include "tests/unit/data/files.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/data/columns.h"

static enum err parse(const char *text, struct columns *c)
{
	struct bytes b = exact_text(text);
	enum err err = columns_parse(b, "c", c);

	free((void *)(uintptr_t)b.p);
	return err;
}

TEST(test_what_is_printed_is_read)
{
	struct buf text = { 0 }, again = { 0 };
	struct columns c = { 0 }, d;

	columns_add(&c, "age", COLUMN_NUMBER, "years", NULL);
	columns_add(&c, "colour=\"red\"", COLUMN_CATEGORY, NULL, "colour");
	columns_add(&c, "born", COLUMN_DATE, "days", NULL);
	columns_print(&c, &text);
	assert_ok(columns_parse((struct bytes){ text.p, text.n }, "c", &d));
	assert_int_equal(d.n, 3);
	assert_string_equal(d.column[0].unit, "years");
	assert_string_equal(d.column[0].from, "");
	assert_string_equal(d.column[1].name, "colour=\"red\"");
	assert_string_equal(d.column[1].from, "colour");
	assert_int_equal(d.column[2].type, COLUMN_DATE);
	columns_print(&d, &again);
	assert_int_equal(text.n, again.n);
	assert_memory_equal(text.p, again.p, text.n);
	columns_release(&c);
	columns_release(&d);
	buf_release(&text);
	buf_release(&again);
}

TEST(test_refusals)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "[]", "c: expected {\"columns\": [...]}" },
		{ "{\"columns\": []}", "c: expected {\"columns\": [...]}" },
		{ "{\"columns\": [1]}", "c: column 1 is a number, expected an object" },
		{ "{\"columns\": [{\"type\": \"number\"}]}", "c: column 1 has no \"name\"" },
		{ "{\"columns\": [{\"name\": \"a\"}]}", "\"a\": the type is \"\"" },
		{ "{\"columns\": [{\"name\": \"a\", \"type\": \"text\"}]}",
		  "the type is \"text\", expected \"number\"" },
		{ "{\"columns\": [{\"name\": 1, \"type\": \"number\"}]}",
		  "\"name\" is a number, expected a string" },
		{ "{\"columns\": [{\"name\": \"a\", \"type\": \"number\", \"units\": \"m\"}]}",
		  "no key \"units\" is known" },
		{ "{\"columns\": [{\"name\": \"a\", \"type\": \"number\"}, "
		  "{\"name\": \"a\", \"type\": \"date\"}]}",
		  "two columns are called \"a\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct columns c;

		print_message("case %zu\n", i);
		assert_err(parse(cases[i].text, &c), ERR_INPUT, cases[i].message);
		assert_null(c.column);
	}
}

TEST_WITH(test_beside_the_features, dir_make, dir_remove)
{
	static const char text[] = "{\"columns\": [{\"name\": \"a\", \"type\": \"number\"}]}";
	char *path = file_join(dir, "columns.json");
	char *features = file_join(dir, "features.npy");
	struct columns c;

	assert_ok(columns_beside(features, 1, &c));
	assert_int_equal(c.n, 0);
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_PUBLIC));
	assert_ok(columns_beside(features, 1, &c));
	assert_string_equal(c.column[0].name, "a");
	columns_release(&c);
	assert_err(columns_beside(features, 2, &c), ERR_INPUT, "1 columns, expected 2 as");
	free(path);
	free(features);
}
