/* Refuses invalid settings with the right message, for every type of row. */
#include "tests/unit/base/thing.h"

struct refusal {
	const char *text, *message;
};

static void refuses(const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct thing t;

		print_message("%s\n", cases[i].text);
		assert_err(read_text(cases[i].text, NULL, NULL, &t), ERR_INPUT, cases[i].message);
		assert_null(t.name); /* no memory is owned after an error */
		assert_int_equal(t.list.count, 0);
	}
}

#define REFUSES(cases) refuses(cases, sizeof(cases) / sizeof(*(cases)))

/* Refuses values that are not objects, unknown keys, and a missing required key. */
TEST(test_refused_shapes)
{
	static const struct refusal cases[] = {
		{ "{}", "x.json: thing.a.number is missing, expected a whole number from 2 to 10 "
			"(a number)" },
		{ "[]", "x.json: thing is an array, expected an object" },
		{ "{\"a\": 3}", "thing.a is a number, expected an object" },
		{ "{\"a\": {\"number\": 3, \"nubmer\": 3}}",
		  "thing.a.nubmer is unknown (did you mean number?), expected one of: number, b, "
		  "ratio" },
		{ "{\"b\": 1}", "thing.b is unknown, expected one of: on, deep, a, share, bits," },
		{ "{\"a.number\": 3}", "thing.a.number is unknown" },
	};

	REFUSES(cases);
}

/* Refuses the removed keys and values of earlier releases. A value counts as removed only for the
 * key that had it. */
TEST(test_removed)
{
	static const struct refusal cases[] = {
		{ "{\"a\": {\"number\": 3, \"old\": 1}}",
		  "x.json: thing.a.old was removed after 1.0: use thing.a.number" },
		{ "{\"a\": {\"number\": 3}, \"whole\": {\"any\": {\"key\": 1}}}",
		  "x.json: thing.whole was removed after 1.1: leave it out" },
		{ "{\"a\": {\"number\": 3}, \"colour\": \"mauve\"}",
		  "x.json: thing.colour \"mauve\" was removed after 1.2: use \"red\"" },
		{ "{\"a\": {\"number\": 3}, \"colour\": \"pink\"}",
		  "thing.colour is \"pink\", expected one of" },
		{ "{\"a\": {\"number\": 3, \"old\": -0.25}}", "thing.a.old was removed after 1.0" },
		{ "{\"a\": {\"number\": 3, \"old\": \"0.5\"}}", "thing.a.old was removed after" },
		{ "{\"a\": {\"number\": 3}, \"whole\": {\"any\": false}}",
		  "thing.whole was removed after 1.1" },
		{ "{\"a\": {\"number\": 3}, \"whole\": {\"any\": true, \"more\": 1}}",
		  "thing.whole was removed after 1.1" },
		{ "{\"a\": {\"number\": 3}, \"word\": \"fancy\"}", "thing.word was removed" },
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", \"a/b\"]}",
		  "thing.list \"a/b\" was removed after 1.2: remove it" },
		{ "{\"old\": -0.5, \"a\": {\"number\": 3}}", "thing.old is unknown" },
		{ "{\"a\": {\"number\": 3}, \"mine\": 2}", "thing.mine was removed after 1.3" },
		{ "{\"a\": {\"number\": 3}, \"theirs\": 1}", "thing.theirs is unknown" },
		{ "{\"a\": {\"number\": 3}, \"theirs\": 2}", "thing.theirs is unknown" },
		{ "{\"a\": {\"number\": 3}, \"deep\": \"mauve\"}", "thing.deep is \"mauve\"" },
		{ "{\"a\": {\"number\": 3, \"share\": 1}}", "thing.a.share is unknown" },
		{ "{\"a\": {\"number\": 3}, \"old\": 1}", "thing.old is unknown" },
	};

	REFUSES(cases);
}

