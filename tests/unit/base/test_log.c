/* Tests log lines in a file, in the formats for users and for programs. */
#include "tests/test.h"

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/coterie-test-log-XXXXXX", sink[] = "/tmp/coterie-test-sink-XXXXXX";
static int fd;

static int set_up(void **state)
{
	int sink_fd;

	(void)state;
	strcpy(strrchr(path, '-'), "-XXXXXX");
	strcpy(strrchr(sink, '-'), "-XXXXXX");
	fd = mkstemp(path);
	sink_fd = mkstemp(sink);
	close(sink_fd);
	log_init("hub", LOG_INFO);
	return fd < 0 || sink_fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	log_close();
	log_set_stream(STDERR_FILENO, false);
	close(fd);
	unlink(path);
	unlink(sink);
	return 0;
}

static char *contents(const char *of)
{
	struct buf b = { 0 };

	assert_ok(file_read(of, 1 << 20, &b));
	return (char *)b.p;
}

/* Returns line n (from 0) as JSON; the caller frees it. */
static struct json *line(const char *text, size_t n)
{
	struct json *v;

	while (n--)
		text = strchr(text, '\n') + 1;
	assert_ok(
	    json_parse((struct bytes){ (const uint8_t *)text, strcspn(text, "\n") }, "line", &v));
	return v;
}

TEST_WITH(test_json_lines, set_up, tear_down)
{
	struct log_pair pairs[] = { LOG_TEXT("peer", "bank-a"), LOG_NUMBER("bytes", 1234) };
	struct json *v;
	char *text;

	log_set_stream(fd, false);
	log_info("party %s: \"joined\"\n%c", "bank-a", '\x01');
	log_debug("not shown");
	log_event(LOG_WARN, pairs, 2, "slow");
	text = contents(path);
	v = line(text, 0);
	assert_string_equal(json_string(json_get(v, "level")), "info");
	assert_string_equal(json_string(json_get(v, "subject")), "hub");
	assert_string_equal(json_string(json_get(v, "text")), "party bank-a: \"joined\"\n\x01");
	assert_int_equal(strlen(json_string(json_get(v, "time"))), 24);
	json_free(v);
	v = line(text, 1);
	assert_string_equal(json_string(json_get(v, "level")), "warn");
	assert_string_equal(json_string(json_get(v, "peer")), "bank-a");
	assert_true(json_number(json_get(v, "bytes")) == 1234);
	json_free(v);
	assert_null(strstr(text, "not shown"));
	free(text);
}

TEST_WITH(test_terminal_lines_cannot_be_forged, set_up, tear_down)
{
	struct log_pair pairs[] = { LOG_TEXT("key", "v\x1b[2J"), LOG_NUMBER("n", 0.5) };
	char *text;

	log_set_stream(fd, true);
	log_event(LOG_ERROR, pairs, 2, "bad\nname");
	text = contents(path);
	assert_non_null(strstr(text, "error hub: bad?name key=v?[2J n=0.5\n"));
	assert_int_equal(strcspn(text, "\n"), strlen(text) - 1);
	free(text);
}

TEST_WITH(test_file_sink, set_up, tear_down)
{
	struct json *v;
	char *text;

	log_set_stream(fd, true);
	assert_ok(log_open(sink));
	log_info("shipped");
	text = contents(sink);
	v = line(text, 0);
	assert_string_equal(json_string(json_get(v, "text")), "shipped");
	json_free(v);
	free(text);
	assert_err(log_open("/nonexistent/log"), ERR_INPUT,
		   "/nonexistent/log: cannot open the log");
}

TEST_WITH(test_progress, set_up, tear_down)
{
	struct log_progress p = {
		.phase = "level-1", .iteration = 3, .moved = 17, .bytes = 123456, .elapsed_s = 1.5
	};
	char *text;
	size_t lines = 0;

	log_set_stream(fd, true);
	log_progress(&p);
	log_info("event");
	log_progress_end();
	text = contents(path);
	assert_non_null(strstr(text, "hub: level-1, iteration 3, 17 moved, 123.5 kB, 1.5 s"));
	/* An event clears the progress line, is written on its own line, and progress is shown
	 * again. */
	assert_non_null(strstr(text, "info  hub: event\nhub: level-1"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
	free(text);

	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	log_set_stream(fd, false);
	for (int i = 0; i < 1000; i++) /* the loop takes far less than a second */
		log_progress(&p);
	p.phase = "polish";
	log_progress(&p);
	text = contents(path);
	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	assert_in_range(lines, 2, 20); /* one line a second; more lines on a slow machine */
	assert_non_null(strstr(text, "\"phase\":\"polish\",\"iteration\":3,\"moved\":17"));
	free(text);
}

static void *many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 200; i++)
		log_info("line %d with some text so that a torn write would show", i);
	return NULL;
}

