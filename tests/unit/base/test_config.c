/* A table with a row of each type; what goes in comes out, and what is wrong is named. */
#include "tests/test.h"

#include "common/base/config.h"

#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN, BLUE };

struct thing {
	bool on, deep;
	unsigned number, bits;
	uint64_t seed;
	double ratio;
	char *name, *path, *maybe;
	enum colour colour;
	struct config_strings list;
	struct config_map map;
	struct config_count count, dims;
};

static const char *const colours[] = { "red", "green", "blue", NULL };
static const char *const depths[] = { "shallow", "deep", NULL };
static const char *const groups[] = { "small", "large", NULL };
static const char *const word[] = { "local", NULL };
static const unsigned group_values[] = { 100, 200 };

#define AT(f) offsetof(struct thing, f)
static const struct config_row rows[] = {
	{ "on", CONFIG_BOOL, AT(on), .standard = "false", .help = "h" },
	{ "deep", CONFIG_BOOL, AT(deep), .standard = "deep", .names = depths, .help = "h" },
	{ "a.number", CONFIG_UNSIGNED, AT(number), 2, 10, .help = "a number" },
	{ "a.b.seed", CONFIG_U64, AT(seed), 0, 9007199254740991.0, "1", .help = "h" },
	{ "a.ratio", CONFIG_DOUBLE, AT(ratio), 0, 1, "0.5", .help = "h" },
	{ "bits", CONFIG_CHOICE, AT(bits), .standard = "large", .names = groups,
	  .values = group_values, .help = "h" },
	{ "name", CONFIG_STRING, AT(name), 1, 64, "x", .help = "h", .check = config_check_name },
	{ "path", CONFIG_PATH, AT(path), .standard = "out", .help = "h" },
	{ "maybe", CONFIG_STRING, AT(maybe), 1, 5, "", .help = "h" },
	{ "colour", CONFIG_ENUM, AT(colour), .standard = "green", .names = colours, .help = "h" },
	{ "list", CONFIG_STRINGS, AT(list), 1, 3, "[\"p\"]", .help = "h",
	  .check = config_check_name },
	{ "map", CONFIG_MAP, AT(map), 0, 2, "", .help = "h", .check_key = config_check_name },
	{ "count", CONFIG_COUNT, AT(count), 2, 100, "2k", .help = "h" },
	{ "dims", CONFIG_COUNT, AT(dims), 1, 100, "local", .help = "h", .names = word },
};
static const struct config_table table = { "thing", rows, sizeof(rows) / sizeof(*rows),
					   sizeof(struct thing), 0 };

static enum err read_text(const char *text, char *const *set, const struct config_preset *presets,
			  struct thing *t)
{
	struct json *root;
	enum err err;

	assert_ok(
	    json_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, "x.json", &root));
	err = config_set(root, set);
	if (!err)
		err = config_read(&table, root, "x.json", "/etc/c", presets, t);
	json_free(root);
	return err;
}

static void test_defaults(void **state)
{
	struct thing t;

	(void)state;
	assert_ok(read_text("{\"a\": {\"number\": 3}}", NULL, NULL, &t));
	assert_false(t.on);
	assert_true(t.deep);
	assert_int_equal(t.number, 3);
	assert_int_equal(t.seed, 1);
	assert_true(t.ratio == 0.5);
	assert_int_equal(t.bits, 200);
	assert_string_equal(t.name, "x");
	assert_string_equal(t.path, "/etc/c/out");
	assert_null(t.maybe);
	assert_int_equal(t.colour, GREEN);
	assert_int_equal(t.list.count, 1);
	assert_string_equal(t.list.item[0], "p");
	assert_int_equal(t.map.count, 0);
	assert_int_equal(t.count.times_k, 2);
	assert_int_equal(t.dims.times_k, 0);
	assert_int_equal(t.dims.fixed, 0);
	config_release(&table, &t);
}

static const char full[] =
    "{\"on\":true,\"deep\":\"shallow\",\"a\":{\"number\":10,\"b\":{\"seed\":9007199254740991},"
    "\"ratio\":0.25},\"bits\":\"small\",\"name\":\"n-1\",\"path\":\"/p\",\"maybe\":\"m\","
    "\"colour\":\"blue\",\"list\":[\"u\",\"v\"],\"map\":{\"k\":\"w\"},\"count\":\"3k\",\"dims\":7}";

