/* Reads files up to a limit, and writes them completely or not at all. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct bytes text_of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static size_t entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

TEST(test_write_and_read)
{
	char *path = file_join(dir, "a.txt");
	struct buf in = { 0 };
	struct stat st;

	assert_ok(file_write(path, text_of("first"), FILE_PUBLIC));
	assert_ok(file_write(path, text_of("second"), FILE_SECRET));
	assert_ok(file_read(path, 6, &in));
	assert_int_equal(in.n, 6);
	assert_string_equal(in.p, "second"); /* file_read() adds a zero byte */
	buf_release(&in);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(entries(dir), 1);
	assert_err(file_read(path, 5, &in), ERR_INPUT, "6 bytes, at most 5 are read");
	assert_null(in.p);
	unlink(path);
	free(path);
}

TEST(test_read_refusals)
{
	struct buf in = { 0 };

	assert_err(file_read(dir, 100, &in), ERR_INPUT, "is a directory");
	assert_err(file_read("/nonexistent", 100, &in), ERR_INPUT, "/nonexistent: No such file");
	assert_err(file_read("/dev/zero", 100000, &in), ERR_INPUT, "more than the 100000 bytes");
	assert_ok(file_read("/dev/null", 0, &in));
	assert_int_equal(in.n, 0);
	buf_release(&in);
}

TEST(test_failed_write_leaves_nothing)
{
	char *target = file_join(dir, "is-a-dir");

	assert_ok(file_make_dirs(target));
	assert_err(file_write(target, text_of("x"), FILE_PUBLIC), ERR_JOB,
		   "is-a-dir: cannot rename");
	assert_int_equal(entries(dir), 1);
	assert_err(file_write("/nonexistent/x", text_of("x"), FILE_PUBLIC), ERR_JOB,
		   "No such file");
	rmdir(target);
	free(target);
}