TEST(test_refused_numbers)
{
	static const struct refusal cases[] = {
		{ "{\"a\": {\"number\": 1}}",
		  "thing.a.number is 1, expected a whole number from 2 to 10" },
		{ "{\"a\": {\"number\": 11}}", "thing.a.number is 11," },
		{ "{\"a\": {\"number\": 2.5}}", "thing.a.number is 2.5," },
		{ "{\"a\": {\"number\": \"3\"}}", "thing.a.number is \"3\"," },
		{ "{\"a\": {\"number\": null}}", "thing.a.number is null," },
		/* a word is accepted only by rows that list it; a.number lists none */
		{ "{\"a\": {\"number\": \"auto\"}}", "thing.a.number is \"auto\"," },
		{ "{\"a\": {\"number\": 3, \"b\": {\"seed\": 9007199254740992}}}",
		  "thing.a.b.seed is" },
		{ "{\"a\": {\"number\": 3, \"b\": {\"seed\": -1}}}", "thing.a.b.seed is -1" },
		{ "{\"a\": {\"number\": 3, \"ratio\": 1.01}}",
		  "thing.a.ratio is 1.01, expected a number from 0 to 1" },
		{ "{\"a\": {\"number\": 3}, \"on\": 1}", "thing.on is 1, expected true or false" },
	};

	REFUSES(cases);
}

TEST(test_refused_words)
{
	static const struct refusal cases[] = {
		{ "{\"a\": {\"number\": 3}, \"deep\": true}",
		  "thing.deep is true, expected one of \"shallow\", \"deep\"" },
		{ "{\"a\": {\"number\": 3}, \"colour\": \"Red\"}",
		  "expected one of \"red\", \"green\", \"blue\"" },
		{ "{\"a\": {\"number\": 3}, \"bits\": \"huge\"}", "thing.bits is \"huge\"" },
	};

	REFUSES(cases);
}

TEST(test_refused_strings)
{
	static const struct refusal cases[] = {
		{ "{\"a\": {\"number\": 3}, \"name\": \"a b\"}",
		  "thing.name is \"a b\", expected a name" },
		{ "{\"a\": {\"number\": 3}, \"name\": \"\"}",
		  "expected a string of 1 to 64 bytes" },
		{ "{\"a\": {\"number\": 3}, \"maybe\": \"123456\"}",
		  "expected a string of 1 to 5 bytes" },
		{ "{\"a\": {\"number\": 3}, \"path\": \"\"}",
		  "thing.path is \"\", expected a path" },
	};

	REFUSES(cases);
}

TEST(test_refused_lists_and_maps)
{
	static const struct refusal cases[] = {
		{ "{\"a\": {\"number\": 3}, \"list\": []}",
		  "expected a string, or a list of 1 to 3" },
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", 2]}",
		  "thing.list[1] is 2, expected a string" },
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", \"a\"]}",
		  "thing.list[1] is \"a\", expected each string once" },
		{ "{\"a\": {\"number\": 3}, \"list\": [\"a\", \"/\"]}",
		  "thing.list[1] is \"/\", expected a name" },
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x\": 1}}",
		  "thing.map.x is 1, expected a string" },
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x y\": \"\"}}",
		  "thing.map: the key \"x y\" is not right" },
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x\": \"\", \"y\": \"\", \"z\": \"\"}}",
		  "thing.map is" },
		{ "{\"a\": {\"number\": 3}, \"map\": {\"x\": {\"is\": \"a\"}}}",
		  "thing.map.x is {\"is\":\"a\"}, expected a string" },
		{ "{\"a\": {\"number\": 3}, \"files\": {\"x\": {\"file\": \"a\"}}}",
		  "thing.files.x.is is missing" },
		{ "{\"a\": {\"number\": 3}, \"files\": {\"x\": {\"is\": \"a\", \"psk\": \"b\"}}}",
		  "thing.files.x.psk is unknown, expected one of: is, file" },
		{ "{\"a\": {\"number\": 3}, \"files\": {\"x\": {\"is\": \"a\", \"file\": 3}}}",
		  "thing.files.x.file is 3, expected a path" },
		{ "{\"a\": {\"number\": 3}, \"files\": {\"x\": {\"is\": \"a\", \"file\": \"\"}}}",
		  "thing.files.x.file is \"\", expected a path" },
		{ "{\"a\": {\"number\": 3}, \"files\": {\"x\": {\"is\": \"/\", \"file\": 3}}}",
		  "thing.files.x.is is \"/\", expected a name" },
		{ "{\"a\": {\"number\": 3}, \"files\": {\"x\": [1]}}",
		  "thing.files.x is [1], expected a string, or an object" },
	};

	REFUSES(cases);
}

