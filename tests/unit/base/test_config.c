/* Reads, writes, compares and describes the settings of a table that has a row of each type. */
#include "tests/unit/base/thing.h"

#include <stdio.h>

TEST(test_defaults)
{
	struct thing t;

	assert_ok(read_text("{\"a\": {\"number\": 3}}", NULL, NULL, &t));
	assert_false(t.on);
	assert_true(t.deep);
	assert_int_equal(t.number, 3);
	assert_int_equal(t.seed, 1);
	assert_true(t.ratio == 0.5 && t.share == 0);
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
	assert_int_equal(t.order, 5);
	assert_memory_equal(t.id, (uint8_t[CONFIG_ID_LEN]){ 0 }, CONFIG_ID_LEN);
	config_release(&table, &t);
}

static const char full[] =
    "{\"on\":true,\"deep\":\"shallow\",\"a\":{\"number\":10,\"b\":{\"seed\":9007199254740991},"
    "\"ratio\":0.25},\"share\":0.5,\"bits\":\"small\",\"name\":\"n-1\",\"path\":\"/"
    "p\",\"maybe\":\"m\","
    "\"colour\":\"blue\",\"list\":[\"u\",\"v\"],\"map\":{\"k\":\"w\"},"
    "\"files\":{\"k\":\"w\",\"l\":{\"is\":\"v\",\"file\":\"/f\"}},\"count\":\"3k\",\"dims\":7,"
    "\"order\":\"auto\",\"range\":{\"from\":2,\"to\":65},\"room\":8589934592,\"id\":"
    "\"00ff10a9000000000000000000000bcd\"}";

static void assert_written(const struct config_table *t, const void *in, const char *expect)
{
	struct buf out = { 0 };
	struct json *root = config_write(t, in);

	json_write(root, &out);
	buf_add(&out, "", 1);
	assert_string_equal(out.p, expect);
	json_free(root);
	buf_release(&out);
}

TEST(test_written_as_read)
{
	static const uint8_t id[CONFIG_ID_LEN] = { 0x00, 0xff, 0x10, 0xa9, [14] = 0x0b, 0xcd };
	struct thing t;

	assert_ok(read_text(full, NULL, NULL, &t));
	assert_int_equal(t.dims.fixed, 7);
	assert_int_equal(t.order, CONFIG_WORD);
	assert_memory_equal(t.id, id, sizeof(id));
	assert_string_equal(config_map_get(&t.map, "k"), "w");
	assert_null(config_map_get(&t.map, "w"));
	assert_null(t.map.item[0].path);
	assert_string_equal(config_map_get(&t.files, "l"), "v");
	assert_string_equal(t.files.item[1].path, "/f");
	assert_null(t.files.item[0].path);
	assert_null(config_map_get(&t.files, "m"));
	assert_written(&table, &t, full);
	config_release(&table, &t);
}

/* config_write() omits an absent optional field: its stored value 0 would be out of bounds when
 * read again. */
TEST(test_nothing_is_written_of_what_was_not_given)
{
	struct thing t;
	struct buf out = { 0 };
	struct json *root;

	assert_ok(read_text("{\"a\": {\"number\": 3}}", NULL, NULL, &t));
	root = config_write(&table, &t);
	assert_null(json_get(root, "share"));
	assert_null(json_get(root, "maybe"));
	json_write(root, &out);
	buf_add(&out, "", 1);
	config_release(&table, &t);
	assert_ok(read_text((const char *)out.p, NULL, NULL, &t));
	assert_true(t.share == 0);
	config_release(&table, &t);
	json_free(root);
	buf_release(&out);
}

TEST(test_comments_are_skipped)
{
	struct thing t;

	assert_ok(
	    read_text("{\"#\": 1, \"# a\": {\"z\": 2}, \"a\": {\"# number\": \"n\", \"number\": 4},"
		      " \"map\": {\"# k\": 5, \"k\": \"v\"}}",
		      NULL, NULL, &t));
	assert_int_equal(t.number, 4);
	assert_int_equal(t.map.count, 1);
	config_release(&table, &t);
}

/* Skips a removed key if its value describes today's behaviour. Files of older releases may contain
 * such keys. */