TEST_WITH(test_threads_do_not_mix_lines, set_up, tear_down)
{
	pthread_t thread[4];
	char *text, *p;
	int lines = 0;

	log_set_stream(fd, false);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, many, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	text = contents(path);
	for (p = text; *p; p = strchr(p, '\n') + 1, lines++)
		json_free(line(p, 0));
	assert_int_equal(lines, 800);
	free(text);
}

static void *other_job(void *arg)
{
	(void)arg;
	log_set_job_here("bbbb");
	log_info("of b");
	return NULL;
}

/* Two jobs run at once: each line has the job of its thread and goes to the file of that job. */
TEST_WITH(test_jobs_of_their_own, set_up, tear_down)
{
	pthread_t thread;
	struct json *v;
	char *text;

	log_set_stream(fd, false);
	log_set_job("cccc");
	log_set_job_here("aaaa");
	assert_ok(log_job_open("bbbb", sink));
	log_info("of a");
	assert_int_equal(pthread_create(&thread, NULL, other_job, NULL), 0);
	pthread_join(thread, NULL);
	log_set_job_here("");
	log_info("of the process");
	log_job_close("bbbb");
	log_set_job_here("bbbb");
	log_info("of b, too late");
	log_set_job_here("");
	log_set_job("");
	text = contents(path);
	for (size_t i = 0; i < 3; i++) {
		v = line(text, i);
		assert_string_equal(json_text(v, "job"), i == 0   ? "aaaa"
							 : i == 1 ? "bbbb"
								  : "cccc");
		json_free(v);
	}
	free(text);
	text = contents(sink);
	assert_non_null(strstr(text, "\"of b\""));
	assert_null(strchr(strchr(text, '\n') + 1, '\n'));
	free(text);
	assert_err(log_job_open("a", "/nowhere/log"), ERR_INPUT, "/nowhere/log");
}

/* While the stream's pipe is full and has no reader, the log file still gets all lines. A later
 * reader of the pipe gets the number of missing lines. */
TEST_WITH(test_nobody_reads, set_up, tear_down)
{
	static char all[1 << 20];
	char *text, *at, *gap;
	size_t n = 0, lines = 0;
	ssize_t got;
	int end[2];

	assert_int_equal(pipe(end), 0);
	fcntl(end[0], F_SETFL, O_NONBLOCK);
	log_set_stream(end[1], false);
	log_never_wait();
	assert_ok(log_open(sink));
	for (size_t i = 0; i < 10000; i++)
		log_info("line");
	do {
		log_flush();
		got = read(end[0], all + n, sizeof(all) - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	all[n] = 0;
	for (at = all; (at = strchr(at, '\n')); at++)
		lines++;
	gap = strstr(all, " lines are missing here");
	assert_non_null(gap);
	while (gap[-1] != '"')
		gap--;
	assert_int_equal(lines - 1 + strtoul(gap, NULL, 10), 10000);
	text = contents(sink);
	for (lines = 0, at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 10000);
	free(text);
	log_set_stream(STDERR_FILENO, false);
	close(end[0]);
	close(end[1]);
}

/* A repeated message makes two lines: the first at once, and later one with the number of
 * repeats. */
TEST_WITH(test_seldom, set_up, tear_down)
{
	static struct log_seldom kind, other;
	struct json *v;
	char *text;

	log_set_stream(fd, false);
	for (int i = 0; i < 300; i++)
		log_seldom(&kind, "refused: %d", i);
	log_seldom(&other, "another");
	log_flush();
	text = contents(path);
	v = line(text, 0);
	assert_string_equal(json_string(json_get(v, "text")), "refused: 0");
	assert_string_equal(json_string(json_get(v, "level")), "warn");
	json_free(v);
	v = line(text, 1);
	assert_string_equal(json_string(json_get(v, "text")), "another");
	json_free(v);
	assert_string_equal(strchr(strchr(text, '\n') + 1, '\n'), "\n");
	free(text);
	kind.said_s -= 61;
	log_flush();
	text = contents(path);
	v = line(text, 2);
	assert_string_equal(json_string(json_get(v, "text")),
			    "refused: 299 (299 like this in the last 61 s)");
	json_free(v);
	free(text);
	log_seldom(&kind, "at the end");
	log_close();
	text = contents(path);
	v = line(text, 3);
	assert_string_equal(json_string(json_get(v, "text")), "at the end");
	json_free(v);
	free(text);
}