TEST(test_paths)
{
	static const struct {
		const char *dir, *name, *joined, *dir_of;
	} cases[] = {
		{ "a", "b", "a/b", "a" }, { "a/", "b", "a/b", "a" },
		{ "a", "/b", "/b", "/" }, { "", "b", "b", "." },
		{ "/", "b", "/b", "/" },  { "a/b", "c/d", "a/b/c/d", "a/b/c" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *joined = file_join(cases[i].dir, cases[i].name), *dir_of = file_dir(joined);

		assert_string_equal(joined, cases[i].joined);
		assert_string_equal(dir_of, cases[i].dir_of);
		free(joined);
		free(dir_of);
	}
	assert_true(file_ends("a/b.npy", ".npy"));
	assert_true(file_ends("npy", "npy"));
	assert_false(file_ends("a.npy/b", ".npy"));
	assert_false(file_ends("a/b.npy", ".mtx"));
	assert_false(file_ends("py", ".npy"));
	assert_false(file_ends(NULL, ".npy"));
}

/* This thread writes large files without end, so that file_cancel() meets a write in progress. */
static void *write_for_ever(void *path)
{
	static uint8_t data[8 << 20];

	while (file_write(path, (struct bytes){ data, sizeof(data) }, FILE_PUBLIC) == ERR_OK)
		;
	return NULL;
}

TEST(test_cancel_leaves_no_temporary_file)
{
	char *path = file_join(dir, "big");
	int status = -1;

	for (int round = 0; round < 5; round++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_t thread;

			pthread_create(&thread, NULL, write_for_ever, path);
			while (!entries(dir)) /* until a write has begun */
				;
			file_cancel();
			pthread_join(thread, NULL); /* file_cancel() ends the writes */
			_exit(file_write(path, text_of("x"), FILE_PUBLIC) == ERR_CANCELLED ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		unlink(path); /* the file exists if a write was complete */
		assert_int_equal(entries(dir), 0);
	}
	free(path);
}

/* Writes all files or none: an error occurs before any file gets its final name. */
TEST(test_several)
{
	char *a = file_join(dir, "a"), *b = file_join(dir, "b"), *no = file_join(dir, "no/c");
	struct file_one file[] = { { a, text_of("1"), FILE_PUBLIC },
				   { NULL, { 0 }, 0 },
				   { b, text_of("22"), FILE_SECRET } };
	struct buf in = { 0 };
	struct stat st;

	assert_ok(file_write_all(file, 3));
	assert_ok(file_read(b, 2, &in));
	assert_string_equal(in.p, "22");
	buf_release(&in);
	assert_int_equal(stat(b, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(entries(dir), 2);
	file[0].data = text_of("3");
	file[1] = (struct file_one){ no, text_of("4"), FILE_PUBLIC };
	assert_err(file_write_all(file, 3), ERR_JOB, "no/c: cannot create");
	assert_int_equal(entries(dir), 2);
	assert_ok(file_read(a, 2, &in));
	assert_string_equal(in.p, "1");
	buf_release(&in);
	unlink(a);
	unlink(b);
	free(a);
	free(b);
	free(no);
}

TEST(test_dirs)
{
	char *deep = file_join(dir, "a/b//c/"), *file = file_join(dir, "f"),
	     *below = file_join(dir, "f/x");

	assert_ok(file_make_dirs(deep));
	assert_ok(file_make_dirs(deep)); /* existing directories are accepted */
	assert_true(file_exists(deep));
	assert_ok(file_write(file, text_of(""), FILE_PUBLIC));
	assert_err(file_make_dirs(file), ERR_JOB, "not a directory");
	assert_err(file_make_dirs(below), ERR_JOB, "f");
	unlink(file);
	free(deep);
	free(file);
	free(below);
}

/* Refuses byte order marks, which would become part of the first word. */
TEST(test_byte_order_marks)
{
	static const struct bytes text[] = { { (const uint8_t *)"\xef\xbb\xbf"
								"a",
					       4 },
					     { (const uint8_t *)"\xff\xfe"
								"a",
					       3 },
					     { (const uint8_t *)"\xfe\xff"
								"a",
					       3 },
					     { (const uint8_t *)"a\xef\xbb\xbf", 4 },
					     { (const uint8_t *)"", 0 } };
	char *path = file_join(dir, "text");
	struct buf in = { 0 };

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
		assert_ok(file_write(path, text[i], FILE_SECRET));
		if (i < 3)
			assert_err(file_read_text(path, 100, &in), ERR_INPUT, "byte order mark");
		else
			assert_ok(file_read_text(path, 100, &in));
		buf_release(&in);
	}
	free(path);
}

TEST(test_new_dir)
{
	char *path = file_join(dir, "fresh"), *in = file_join(path, "file");

	assert_ok(file_make_new_dir(path));
	assert_ok(file_make_new_dir(path)); /* accepts an empty directory that exists */
	assert_ok(file_write(in, (struct bytes){ (const uint8_t *)"x", 1 }, FILE_PUBLIC));
	assert_err(file_make_new_dir(path), ERR_INPUT, "is not empty");
	free(in);
	free(path);
}

/* Removes temporary files of a dead writer; those of a running writer, and other files, remain. */
TEST(test_sweep)
{
	char *own = file_join(dir, "swept"), *path;
	char living[64];
	static const char *const names[] = { "labels.csv.999999999-1.tmp", "labels.csv", "a.tmp",
					     "b.1-x.tmp", "c.999999999-1.tmp.keep" };

	assert_ok(file_make_dirs(own));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		path = file_join(own, names[i]);
		assert_ok(file_write(path, text_of("x"), FILE_PUBLIC));
		free(path);
	}
	snprintf(living, sizeof(living), "run.json.%ld-7.tmp", (long)getpid());
	path = file_join(own, living);
	assert_ok(file_write(path, text_of("x"), FILE_PUBLIC));
	assert_int_equal(entries(own), 6);
	file_sweep(own);
	assert_int_equal(entries(own), 5);
	assert_true(file_exists(path));
	free(path);
	path = file_join(own, names[0]);
	assert_false(file_exists(path));
	file_sweep("/no/such/place");
	free(path);
	free(own);
}

TESTS_BETWEEN(dir_make, dir_remove)
