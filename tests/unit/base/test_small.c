/* Tests small modules: errors, buffers, allocation and clock. */
#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/nearest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(test_sentence)
{
	char long_text[2 * ERR_DETAIL_MAX];

	assert_int_equal(err_set(ERR_PEER, "party %s left", "a"), ERR_PEER);
	assert_string_equal(err_detail(), "party a left");
	assert_int_equal(err_prefix(ERR_PEER, "step %d", 3), ERR_PEER);
	assert_string_equal(err_detail(), "step 3: party a left");
	err_set(ERR_JOB, "again: %s", err_detail()); /* the old error is an argument of err_set() */
	assert_string_equal(err_detail(), "again: step 3: party a left");
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = 0;
	err_set(ERR_JOB, "%s", long_text);
	assert_int_equal(strlen(err_detail()), ERR_DETAIL_MAX - 1);
	assert_string_equal(err_name(ERR_DEADLINE), "DEADLINE");
	assert_string_equal(err_name((enum err)99), "?");
	assert_string_equal(err_text(ERR_CANCELLED), "cancelled");
}

static void *other_thread(void *arg)
{
	(void)arg;
	if (strcmp(err_detail(), "") != 0)
		return arg;
	err_set(ERR_JOB, "from the other");
	return NULL;
}

TEST(test_sentence_is_per_thread)
{
	pthread_t thread;
	void *result = state;
	int mark;

	err_set(ERR_JOB, "from this");
	assert_int_equal(pthread_create(&thread, NULL, other_thread, &mark), 0);
	pthread_join(thread, &result);
	assert_null(result);
	assert_string_equal(err_detail(), "from this");
}

/* Cleaning up after an error may fail, too, and must not replace the message. */
TEST(test_save_and_restore)
{
	struct err_saved saved;

	saved = err_save(err_set(ERR_PEER, "party a left"));
	err_set(ERR_INPUT, "disk full");
	assert_int_equal(err_restore(&saved), ERR_PEER);
	assert_string_equal(err_detail(), "party a left");
	saved = err_save(ERR_OK);
	err_set(ERR_INPUT, "disk full");
	assert_int_equal(err_restore(&saved), ERR_OK);
	assert_string_equal(saved.why, "");
	assert_string_equal(err_detail(), "disk full");
}

/* At level debug an error gets a log line with the source file and line of its err_set(); at level
 * info it gets none. */
TEST(test_where_first_seen)
{
	char line[512] = "", expected[128];
	struct err_saved saved;
	int end[2], at;

	assert_int_equal(pipe2(end, O_NONBLOCK), 0);
	log_set_stream(end[1], false);
	log_set_level(LOG_INFO);
	err_set(ERR_JOB, "no sum");
	assert_int_equal(read(end[0], line, sizeof(line) - 1), -1);
	log_set_level(LOG_DEBUG);
	at = __LINE__ + 1;
	saved = err_save(err_set(ERR_JOB, "no sum"));
	assert_true(read(end[0], line, sizeof(line) - 1) > 0);
	snprintf(expected, sizeof(expected), "\"text\":\"no sum\",\"at\":\"%s:%d\"}\n", __FILE__,
		 at);
	assert_non_null(strstr(line, expected));
	err_prefix(err_restore(&saved), "level-1");
	assert_int_equal(read(end[0], line, sizeof(line) - 1),
			 -1); /* err_restore() and err_prefix() log nothing */
	log_set_level(LOG_INFO);
	log_set_stream(STDERR_FILENO, false);
	close(end[0]);
	close(end[1]);
}

TEST(test_buf)
{
	struct buf b = { 0 };
	char expected[2000] = "";

	buf_add(&b, NULL, 0);
	for (int i = 0; i < 300; i++) {
		buf_printf(&b, "%d,", i);
		sprintf(expected + strlen(expected), "%d,", i);
	}
	assert_int_equal(b.n, strlen(expected)); /* the terminator is not counted */
	assert_memory_equal(b.p, expected, b.n);
	buf_drop(&b, 4);
	assert_int_equal(b.n, strlen(expected) - 4);
	assert_memory_equal(b.p, expected + 4, b.n);
	buf_drop(&b, b.n);
	assert_int_equal(b.n, 0);
	buf_drop(&b, 0);
	memcpy(buf_extend(&b, 3), "abc", 3);
	buf_add_u32(&b, 0x01020304);
	assert_int_equal(b.n, 7);
	assert_memory_equal(b.p, "abc\1\2\3\4", 7);
	buf_release(&b);
	assert_true(!b.p && !b.n && !b.cap);
	buf_drop(&b, 0);
	buf_release(&b);
}

TEST(test_buf_decimal)
{
	static const uint64_t numbers[] = {
		0, 9, 10, 99, 100, 4294967295, 10000000000, UINT64_MAX
	};
	char expected[200] = "";
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		buf_decimal(&b, numbers[i]);
		sprintf(expected + strlen(expected), "%" PRIu64, numbers[i]);
	}
	assert_int_equal(b.n, strlen(expected));
	assert_memory_equal(b.p, expected, b.n);
	buf_release(&b);
}

/* Calls alloc() with sizes whose product overflows or exceeds the memory. The process must exit
 * with ERR_INTERNAL. */
static void alloc_too_much(size_t count, size_t size)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		free(alloc(count, size));
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), ERR_INTERNAL);
}

TEST(test_alloc)
{
	unsigned *a;
	char *text;

	ALLOC(a, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(a[i], 0);
	a[4] = 7;
	a = alloc_again(a, 50, sizeof(*a));
	assert_int_equal(a[4], 7);
	free(a);
	a = alloc(0, 8);
	assert_non_null(a);
	free(a);
	text = alloc_copy("text");
	assert_string_equal(text, "text");
	free(text);
	alloc_too_much(SIZE_MAX / 4 + 2, 4);
}

TEST(test_nearest)
{
	static const char *const known[] = { "clusters", "filter", "seed", "noise", "parties" };
	static const struct {
		const char *word, *said;
	} cases[] = {
		{ "filtre", " (did you mean filter?)" },
		{ "cluster", " (did you mean clusters?)" },
		{ "lcusetrs", " (did you mean clusters?)" },
		{ "sead", " (did you mean seed?)" },
		{ "seed", " (did you mean seed?)" },
		{ "deed", " (did you mean seed?)" },
		{ "sxyd", "" }, /* two of four letters differ */
		{ "ne", "" },
		{ "", "" },
		{ "partiesparties", "" },
		{ "clustersclustersclustersclustersclusters", "" },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		char text[NEAREST_LEN + 20];
		struct nearest n;

		nearest_begin(&n, cases[c].word);
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			nearest_offer(&n, known[i], strlen(known[i]));
		assert_string_equal(nearest_describe(&n, text), cases[c].said);
	}
}

TEST(test_clock)
{
	double a = clock_now_s(), b = clock_now_s();
	char date[32];

	assert_true(b >= a);
	clock_utc(date, sizeof(date));
	assert_int_equal(strlen(date), 24);
	assert_true(date[4] == '-' && date[10] == 'T' && date[19] == '.' && date[23] == 'Z');
}
