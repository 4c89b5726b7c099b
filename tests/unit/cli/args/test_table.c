/* Formats tables for terminals of several widths. */
#include "tests/test.h"

#include "cli/args/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const heads[] = { "check", ">days", "what to do" };

/* Returns the table of these tests, formatted for `width` characters. */
static char *shown(size_t width)
{
	struct table *t = table_new(heads, 3);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	table_cell(t, "certificate");
	table_cell(t, "%d", 7);
	table_cell(t, "have it renewed, put it in place, send SIGHUP");
	table_cell(t, "caf\xc3\xa9\x1b[2J");
	table_cell(t, "%d", 825);
	table_cell(t, "%s", "");
	table_cell(t, "a row that is not whole");
	table_print(t, f, width);
	table_free(t);
	fclose(f);
	return text;
}

static void expect(size_t width, const char *text)
{
	char *got = shown(width);

	assert_string_equal(got, text);
	free(got);
}

TEST(test_wide_enough)
{
	expect(80, "check        days  what to do\n"
		   "certificate     7  have it renewed, put it in place, send SIGHUP\n"
		   "caf\xc3\xa9?[2J      825\n");
}

TEST(test_texts_wrap)
{
	expect(40, "check        days  what to do\n"
		   "certificate     7  have it renewed, put\n"
		   "                   it in place, send\n"
		   "                   SIGHUP\n"
		   "caf\xc3\xa9?[2J      825\n");
}

TEST(test_blocks)
{
	expect(25, "certificate\n"
		   "  days: 7\n"
		   "  what to do: have it\n"
		   "    renewed, put it in\n"
		   "    place, send SIGHUP\n"
		   "caf\xc3\xa9?[2J\n"
		   "  days: 825\n");
}

/* At any width no line is longer than the width, and the last word of the longest cell is there. */
TEST(test_no_line_is_longer)
{
	for (size_t width = 20; width < 90; width++) {
		char *text = shown(width);
		size_t words = 0;

		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			size_t n = 0;

			for (const char *s = line; *s; s++)
				n += ((unsigned char)*s & 0xc0) != 0x80;
			assert_in_range(n, 1, width);
			words += strstr(line, "SIGHUP") != NULL;
		}
		assert_int_equal(words, 1);
		free(text);
	}
}

TEST(test_width)
{
	setenv("COLUMNS", "44", 1);
	assert_int_equal(table_width(), 44);
	setenv("COLUMNS", "3", 1);
	assert_int_equal(table_width(), 20);
	setenv("COLUMNS", "none", 1);
	assert_int_equal(table_width(), 80);
}
