/* Reads numbers as strtod() does, and refuses all that are not finite. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/base/rng.h"
#include "common/data/text.h"

#include <stdio.h>

static bool number(const char *text, double *x)
{
	struct bytes b = exact_text(text);
	bool ok = word_number((struct word){ (const char *)b.p, b.n }, x);

	free((void *)(uintptr_t)b.p);
	return ok;
}

static void same_as_strtod(const char *text)
{
	double x = -1, y = strtod(text, NULL);

	if (!number(text, &x) || memcmp(&x, &y, sizeof(x)))
		fail_msg("\"%s\": %.17g, expected %.17g", text, x, y);
}

TEST(test_numbers_by_hand)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"1",
		"-1.5",
		"+2",
		".5",
		"5.",
		"1e3",
		"1E3",
		"1e-3",
		"0.1",
		"1e308",
		"123456789012345",
		"1234567890123456",
		"0.000000000000001",
		"1e23",
		"9007199254740993",
		"2.2250738585072014e-308",
		"5e-324",
		"1e-400",
		"00012.500",
		"0.30000000000000004",
		"179769313486231570000000000000000000000000000",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		same_as_strtod(texts[i]);
}

TEST(test_random)
{
	static const char *const formats[] = { "%.17g", "%.15g", "%.6f", "%g", "%.3e", "%.15f" };
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (int i = 0; i < 200000; i++) {
		double x = rng_normal(&rng) * (i % 3 ? 1 : 1e10);
		char text[64];

		snprintf(text, sizeof(text), formats[i % 6], x);
		same_as_strtod(text);
	}
}

TEST(test_refused)
{
	static const char *const texts[] = {
		"",
		"-",
		"+",
		".",
		"nan",
		"NaN",
		"inf",
		"-Infinity",
		"1e999",
		"-1e999",
		"0x10",
		"1e",
		"1,5",
		"1 2",
		"1.2.3",
		"--1",
		"1e+",
		"1_000",
		"1f",
		"one",
		"0000000000000000000000000000000000000000000000000000000000000001",
	};
	double x;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (number(texts[i], &x))
			fail_msg("\"%s\" was read as %g", texts[i], x);
	}
}

TEST(test_whole_numbers)
{
	static const struct {
		const char *text;
		bool ok;
	} cases[] = { { "0", true },
		      { "007", true },
		      { "999999999999999999", true },
		      { "1000000000000000000", false },
		      { "-1", false },
		      { "+1", false },
		      { "1.0", false },
		      { "", false } };
	uint64_t x;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
		    word_whole((struct word){ cases[i].text, strlen(cases[i].text) }, &x),
		    cases[i].ok);
}

TEST(test_splits_into_lines)
{
	struct bytes b = exact_text("# c\n\n \t\r\n 1  2\r\n#\n3 x");
	struct text t = text_open(b, "f.txt");
	uint64_t x;
	double d;

	assert_true(text_line(&t, '#'));
	assert_int_equal(t.line, 4);
	assert_ok(text_whole(&t, 0, 9, "it", &x));
	assert_int_equal(x, 1);
	assert_err(text_end(&t), ERR_INPUT, "f.txt:4: \"2\" is more than expected");
	assert_ok(text_end(&t));
	assert_true(text_line(&t, '#'));
	assert_int_equal(t.line, 6);
	assert_err(text_whole(&t, 4, 9, "it", &x), ERR_INPUT,
		   "f.txt:6: it is \"3\", expected a whole number from 4 to 9");
	assert_err(text_number(&t, &d), ERR_INPUT, "f.txt:6: \"x\" is not a finite number");
	assert_err(text_number(&t, &d), ERR_INPUT,
		   "f.txt:6: the line ends where a number is expected");
	assert_false(text_line(&t, '#'));
	free((void *)(uintptr_t)b.p);
}
