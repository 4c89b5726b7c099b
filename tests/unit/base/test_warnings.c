/* A job's list of warnings, and docs/OPERATIONS.md's table of their codes, which
 *
 *     COTERIE_WRITE_WARNINGS=1 build/plain/tests/unit/base/test_warnings
 *
 * writes anew. */
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/warnings.h"
#include "tests/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE  "docs/OPERATIONS.md"
#define BEGIN "<!-- warnings -->\n"
#define END   "<!-- end of warnings -->\n"

enum { PAGE_MAX = 1 << 20 };

static void *of_another_thread(void *arg)
{
	(void)arg;
	warnings_add(WARNING_DEGREES, 1, "another thread's");
	return NULL;
}

TEST(test_list_of_this_thread)
{
	struct warnings w = { 0 };
	pthread_t other;

	warnings_add(WARNING_DEGREES, 1, "before there is a list");
	warnings_begin(&w);
	assert_int_equal(pthread_create(&other, NULL, of_another_thread, NULL), 0);
	pthread_join(other, NULL);
	assert_int_equal(w.count, 0);
	warnings_add(WARNING_K_AT_END, 7, "k = %d", 7);
	warnings_add(WARNING_NO_FEATURES, 0, "none");
	warnings_add(WARNING_K_AT_END, 8, "again");
	warnings_begin(NULL);
	warnings_add(WARNING_DEGREES, 1, "after it");
	assert_int_equal(w.count, 2);
	assert_int_equal(w.said[0].what, WARNING_K_AT_END);
	assert_string_equal(w.said[0].sentence, "k = 7: widen the range at that end");
	assert_true(w.said[0].number == 7 && w.said[1].what == WARNING_NO_FEATURES);
	warnings_release(&w);
	assert_int_equal(w.count, 0);
}

/* For programs that read the log: the code and the number beside the sentence. */
TEST(test_log_has_code_and_number)
{
	char path[] = "/tmp/coterie-warnings-XXXXXX";
	struct buf text = { 0 };
	int fd = mkstemp(path);

	log_init("test", LOG_WARN);
	log_set_stream(fd, false);
	warnings_add(WARNING_MODULARITY, 0.25, "low");
	log_set_stream(STDERR_FILENO, false);
	close(fd);
	assert_ok(file_read(path, 10000, &text));
	unlink(path);
	buf_add(&text, "", 1);
	assert_non_null(strstr((const char *)text.p, "\"level\":\"warn\""));
	assert_non_null(
	    strstr((const char *)text.p, "\"text\":\"low: there may be no communities"));
	assert_non_null(
	    strstr((const char *)text.p, "\"code\":\"modularity_low\",\"number\":0.25"));
	buf_release(&text);
}

static void write_page(const char *page, const char *begin, const char *end,
		       const struct buf *table)
{
	FILE *f = fopen(PAGE, "w");

	assert_non_null(f);
	fprintf(f, "%.*s%.*s%s", (int)(begin - page), page, (int)table->n, (const char *)table->p,
		end);
	assert_int_equal(fclose(f), 0);
}

TEST(test_page_has_all_codes)
{
	struct buf page = { 0 }, table = { 0 };
	const char *begin, *end;

	if (file_read(PAGE, PAGE_MAX, &page) != ERR_OK)
		skip(); /* not run from the root of the repository */
	buf_add(&page, "", 1);
	begin = strstr((const char *)page.p, BEGIN);
	end = begin ? strstr(begin, END) : NULL;
	assert_non_null(end);
	begin += strlen(BEGIN);
	buf_printf(&table, "| code | cause | what to do |\n| --- | --- | --- |\n");
	for (int w = 0; w < WARNINGS; w++)
		buf_printf(&table, "| `%s` | %s | %s |\n", warning_text[w].code,
			   warning_text[w].cause, warning_text[w].remedy);
	if (getenv("COTERIE_WRITE_WARNINGS"))
		write_page((const char *)page.p, begin, end, &table);
	else if ((size_t)(end - begin) != table.n || memcmp(begin, table.p, table.n))
		fail_msg("%s, between %.*s and its end, expected:\n%.*s", PAGE,
			 (int)strlen(BEGIN) - 1, BEGIN, (int)table.n, (const char *)table.p);
	buf_release(&page);
	buf_release(&table);
}
