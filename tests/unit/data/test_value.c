/* Messages hide values of the data until values_show() is called; only the program `coterie` calls
 * it. */
#define TEST_VALUES_HIDDEN
#include "tests/test.h"

#include "common/data/ids.h"
#include "common/data/text.h"
#include "common/data/value.h"

#include <string.h>

static struct bytes of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

/* This test must run before the next: values_show() cannot be undone. */
TEST(test_hidden)
{
	struct text t = text_open(of("x\n"), "f.tsv");
	struct ids ids;
	double x;

	assert_string_equal(value_text("DE89 3704", 9).s, "(not shown)");
	assert_string_equal(value_number(3.25).s, "(not shown)");
	assert_err(text_number(&t, &x), ERR_INPUT, "f.tsv:1: (not shown) is not a finite number");
	assert_err(ids_parse(of("ann\nann\n"), "ids.txt", &ids), ERR_INPUT,
		   "ids.txt:2: the id (not shown) is given twice, first on line 1");
}

TEST(test_shown)
{
	const char *text = "0123456789012345678901234567890123456789";

	values_show();
	assert_string_equal(value_text("DE89\n3704", 9).s, "\"DE89?3704\"");
	assert_string_equal(value_text(NULL, 0).s, "\"\"");
	assert_string_equal(value_text(text, 39).s, "\"012345678901234567890123456789012345678\"");
	assert_string_equal(value_text("01234567890123456789012345678901234567890", 41).s,
			    "\"0123456789012345678901234567890123456789..\"");
	assert_string_equal(value_number(3.25).s, "3.25");
	assert_string_equal(value_number(0.1).s, "0.1");
}
