/* Accepts JSON and refuses other texts with the place of the error. */
#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses a copy of exact size on the heap, so that a sanitizer sees a read beyond it. */
static enum err parse(const char *text, size_t n, struct json **root)
{
	uint8_t *copy = alloc(n, 1);
	enum err err;

	memcpy(copy, text, n);
	err = json_parse((struct bytes){ copy, n }, "x.json", root);
	free(copy);
	return err;
}

static void rewritten(const char *text, const char *expected)
{
	struct buf out = { 0 };
	struct json *v;

	assert_ok(parse(text, strlen(text), &v));
	json_write(v, &out);
	assert_int_equal(out.n, strlen(expected));
	assert_memory_equal(out.p, expected, out.n);
	buf_release(&out);
	json_free(v);
}

TEST(test_accepts)
{
	rewritten(" {\"a\": [1, -2.5e3, true, false, null, \"x\\u00e9\\n\"]}\n",
		  "{\"a\":[1,-2500,true,false,null,\"x\xc3\xa9\\n\"]}");
	rewritten("\"\\ud83d\\ude00 \xf0\x9f\x98\x80\"", "\"\xf0\x9f\x98\x80 \xf0\x9f\x98\x80\"");
	rewritten("9007199254740991", "9007199254740991");
	rewritten("[[],{},0,-0.5]", "[[],{},0,-0.5]");
	rewritten("[0.1, 1e22, 5e-324, 0.30000000000000004]",
		  "[0.1,1e+22,4.94065645841247e-324,0.30000000000000004]");
	rewritten("\"\\u0001\\b\\f\\r\\t\\/\\\\\\\"\"", "\"\\u0001\\b\\f\\r\\t/\\\\\\\"\"");
}

TEST(test_refuses)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		/* 0 */ { "", "line 1, column 1: the text ends too early" },
		/* 1 */ { "{\"a\": 1}\n x", "line 2, column 2: more text after the value" },
		/* 2 */ { "{\"a\": 1,}", "no JSON here or just before" },
		/* 3 */ { "[1,]", "no JSON here or just before" },
		/* 4 */
		{ "{\"a\": 01}", "column 7: expected a digit, and no 0 in front of others" },
		/* 5 */ { "[+1]", "no JSON here or just before" },
		/* 6 */ { "[1.]", "column 4: expected a digit" },
		/* 7 */ { "[1e]", "no JSON here or just before" },
		/* 8 */ { "1e999", "a number is too large" },
		/* 9 */ { "\"a\nb\"", "column 3: a control character in a string" },
		/* 10 */
		{ "\"\\u0000\"",
		  "column 7: expected four hexadecimal digits after \\u, not all 0" },
		/* 11 */ { "\"\\ud83d\"", "no JSON here" },
		/* 12 */ { "\"\\ude00\"", "no JSON here" },
		/* 13 */ { "\"\\ud83d\\u0041\"", "no JSON here" },
		/* 14 */ { "\"\\x\"", "no JSON here" },
		/* 15 */ { "\"\xff\"", "not UTF-8" },
		/* 16 */ { "\"\xc0\xaf\"", "not UTF-8" },
		/* 17 */ { "\"\xed\xa0\x80\"", "not UTF-8" },
		/* 18 */
		{ "{\"a\": 1, \"b\": {\"c\": 1, \"d\": 2, \"c\": 3}}",
		  "the key \"c\" is there twice" },
		/* 19 */ { "{\"a\": 1, \"\\u0061\": 2}", "the key \"a\" is there twice" },
		/* 20 */ { "NaN", "no JSON here" },
		/* 21 */ { "tru", "no JSON here" },
		/* 22 */ { "{a: 1}", "no JSON here or just before" },
		/* 23 */ { "[1 2]", "no JSON here or just before" },
		/* 24 */ { "// no\n{}", "no JSON here or just before" },
		/* 25 */ { "[1, -]", "column 6: expected a digit" },
		/* 26 */ { "[-.5]", "column 3: expected a digit" },
		/* 27 */ { "[-012]", "no 0 in front of others" },
		/* 28 */ { "\"\\u12g4\"", "column 6: expected four hexadecimal digits" },
		/* 29 */ { "\xef\xbb\xbf{}", "column 1: expected a value" },
		/* 30 */ { "[1,\x01 2]", "column 4: expected a value" },
		/* 31 */ { "[1]]", "column 4: more text" },
		/* 32 */ { "[1.e5]", "column 4: expected a digit" },
		/* 33 */ { "[0x10]", "no JSON here or just before" },
		/* 34 */ { "[\"a\\", "column 5: the text ends too early" },
		/* 35 */ { "\"\\u00", "column 6: the text ends too early" },
		/* 36 */ { " \n", "no JSON here" },
	};
	struct json *v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		print_message("case %zu\n", i);
		assert_err(parse(cases[i].text, strlen(cases[i].text), &v), ERR_INPUT,
			   cases[i].message);
		assert_true(strstr(err_detail(), "x.json: ") == err_detail());
		assert_null(v);
	}
}

