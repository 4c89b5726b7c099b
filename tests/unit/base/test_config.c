/* A table with a row of each type; what goes in comes out, and readers have rows of their own. */
#include "tests/unit/base/thing.h"

static void test_defaults(void **state)
{
	struct thing t;

	(void)state;
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
    "\"colour\":\"blue\",\"list\":[\"u\",\"v\"],\"map\":{\"k\":\"w\"},\"count\":\"3k\",\"dims\":7,"
    "\"order\":\"auto\",\"id\":\"00ff10a9000000000000000000000bcd\"}";

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

static void test_written_as_read(void **state)
{
	static const uint8_t id[CONFIG_ID_LEN] = { 0x00, 0xff, 0x10, 0xa9, [14] = 0x0b, 0xcd };
	struct thing t;

	(void)state;
	assert_ok(read_text(full, NULL, NULL, &t));
	assert_int_equal(t.dims.fixed, 7);
	assert_int_equal(t.order, CONFIG_WORD);
	assert_memory_equal(t.id, id, sizeof(id));
	assert_string_equal(config_map_get(&t.map, "k"), "w");
	assert_null(config_map_get(&t.map, "w"));
	assert_written(&table, &t, full);
	config_release(&table, &t);
}

/* What was not given cannot be read again as what stands in for it, where that is out of bounds. */
static void test_nothing_is_written_of_what_was_not_given(void **state)
{
	struct thing t;
	struct buf out = { 0 };
	struct json *root;

	(void)state;
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

static void test_describe_names_every_row(void **state)
{
	struct buf text = { 0 };

	(void)state;
	config_describe(&table, &text);
	buf_add(&text, "", 1);
	for (size_t i = 0; i < table.count; i++)
		assert_non_null(strstr((char *)text.p, rows[i].path));
	assert_non_null(strstr((char *)text.p, "thing.order: h\n        a whole number from 0 to "
					       "100, or \"auto\"; default 5\n"));
	assert_non_null(strstr((char *)text.p, "thing.id: h\n        32 hexadecimal digits, "));
	buf_release(&text);
}

/* ---- one table, several readers ---- */

struct pet {
	unsigned age, wings, lives;
	char *song;
};

enum { BIRD = 1, CAT = 2, FISH = 4 };
#define PET(f) offsetof(struct pet, f)
static const struct config_row pet_rows[] = {
	{ "age", CONFIG_UNSIGNED, PET(age), 0, 50, .help = "h" },
	{ "body.wings", CONFIG_UNSIGNED, PET(wings), 0, 2, .help = "h", .readers = BIRD },
	{ "body.lives", CONFIG_UNSIGNED, PET(lives), 1, 9, "9", .help = "h", .readers = CAT },
	{ "song", CONFIG_STRING, PET(song), 1, 9, "tweet", .help = "h", .readers = BIRD | CAT },
};

static struct config_table pets(unsigned reader)
{
	return (struct config_table){ "pet", pet_rows, sizeof(pet_rows) / sizeof(*pet_rows),
				      sizeof(struct pet), reader };
}

static enum err read_pet(unsigned reader, const char *text, struct pet *p)
{
	struct config_table t = pets(reader);
	struct json *root;
	enum err e;

	assert_ok(json_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, "p", &root));
	e = config_read(&t, root, "p.json", NULL, NULL, p);
	json_free(root);
	return e;
}

static void test_readers_know_their_rows(void **state)
{
	static const bool known[][4] = { { true, true, false, true },
					 { true, false, true, true },
					 { true, false, false, false },
					 { true, true, true, true } };
	static const unsigned reader[] = { BIRD, CAT, FISH, 0 };

	(void)state;
	for (size_t r = 0; r < 4; r++) {
		struct config_table t = pets(reader[r]);
		struct buf text = { 0 };

		config_describe(&t, &text);
		buf_add(&text, "", 1);
		for (size_t i = 0; i < 4; i++) {
			bool described = strstr((char *)text.p, pet_rows[i].path) != NULL;

			assert_int_equal(config_knows(&t, &pet_rows[i]), known[r][i]);
			assert_int_equal(described, known[r][i]);
		}
		buf_release(&text);
	}
}

static void test_readers_read_and_write_their_rows(void **state)
{
	struct config_table bird = pets(BIRD), cat = pets(CAT), fish = pets(FISH);
	struct pet p;

	(void)state;
	assert_ok(read_pet(BIRD, "{\"age\": 3, \"body\": {\"wings\": 2}}", &p));
	assert_int_equal(p.lives, 0); /* not a bird's, so no default either */
	assert_written(&bird, &p, "{\"age\":3,\"body\":{\"wings\":2},\"song\":\"tweet\"}");
	config_release(&bird, &p);
	assert_ok(read_pet(CAT, "{\"age\": 3}", &p)); /* wings are required of birds alone */
	assert_written(&cat, &p, "{\"age\":3,\"body\":{\"lives\":9},\"song\":\"tweet\"}");
	config_release(&cat, &p);
	assert_ok(read_pet(FISH, "{\"age\": 3}", &p));
	assert_null(p.song);
	assert_written(&fish, &p, "{\"age\":3}");
	config_release(&fish, &p);
}

static void test_readers_refuse_rows_of_others(void **state)
{
	static const struct {
		unsigned reader;
		const char *text, *message;
	} cases[] = {
		/* 0 */
		{ BIRD, "{\"age\": 3, \"body\": {\"wings\": 2, \"lives\": 9}}",
		  "p.json: pet.body.lives is unknown, expected one of: wings" },
		/* 1 */
		{ CAT, "{\"age\": 3, \"body\": {\"wings\": 2}}",
		  "p.json: pet.body.wings is unknown, expected one of: lives" },
		/* 2: not even the object is there */
		{ FISH, "{\"age\": 3, \"body\": {}}",
		  "p.json: pet.body is unknown, expected one of: age" },
		/* 3 */
		{ FISH, "{\"age\": 3, \"song\": \"blub\"}",
		  "p.json: pet.song is unknown, expected one of: age" },
		/* 4 */ { BIRD, "{\"age\": 3}", "p.json: pet.body.wings is missing" },
		/* 5 */
		{ CAT, "{\"years\": 3}", "pet.years is unknown, expected one of: age, body, song" },
		/* 6 */
		{ 0, "{\"years\": 3}", "pet.years is unknown, expected one of: age, body, song" },
	};
	struct pet p;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *end;

		print_message("case %zu\n", i);
		assert_err(read_pet(cases[i].reader, cases[i].text, &p), ERR_INPUT,
			   cases[i].message);
		end = strstr(err_detail(), "one of: ");
		if (end) /* the list ends there, too */
			assert_string_equal(end, strstr(cases[i].message, "one of: "));
		assert_null(p.song);
	}
}

/* What one reader does not know does not make two differ for it. */
static void test_readers_differ_in_their_rows(void **state)
{
	struct config_table bird = pets(BIRD), cat = pets(CAT);
	struct pet a = { 3, 2, 9, NULL }, b = { 3, 1, 9, NULL };
	char text[128];

	(void)state;
	assert_true(config_difference(&bird, &a, "here", &b, "there", text, sizeof(text)));
	assert_string_equal(text, "pet.body.wings: 2 here, 1 there");
	assert_false(config_difference(&cat, &a, "here", &b, "there", text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_written_as_read),
		cmocka_unit_test(test_nothing_is_written_of_what_was_not_given),
		cmocka_unit_test(test_comments_are_skipped),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_describe_names_every_row),
		cmocka_unit_test(test_readers_know_their_rows),
		cmocka_unit_test(test_readers_read_and_write_their_rows),
		cmocka_unit_test(test_readers_refuse_rows_of_others),
		cmocka_unit_test(test_readers_differ_in_their_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