static void test_written_as_read(void **state)
{
	struct buf out = { 0 };
	struct json *root;
	struct thing t;

	(void)state;
	assert_ok(read_text(full, NULL, NULL, &t));
	assert_int_equal(t.dims.fixed, 7);
	assert_string_equal(config_map_get(&t.map, "k"), "w");
	assert_null(config_map_get(&t.map, "w"));
	root = config_write(&table, &t);
	json_write(root, &out);
	buf_add(&out, "", 1);
	assert_string_equal(out.p, full);
	json_free(root);
	buf_release(&out);
	config_release(&table, &t);
}

static void test_comments_are_skipped(void **state)
{
	struct thing t;

	(void)state;
	assert_ok(
	    read_text("{\"#\": 1, \"# a\": {\"z\": 2}, \"a\": {\"# number\": \"n\", \"number\": 4},"
		      " \"map\": {\"# k\": 5, \"k\": \"v\"}}",
		      NULL, NULL, &t));
	assert_int_equal(t.number, 4);
	assert_int_equal(t.map.count, 1);
	config_release(&table, &t);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		/* 0 */ { "{}", "x.json: thing.a.number is missing, expected a whole number from 2 "
				"to 10 (a number)" },
		/* 1 */ { "[]", "x.json: thing is an array, expected an object" },
		/* 2 */
		{ "{\"a\": {\"number\": 1}}",
		  "thing.a.number is 1, expected a whole number from 2 to 10" },
		/* 3 */ { "{\"a\": {\"number\": 11}}", "thing.a.number is 11," },
		/* 4 */ { "{\"a\": {\"number\": 2.5}}", "thing.a.number is 2.5," },
		/* 5 */ { "{\"a\": {\"number\": \"3\"}}", "thing.a.number is \"3\"," },
		/* 6 */ { "{\"a\": {\"number\": null}}", "thing.a.number is null," },
		/* 7 */ { "{\"a\": 3}", "thing.a is a number, expected an object" },
		/* 8 */
		{ "{\"a\": {\"number\": 3, \"nubmer\": 3}}",
		  "thing.a.nubmer is unknown, expected one of: number, b, ratio" },
		/* 9 */ { "{\"b\": 1}", "thing.b is unknown, expected one of: on, deep, a, bits," },
		/* 10 */ { "{\"a.number\": 3}", "thing.a.number is unknown" },
		/* 11 */
		{ "{\"a\": {\"number\": 3, \"b\": {\"seed\": 9007199254740992}}}",
		  "thing.a.b.seed is" },
		/* 12 */
		{ "{\"a\": {\"number\": 3, \"b\": {\"seed\": -1}}}", "thing.a.b.seed is -1" },
		/* 13 */
		{ "{\"a\": {\"number\": 3, \"ratio\": 1.01}}",
		  "thing.a.ratio is 1.01, expected a number from 0 to 1" },
		/* 14 */
		{ "{\"a\": {\"number\": 3}, \"on\": 1}", "thing.on is 1, expected true or false" },
		/* 15 */
		{ "{\"a\": {\"number\": 3}, \"deep\": true}",
		  "thing.deep is true, expected one of \"shallow\", \"deep\"" },
		/* 16 */
		{ "{\"a\": {\"number\": 3}, \"colour\": \"Red\"}",
		  "expected one of \"red\", \"green\", \"blue\"" },
		/* 17 */
		{ "{\"a\": {\"number\": 3}, \"bits\": \"huge\"}", "thing.bits is \"huge\"" },
		/* 18 */
		{ "{\"a\": {\"number\": 3}, \"name\": \"a b\"}",
		  "thing.name is \"a b\", expected a name" },
		/* 19 */
		{ "{\"a\": {\"number\": 3}, \"name\": \"\"}",
		  "expected a string of 1 to 64 bytes" },
		/* 20 */
		{ "{\"a\": {\"number\": 3}, \"maybe\": \"123456\"}",
		  "expected a string of 1 to 5 bytes" },
		/* 21 */
		{ "{\"a\": {\"number\": 3}, \"path\": \"\"}",
		  "thing.path is \"\", expected a path" },
		/* 22 */
		{ "{\"a\": {\"number\": 3}, \"list\": []}", "expected a list of 1 to 3 strings" },
		/* 23 */
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", 2]}",
		  "thing.list[1] is 2, expected a string" },
		/* 24 */
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", \"a\"]}",
		  "thing.list[1] is \"a\", expected each string once" },
		/* 25 */
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", \"/\"]}",
		  "thing.list[1] is \"/\", expected a name" },
		/* 26 */
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x\": 1}}",
		  "thing.map.x is 1, expected a string" },
		/* 27 */
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x y\": \"\"}}",
		  "thing.map: the key \"x y\" is not right" },
		/* 28 */
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x\": \"\", \"y\": \"\", \"z\": \"\"}}",
		  "thing.map is" },
		/* 29 */
		{ "{\"a\": {\"number\": 3}, \"count\": 1}",
		  "thing.count is 1, expected a whole number from 2 to 100, or a multiple" },
		/* 30 */ { "{\"a\": {\"number\": 3}, \"count\": \"0k\"}", "thing.count is \"0k\"" },
		/* 31 */
		{ "{\"a\": {\"number\": 3}, \"count\": \"65k\"}", "thing.count is \"65k\"" },
		/* 32 */
		{ "{\"a\": {\"number\": 3}, \"count\": \"2kk\"}", "thing.count is \"2kk\"" },
		/* 33 */
		{ "{\"a\": {\"number\": 3}, \"count\": \"local\"}", "thing.count is \"local\"" },
		/* 34 */
		{ "{\"a\": {\"number\": 3}, \"count\": \"99999999999999999999k\"}",
		  "thing.count is" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct thing t;

		print_message("case %zu\n", i);
		assert_err(read_text(cases[i].text, NULL, NULL, &t), ERR_INPUT, cases[i].message);
		assert_null(t.name); /* nothing is owned after a failure */
		assert_int_equal(t.list.count, 0);
	}
}

