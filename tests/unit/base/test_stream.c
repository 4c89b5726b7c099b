/* A stream without a reader never blocks the writer. It keeps later lines up to a limit and counts
 * the rest. */
#include "tests/test.h"

#include "common/base/stream.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE = 100, LINES = 6000 }; /* more bytes than a pipe and the buffer can hold */

/* Puts lines of LINE bytes, each of which begins with its number. */
static void put_lines(struct stream *s, size_t first, size_t n)
{
	char line[LINE + 1];

	for (size_t i = first; i < first + n; i++) {
		snprintf(line, sizeof(line), "%08u %090d\n", (unsigned)(i % 100000000), 0);
		stream_put(s, line, LINE);
	}
}

/* Reads all lines from the pipe and the buffer. Checks that the lines are whole, and that their
 * numbers rise from *next on. */
static void read_lines(int fd, struct stream *s, size_t *next)
{
	static char all[LINES * LINE + 1];
	size_t n = 0, number;
	ssize_t got;

	do {
		stream_flush(s);
		got = read(fd, all + n, sizeof(all) - n);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0 || s->kept.n);
	assert_int_equal(n % LINE, 0);
	for (size_t at = 0; at < n; at += LINE) {
		assert_int_equal(sscanf(all + at, "%8zu", &number), 1);
		assert_int_equal(number, (*next)++);
		assert_int_equal(all[at + LINE - 1], '\n');
	}
}

static void nobody_reads(int writes, int reads, bool anew)
{
	struct stream s = STREAM_OF(writes);
	size_t next = 0, dropped;

	fcntl(reads, F_SETFL, O_NONBLOCK);
	stream_never_wait(&s);
	if (!anew && s.own >= 0) { /* as if /proc did not let s reopen the pipe */
		close(s.own);
		s.own = -1;
	}
	/* The stream must not set O_NONBLOCK, because other processes may share the descriptor. */
	assert_false(fcntl(writes, F_GETFL) & O_NONBLOCK);
	put_lines(&s, 0, LINES);
	assert_true(s.kept.n <= STREAM_KEPT_MAX + LINE);
	stream_drain(&s, 0.01);
	dropped = stream_dropped(&s);
	assert_true(dropped > 0 && dropped < LINES);
	assert_int_equal(stream_dropped(&s), 0);
	read_lines(reads, &s, &next);
	assert_int_equal(next + dropped, LINES);
	next = LINES;
	put_lines(&s, LINES, 10);
	read_lines(reads, &s, &next);
	assert_int_equal(next, LINES + 10);
	stream_release(&s);
	close(writes);
	close(reads);
}

static void test_pipe(void **state)
{
	int fd[2];

	(void)state;
	for (int anew = 0; anew < 2; anew++) {
		assert_int_equal(pipe(fd), 0);
		nobody_reads(fd[1], fd[0], anew);
	}
}

static void test_socket(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	nobody_reads(fd[0], fd[1], true);
}

/* After its reader closes, the stream drops lines and keeps none. */
static void test_reader_that_is_gone(void **state)
{
	struct stream s;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	s = STREAM_OF(fd[1]);
	stream_never_wait(&s);
	close(fd[0]);
	put_lines(&s, 0, 10);
	assert_int_equal(s.kept.n, 0);
	stream_release(&s);
	close(fd[1]);
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_reader_that_is_gone),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
