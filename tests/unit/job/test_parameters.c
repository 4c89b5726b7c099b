/* proto/PROTOCOL.md has the parameters of each kind in the order of the effective job, which
 * parties hash.
 *
 *     COTERIE_WRITE_PARAMETERS=1 build/plain/tests/unit/job/test_parameters
 *
 * writes that part of the page anew, after a change of a table. */
#include "common/base/file.h"
#include "common/job/job.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE  "proto/PROTOCOL.md"
#define BEGIN "<!-- parameters -->\n"
#define END   "<!-- end of parameters -->\n"

enum { COLUMNS = 100, PAGE_MAX = 1 << 20 };

/* One word more, on a line of its own where this one is full. */
static void put_word(struct buf *text, size_t *column, const char *word, size_t n)
{
	if (*column && *column + 1 + n > COLUMNS) {
		buf_printf(text, "\n");
		*column = 0;
	}
	buf_printf(text, "%s%.*s", *column ? " " : "    ", (int)n, word);
	*column += (*column ? 1 : 4) + n;
}

/* Of job_describe(): kind "X", and for each parameter job.PATH: and a line that ends in "optional"
 * or not. */
static void expected_block(struct buf *text)
{
	struct buf described = { 0 };
	size_t column = 0;
	char *rest, *line;

	job_describe(&described);
	buf_add(&described, "", 1);
	rest = (char *)described.p;
	while ((line = strsep(&rest, "\n"))) {
		char word[128];

		if (sscanf(line, "kind \"%100[^\"]", word) == 1) {
			buf_printf(text, "%s\n**%s**\n\n", column ? "\n" : "", word);
			column = 0;
		} else if (sscanf(line, "job.%100[^:]", word) == 1) {
			if (strstr(rest, "; optional") &&
			    strstr(rest, "; optional") < strchr(rest, '\n'))
				strcat(word, "?");
			put_word(text, &column, word, strlen(word));
		}
	}
	buf_printf(text, "\n\n");
	buf_release(&described);
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

static void test_page_has_all_in_order(void **state)
{
	struct buf page = { 0 }, block = { 0 };
	const char *begin, *end;

	(void)state;
	if (file_read(PAGE, PAGE_MAX, &page) != ERR_OK)
		skip(); /* not run from the root of the repository */
	buf_add(&page, "", 1);
	begin = strstr((const char *)page.p, BEGIN);
	end = begin ? strstr(begin, END) : NULL;
	assert_non_null(end);
	begin += strlen(BEGIN);
	expected_block(&block);
	if (getenv("COTERIE_WRITE_PARAMETERS"))
		write_page((const char *)page.p, begin, end, &block);
	else if ((size_t)(end - begin) != block.n || memcmp(begin, block.p, block.n))
		fail_msg("%s, between %.*s and its end, expected:\n%.*s", PAGE,
			 (int)strlen(BEGIN) - 1, BEGIN, (int)block.n, (const char *)block.p);
	buf_release(&page);
	buf_release(&block);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_page_has_all_in_order) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