TEST(test_every_prefix_is_refused)
{
	static const char text[] =
	    "{\"a\": [1.5e-3, \"\\ud83d\\ude00\\n\"], \"b\": {\"c\": null}, \"d\": true}";
	struct json *v;

	assert_ok(parse(text, sizeof(text) - 1, &v));
	json_free(v);
	for (size_t n = 0; n < sizeof(text) - 1; n++)
		assert_err(parse(text, n, &v), ERR_INPUT, "ends");
}

TEST(test_depth)
{
	char text[2 * JSON_DEPTH_MAX + 3];
	struct json *v;

	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	assert_err(parse(text, 2 * JSON_DEPTH_MAX + 2, &v), ERR_INPUT, "nested too deeply");
	assert_ok(parse(text + 1, 2 * JSON_DEPTH_MAX, &v));
	json_free(v);
	/* The limit is on nesting, not on the number of brackets. */
	assert_ok(parse(
	    "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
	    "[],[],[],[],[],[],[],[],[]]",
	    112, &v));
	json_free(v);
}

TEST(test_size)
{
	uint8_t *text = alloc(JSON_TEXT_MAX + 1, 1);
	struct json *v;

	memset(text, ' ', JSON_TEXT_MAX + 1);
	text[0] = '1';
	assert_err(json_parse((struct bytes){ text, JSON_TEXT_MAX + 1 }, "x", &v), ERR_INPUT,
		   "bytes of JSON");
	assert_ok(json_parse((struct bytes){ text, JSON_TEXT_MAX }, "x", &v));
	json_free(v);
	free(text);
}

TEST(test_building)
{
	struct json *root = json_object(), *list;
	struct buf out = { 0 };

	json_put_string(root, "bad", "a\xff\x01z");
	json_put_number(root, "nan", NAN);
	list = json_put_array(root, "list");
	json_append_number(list, 0.1);
	json_append_string(list, "x");
	json_put_bool(json_append_object(list), "yes", true);
	json_put_number(root, "bad", 7); /* replaces the old value in its place */
	json_put_number(json_put_object(root, "o"), "bytes", 123456789012.0);
	json_put_seconds(root, "s", 0.29146215800028585);
	assert_ptr_equal(json_member(root, "list"), list);
	assert_int_equal(json_count(list), 3);
	json_write(root, &out);
	buf_add(&out, "", 1);
	assert_string_equal(
	    out.p, "{\"bad\":7,\"nan\":null,\"list\":[0.1,\"x\",{\"yes\":true}],\"o\":{\"bytes\":"
		   "123456789012},\"s\":0.291462}");
	out.n = 0;
	json_put_string(root, "bad", "a\xff\x01z");
	json_write(json_get(root, "bad"), &out);
	buf_add(&out, "", 1);
	assert_string_equal(out.p, "\"a\xef\xbf\xbd\\u0001z\"");
	buf_release(&out);
	json_free(root);
}

TEST(test_pretty)
{
	static const char text[] = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n";
	struct buf out = { 0 };
	struct json *v;

	assert_ok(parse(text, sizeof(text) - 1, &v));
	json_write_pretty(v, &out);
	buf_add(&out, "", 1);
	assert_string_equal(out.p, text);
	buf_release(&out);
	json_free(v);
}

TEST(test_missing_file)
{
	struct json *v;

	assert_err(json_read("/nonexistent/x.json", 100, &v), ERR_INPUT,
		   "/nonexistent/x.json: No such file");
}