static void test_set(void **state)
{
	char *set[] = { "a.number=5", "a.b.seed=7",   "colour=red", "count=k",
			"name=01",    "list=[\"z\"]", "a.number=6", NULL };
	char *no_equals[] = { "a.number", NULL }, *through[] = { "on.x=1", NULL };
	char *bad[] = { "a.number=many", NULL };
	struct thing t;

	(void)state;
	assert_ok(read_text("{\"colour\": \"blue\", \"on\": true}", set, NULL, &t));
	assert_int_equal(t.number, 6);
	assert_int_equal(t.seed, 7);
	assert_int_equal(t.colour, RED);
	assert_int_equal(t.count.times_k, 1);
	assert_string_equal(t.name, "01"); /* not JSON, so a string */
	assert_string_equal(t.list.item[0], "z");
	config_release(&table, &t);
	assert_err(read_text("{}", no_equals, NULL, &t), ERR_INPUT,
		   "--set a.number: expected path=value");
	assert_err(read_text("{\"on\": true}", through, NULL, &t), ERR_INPUT,
		   "--set on.x=1: a part of the path");
	assert_err(read_text("[1]", set, NULL, &t), ERR_INPUT,
		   "x.json: thing is an array, expected an object");
	assert_err(read_text("{}", bad, NULL, &t), ERR_INPUT, "thing.a.number is \"many\"");
}

static void test_precedence(void **state)
{
	static const struct config_preset presets[] = { { "a.number", "9" },
							{ "colour", "blue" },
							{ NULL, NULL } };
	struct thing t;

	(void)state;
	assert_ok(read_text("{\"colour\": \"red\"}", NULL, presets, &t));
	assert_int_equal(t.number, 9);   /* preset over default */
	assert_int_equal(t.colour, RED); /* given over preset */
	config_release(&table, &t);
}

static void test_difference(void **state)
{
	struct thing a, b;
	char text[128];

	(void)state;
	assert_ok(read_text(full, NULL, NULL, &a));
	assert_ok(read_text(full, NULL, NULL, &b));
	assert_false(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	b.dims.fixed = 8;
	assert_true(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	assert_string_equal(text, "thing.dims: 7 here, 8 there");
	free(b.maybe);
	b.maybe = NULL;
	assert_true(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	assert_string_equal(text, "thing.maybe: \"m\" here, nothing there");
	config_release(&table, &a);
	config_release(&table, &b);
}

static void test_describe_names_every_row(void **state)
{
	struct buf text = { 0 };

	(void)state;
	config_describe(&table, &text);
	buf_add(&text, "", 1);
	for (size_t i = 0; i < table.count; i++)
		assert_non_null(strstr((char *)text.p, rows[i].path));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_written_as_read),
		cmocka_unit_test(test_comments_are_skipped),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_describe_names_every_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