TEST(test_removed_keys_that_hold_are_skipped)
{
	struct thing t;

	assert_ok(read_text("{\"a\": {\"old\": -0.5, \"number\": 4}, \"whole\": {\"any\": true}, "
			    "\"word\": \"plain\", \"mine\": 1}",
			    NULL, NULL, &t));
	assert_int_equal(t.number, 4);
	config_release(&table, &t);
}

TEST(test_set_overrides)
{
	char *set[] = { "a.number=5", "a.b.seed=7",   "colour=red", "count=k",
			"name=01",    "list=[\"z\"]", "a.number=6", NULL };
	char *no_equals[] = { "a.number", NULL }, *through[] = { "on.x=1", NULL };
	char *bad[] = { "a.number=many", NULL };
	struct thing t;

	assert_ok(read_text("{\"colour\": \"blue\", \"on\": true}", set, NULL, &t));
	assert_int_equal(t.number, 6);
	assert_int_equal(t.seed, 7);
	assert_int_equal(t.colour, RED);
	assert_int_equal(t.count.times_k, 1);
	assert_string_equal(t.name, "01"); /* 01 is not JSON, so it is a string */
	assert_string_equal(t.list.item[0], "z");
	config_release(&table, &t);
	assert_ok(read_text("{\"a\": {\"number\": 3}, \"list\": \"one\"}", NULL, NULL,
			    &t)); /* a text becomes a list of one item */
	assert_int_equal(t.list.count, 1);
	assert_string_equal(t.list.item[0], "one");
	config_release(&table, &t);
	assert_err(read_text("{}", no_equals, NULL, &t), ERR_INPUT,
		   "--set a.number: expected path=value");
	assert_err(read_text("{\"on\": true}", through, NULL, &t), ERR_INPUT,
		   "--set on.x=1: a part of the path");
	assert_err(read_text("[1]", set, NULL, &t), ERR_INPUT,
		   "x.json: thing is an array, expected an object");
	assert_err(read_text("{}", bad, NULL, &t), ERR_INPUT, "thing.a.number is \"many\"");
}

TEST(test_precedence)
{
	static const struct config_preset presets[] = { { "a.number", "9" },
							{ "colour", "blue" },
							{ NULL, NULL } };
	struct thing t;

	assert_ok(read_text("{\"colour\": \"red\"}", NULL, presets, &t));
	assert_int_equal(t.number, 9);   /* a preset overrides the default */
	assert_int_equal(t.colour, RED); /* a given value overrides the preset */
	config_release(&table, &t);
}

TEST(test_difference)
{
	struct thing a, b;
	char text[128];

	assert_ok(read_text(full, NULL, NULL, &a));
	assert_ok(read_text(full, NULL, NULL, &b));
	assert_false(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	b.id[15] = 0xce;
	assert_true(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	assert_string_equal(text, "thing.id: \"00ff10a9000000000000000000000bcd\" here, "
				  "\"00ff10a9000000000000000000000bce\" there");
	memset(b.id, 0, sizeof(b.id));
	assert_true(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	assert_string_equal(text,
			    "thing.id: \"00ff10a9000000000000000000000bcd\" here, nothing there");
	b.order = 100;
	assert_true(config_difference(&table, &a, "here", &b, "there", text, sizeof(text)));
	assert_string_equal(text, "thing.order: \"auto\" here, 100 there");
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

TEST(test_describe_names_every_row)
{
	struct buf text = { 0 };

	config_describe(&table, &text);
	buf_add(&text, "", 1);
	for (size_t i = 0; i < table.count; i++)
		assert_non_null(strstr((char *)text.p, rows[i].path));
	assert_non_null(strstr((char *)text.p, "thing.order: h\n        a whole number from 0 to "
					       "100, or \"auto\"; default 5\n"));
	assert_non_null(strstr((char *)text.p, "thing.id: h\n        32 hexadecimal digits, "));
	buf_release(&text);
}

TEST(test_bytes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = { { "\"8G\"", 8589934592 },    { "\"1K\"", 1024 },   { "\"3M\"", 3145728 },
		      { "\"2T\"", 2199023255552 }, { "\"1000\"", 1000 }, { "5000", 5000 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[64];
		struct thing t;

		snprintf(text, sizeof(text), "{\"a\": {\"number\": 3}, \"room\": %s}",
			 cases[i].text);
		assert_ok(read_text(text, NULL, NULL, &t));
		assert_true(t.room == cases[i].bytes);
		config_release(&table, &t);
	}
}
