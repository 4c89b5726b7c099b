/* A coordinator stores the state of its attempt for the coordinator process that replaces it. */
#include "server/daemon/attempt.h"
#include "common/base/file.h"
#include "tests/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/coterie-attempt-XXXXXX";
static char *path;
static char why[ERR_DETAIL_MAX];
static const struct attempt_state left = {
	.job_id = { 0xab, 1, 2 }, .attempt = 7, .what = { 3, 4 }, .numbers = { 5, 6 }
};

static const struct attempt_state without = { .job_id = { 0xab, 1, 2 },
					      .attempt = 7,
					      .what = { 3, 4 },
					      .numbers = { 5, 6 },
					      .lefts = 2,
					      .left = { { "bank-b", 3, "level-1" },
							{ "A.x_1-y", 7, "" } } };

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return 1;
	path = file_join(dir, "job.state");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	attempt_forget(path);
	free(path);
	return rmdir(dir); /* fails if anything else is left */
}

static bool is_left(const struct attempt_state *s)
{
	return memcmp(s->job_id, left.job_id, JOB_ID_LEN) == 0 && s->attempt == 7 &&
	       memcmp(s->what, left.what, HASH_LEN) == 0;
}

TEST(test_state_is_kept)
{
	struct attempt_state s;
	struct stat st;

	assert_false(attempt_find(path, 10, &s, why));
	assert_string_equal(why, "");
	assert_ok(attempt_keep(path, &left));
	assert_true(attempt_find(path, 10, &s, why));
	assert_true(is_left(&s));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_false(s.done);
	attempt_forget(path);
	assert_false(attempt_find(path, 10, &s, why));
	attempt_forget(path);
	attempt_forget(NULL);
	attempt_touch(path); /* does not create a missing file */
	assert_false(file_exists(path));
}

TEST(test_done_is_marked)
{
	struct attempt_state s;

	assert_err(attempt_done(path), ERR_INPUT, "job.state");
	assert_false(file_exists(path)); /* attempt_done() does not make the file */
	assert_ok(attempt_keep(path, &left));
	assert_ok(attempt_done(path));
	assert_true(attempt_find(path, 10, &s, why));
	assert_true(is_left(&s) && s.done);
	assert_ok(attempt_done(path));
	assert_true(attempt_find(path, 10, &s, why));
	assert_true(is_left(&s) && s.done);
	attempt_touch(path);
	assert_true(attempt_find(path, 10, &s, why) && s.done);
	assert_ok(attempt_keep(path, &left)); /* stores the next job's state */
	assert_true(attempt_find(path, 10, &s, why));
	assert_false(s.done);
	attempt_forget(path);
}

TEST(test_who_is_left_out_is_kept)
{
	struct attempt_state s;

	assert_ok(attempt_keep(path, &without));
	for (int done = 0; done < 2; done++) {
		assert_true(attempt_find(path, 10, &s, why));
		assert_true(is_left(&s) && s.done == done);
		assert_int_equal(s.lefts, 2);
		assert_memory_equal(s.left, without.left, 2 * sizeof(s.left[0]));
		assert_ok(attempt_done(path));
	}
	attempt_forget(path);
}

static void grow_old(double age_s)
{
	struct timespec t[2];

	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[0].tv_sec -= (time_t)age_s;
	t[1] = t[0];
	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

TEST(test_old_state_is_not_used)
{
	struct attempt_state s;

	assert_ok(attempt_keep(path, &left));
	grow_old(1000);
	assert_false(attempt_find(path, 900, &s, why));
	assert_non_null(strstr(why, "longer than 900 s"));
	assert_true(is_left(&s));
	assert_true(attempt_find(path, 1100, &s, why));
	attempt_touch(path);
	assert_true(attempt_find(path, 900, &s, why));
	grow_old(-1000); /* the clock was set back */
	assert_true(attempt_find(path, 900, &s, why));
}

/* Finds no attempt in a shortened file, a file with a wrong byte, or a longer file. So damage never
 * makes a job that is done look unfinished. */
static void check_damage(void)
{
	struct buf whole = { 0 };
	struct attempt_state s;

	assert_ok(file_read(path, 1000, &whole));
	for (size_t n = 0; n < whole.n; n++) {
		assert_ok(file_write(path, (struct bytes){ whole.p, n }, FILE_SECRET));
		assert_false(attempt_find(path, 10, &s, why));
		assert_non_null(strstr(why, "is damaged"));
	}
	for (size_t at = 0; at < whole.n; at++) {
		uint8_t was = whole.p[at];

		whole.p[at] = was == 'x' ? 'y' : 'x';
		assert_ok(file_write(path, (struct bytes){ whole.p, whole.n }, FILE_SECRET));
		assert_false(attempt_find(path, 10, &s, why));
		whole.p[at] = was;
	}
	buf_add(&whole, "more\n", 5);
	assert_ok(file_write(path, (struct bytes){ whole.p, whole.n }, FILE_SECRET));
	assert_false(attempt_find(path, 10, &s, why));
	buf_release(&whole);
}

TEST(test_damaged_state_is_refused)
{
	assert_ok(attempt_keep(path, &left));
	check_damage();
	assert_ok(attempt_keep(path, &left));
	assert_ok(attempt_done(path));
	check_damage();
	assert_ok(attempt_keep(path, &without));
	check_damage();
}

TEST(test_what_it_is_of)
{
	static const char text[] =
	    "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":2,\"filter\":{\"order\":1}}";
	const char *names[] = { "a", "b", "ab" };
	uint8_t first[HASH_LEN], other[HASH_LEN];
	struct job job;

	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "t", NULL));
	attempt_hash(&job, names, 2, first);
	attempt_hash(&job, names, 2, other);
	assert_memory_equal(first, other, HASH_LEN);
	attempt_hash(&job, names, 3, other);
	assert_memory_not_equal(first, other, HASH_LEN);
	attempt_hash(&job, names + 2, 1, other);
	assert_memory_not_equal(first, other, HASH_LEN);
	job.seed++;
	attempt_hash(&job, names, 2, other);
	assert_memory_not_equal(first, other, HASH_LEN);
}

TESTS_BETWEEN(set_up, tear_down)
