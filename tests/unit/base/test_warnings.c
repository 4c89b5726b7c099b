/* Tests the list of warnings of a job. */
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/warnings.h"
#include "tests/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The log line has the code and the number of the warning as fields, for programs. */
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

TEST(test_all_codes_have_texts)
{
	for (int w = 0; w < WARNINGS; w++)
		assert_true(warning_text[w].code && warning_text[w].cause &&
			    warning_text[w].remedy);
}