/* Refuses values of rows that take a number, a multiple of k, a range or a word. */
TEST(test_refused_counts)
{
	static const struct refusal cases[] = {
		{ "{\"a\": {\"number\": 3}, \"count\": 1}",
		  "thing.count is 1, expected a whole number from 2 to 100, or a multiple" },
		{ "{\"a\": {\"number\": 3}, \"count\": \"0k\"}", "thing.count is \"0k\"" },
		{ "{\"a\": {\"number\": 3}, \"range\": 101}",
		  "thing.range is 101, expected a whole number from 2 to 100, or {\"from\": .., "
		  "\"to\": ..} of two" },
		{ "{\"a\": {\"number\": 3}, \"range\": {\"from\": 3, \"to\": 3}}",
		  "thing.range is {\"from\":3,\"to\":3}, expected" },
		{ "{\"a\": {\"number\": 3}, \"range\": {\"from\": 1, \"to\": 3}}",
		  "thing.range is {\"from\":1,\"to\":3}, expected" },
		{ "{\"a\": {\"number\": 3}, \"range\": {\"from\": 2, \"to\": 66}}",
		  "such numbers, the second larger by 1 to 63" },
		{ "{\"a\": {\"number\": 3}, \"range\": {\"from\": 2, \"to\": 4.5}}",
		  "thing.range is {" },
		{ "{\"a\": {\"number\": 3}, \"range\": {\"from\": 2}}",
		  "thing.range.to is missing" },
		{ "{\"a\": {\"number\": 3}, \"range\": {\"from\": 2, \"to\": 4, \"by\": 2}}",
		  "thing.range.by is unknown, expected one of: from, to" },
		{ "{\"a\": {\"number\": 3}, \"range\": [2, 4]}", "thing.range is [2,4], expected" },
		{ "{\"a\": {\"number\": 3}, \"count\": \"65k\"}", "thing.count is \"65k\"" },
		{ "{\"a\": {\"number\": 3}, \"count\": \"2kk\"}", "thing.count is \"2kk\"" },
		{ "{\"a\": {\"number\": 3}, \"count\": \"local\"}", "thing.count is \"local\"" },
		{ "{\"a\": {\"number\": 3}, \"count\": \"99999999999999999999k\"}",
		  "thing.count is" },
		{ "{\"a\": {\"number\": 3}, \"order\": \"Auto\"}",
		  "thing.order is \"Auto\", expected a whole number from 0 to 100, or \"auto\"" },
		{ "{\"a\": {\"number\": 3}, \"order\": 101}", "thing.order is 101," },
		/* the number that the struct holds for "auto" is not a valid setting */
		{ "{\"a\": {\"number\": 3}, \"order\": 4294967295}", "thing.order is 4294967295," },
	};

	REFUSES(cases);
}

#define ID(text) "{\"a\": {\"number\": 3}, \"id\": \"" text "\"}"

TEST(test_refused_ids)
{
	static const struct refusal cases[] = {
		{ ID("0123456789abcdef0123456789abcde"),
		  "thing.id is \"0123456789abcdef0123456789abcde\", expected 32 hexadecimal "
		  "digits" },
		{ ID("0123456789abcdef0123456789abcdef0"), "thing.id is" },
		{ ID("0123456789abcdef0123456789abcdeF"), "thing.id is" },
		{ ID("0123456789abcdef0123456789abcde "), "thing.id is" },
		{ ID(""), "thing.id is \"\"" },
		{ ID("00000000000000000000000000000000"), "not all 0" },
		{ ID("0123456789abcdef0123456789abcdefg"), "thing.id is" },
		{ "{\"a\": {\"number\": 3}, \"id\": 12}", "thing.id is 12" },
	};

	REFUSES(cases);
}

#define ROOM(value) "{\"a\": {\"number\": 3}, \"room\": " value "}"

TEST(test_refused_bytes)
{
	static const struct refusal cases[] = {
		{ ROOM("\"8GB\""),
		  "thing.room is \"8GB\", expected bytes, a whole number from 1 to" },
		{ ROOM("\"8g\""), "such as \"8G\"" },
		{ ROOM("\"\""), "thing.room is \"\"" },
		{ ROOM("\"G\""), "thing.room is" },
		{ ROOM("\"0G\""), "thing.room is" },
		{ ROOM("\"-1G\""), "thing.room is" },
		{ ROOM("\" 8G\""), "thing.room is" },
		{ ROOM("\"1.5G\""), "thing.room is" },
		{ ROOM("\"9000T\""), "thing.room is" },
		{ ROOM("\"99999999999999999999999999999999999\""), "thing.room is" },
		{ ROOM("0"), "thing.room is 0" },
		{ ROOM("1.5"), "thing.room is 1.5" },
		{ ROOM("true"), "thing.room is true" },
	};

	REFUSES(cases);
}
