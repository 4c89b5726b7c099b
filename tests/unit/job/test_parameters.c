/* docs/reference/schemas.md lists the parameters of each kind in the order of the effective job,
 * with the defaults that offers omit.
 *
 *     COTERIE_WRITE_PARAMETERS=1 build/plain/tests/unit/job/test_parameters
 *
 * rewrites that part of the page after a change of a table. It refuses if a default changed within
 * a schema, or a key was removed without a row in common/job/removed.c. Otherwise releases with
 * that schema would silently compute something else. */
#include "common/base/file.h"
#include "common/job/job.h"
#include "common/job/removed.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE  "docs/reference/schemas.md"
#define BEGIN "<!-- parameters -->\n"
#define END   "<!-- end of parameters -->\n"

enum { COLUMNS = 100, PAGE_MAX = 1 << 20 };

/* Appends a word, on a new line if this line is full. */
static void put_word(struct buf *text, size_t *column, const char *word, size_t n)
{
	if (*column && *column + 1 + n > COLUMNS) {
		buf_printf(text, "\n");
		*column = 0;
	}
	buf_printf(text, "%s%.*s", *column ? " " : "    ", (int)n, word);
	*column += (*column ? 1 : 4) + n;
}

/* Formats the text of job_describe(): kind "X", schema N, and for each parameter job.PATH: with a
 * line that ends in "required", "optional" or its default. */
static void expected_block(struct buf *text)
{
	struct buf described = { 0 };
	size_t column = 0;
	char *rest, *line;

	job_describe(&described, true);
	buf_add(&described, "", 1);
	rest = (char *)described.p;
	while ((line = strsep(&rest, "\n"))) {
		char word[128], given[256];
		unsigned schema;

		if (sscanf(line, "kind \"%100[^\"]\", schema %u", word, &schema) == 2) {
			buf_printf(text, "%s\n**%s**, schema %u\n\n", column ? "\n" : "", word,
				   schema);
			column = 0;
		} else if (sscanf(line, "job.%100[^:]", word) == 1) {
			const char *expected = strsep(&rest, "\n");
			const char *standard = strstr(expected, "; default ");

			snprintf(given, sizeof(given), "%s%s%s", word,
				 strstr(expected, "; optional") ? "?"
				 : standard                     ? "="
								: "",
				 standard ? standard + strlen("; default ") : "");
			put_word(text, &column, given, strlen(given));
		}
	}
	buf_printf(text, "\n\n");
	buf_release(&described);
}

/* Returns the words from `at` up to the next kind; the caller frees them. */
static char *words_of_kind(const char *at)
{
	const char *end = strstr(at, "\n**");
	char *words = end ? strndup(at, (size_t)(end - at)) : strdup(at);

	assert_non_null(words);
	return words;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at++)
		if (at > words && strchr(" \n", at[-1]) && strchr(" \n", at[n]))
			return true;
	return false;
}

/* Returns whether this key was removed properly: its default still applies, and other values are
 * refused by name. */
static bool is_removed(const char *word, const char *new_words)
{
	size_t n = strcspn(word, "=?");
	const char *standard = word[n] == '=' ? word + n + 1 : NULL;
	bool gone = false, holds = !standard;
	char path[160];

	snprintf(path, sizeof(path), "job.%.*s", (int)n, word);
	for (const char *at = new_words; (at = strstr(at, path + 4)); at++)
		if (at > new_words && strchr(" \n", at[-1]) && strchr("=? \n", at[n]))
			return false; /* the key still exists with another default */
	for (const struct config_removed *r = removed_keys; r->path; r++) {
		gone |= !r->value && !strcmp(r->path, path);
		holds |=
		    standard && !r->use && !strcmp(r->path, path) && !strcmp(r->value, standard);
	}
	return gone && holds;
}

/* Checks that each default of the page is still that of the table, unless the schema is new or the
 * key was removed properly. */
static void check_pinned(const char *old, const char *now)
{
	for (const char *at = old; (at = strstr(at, "\n**")); at++) {
		const char *line_end = strchr(at + 1, '\n'), *same;
		char heading[160], *words, *rest, *new_words, *word;

		snprintf(heading, sizeof(heading), "%.*s\n", (int)(line_end - at), at);
		same = strstr(now, heading);
		if (!same) /* the schema is new */
			continue;
		rest = words = words_of_kind(line_end);
		new_words = words_of_kind(same + strlen(heading) - 1);
		while ((word = strsep(&rest, " \n")))
			if (*word && !has_word(new_words, word) && !is_removed(word, new_words))
				fail_msg(
				    "%.*s: %s is no longer so: keep the row's default, and give "
				    "another as a preset; or raise the kind's schema",
				    (int)(line_end - at - 1), at + 1, word);
		free(words);
		free(new_words);
	}
}

static void write_page(const char *page, const char *begin, const char *end,
		       const struct buf *block)
{
	FILE *f = fopen(PAGE, "w");

	assert_non_null(f);
	fprintf(f, "%.*s%.*s%s", (int)(begin - page), page, (int)block->n, (const char *)block->p,
		end);
	assert_int_equal(fclose(f), 0);
}

TEST(test_page_has_all_in_order)
{
	struct buf page = { 0 }, block = { 0 };
	const char *begin, *end;
	char *old;

	if (file_read(PAGE, PAGE_MAX, &page) != ERR_OK)
		skip(); /* not run from the root of the repository */
	buf_add(&page, "", 1);
	begin = strstr((const char *)page.p, BEGIN);
	end = begin ? strstr(begin, END) : NULL;
	assert_non_null(end);
	begin += strlen(BEGIN);
	expected_block(&block);
	buf_add(&block, "", 1);
	block.n--;
	old = strndup(begin, (size_t)(end - begin));
	assert_non_null(old);
	check_pinned(old, (const char *)block.p);
	free(old);
	if (getenv("COTERIE_WRITE_PARAMETERS"))
		write_page((const char *)page.p, begin, end, &block);
	else if ((size_t)(end - begin) != block.n || memcmp(begin, block.p, block.n))
		fail_msg("the tables differ from %s, below %.*s; if that is meant: "
			 "COTERIE_WRITE_PARAMETERS=1 and this test again, then look at git diff",
			 PAGE, (int)strlen(BEGIN) - 1, BEGIN);
	buf_release(&page);
	buf_release(&block);
}
