/* Tests which results are pruned by age and by size, and which are never pruned. */
#include "tests/test.h"

#include "common/base/file.h"
#include "common/job/prune.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const stays[] = { "out/run.json",          "out/labels.csv",
				     "out/log.jsonl",         "out/state/served",
				     "out/state/ledger.db",   "out/state/noise.key",
				     "out/state/cache/x.bin", "out/jobs.db" };
static char dir[] = "/tmp/coterie-test-prune-XXXXXX";

/* Writes a file of 8 KiB that is `days_old` days old. */
static void put(const char *name, unsigned days_old)
{
	struct timespec then[2] = { { .tv_sec = time(NULL) - 86400L * days_old - 60 } };
	char *path = file_join(dir, name), *in = file_dir(path), bytes[8192] = { 1 };

	then[1] = then[0];
	assert_ok(file_make_dirs(in));
	assert_ok(file_write(path, (struct bytes){ (uint8_t *)bytes, sizeof(bytes) }, FILE_SECRET));
	assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
	free(in);
	free(path);
}

static bool there(const char *name)
{
	char *path = file_join(dir, name);
	struct stat st;
	bool is = lstat(path, &st) == 0;

	free(path);
	return is;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '-'), "-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	for (size_t i = 0; i < sizeof(stays) / sizeof(*stays); i++)
		put(stays[i], 100);
	put("out/job-a-1/run.json", 40);
	put("out/job-a-1/labels.csv", 40);
	put("out/job-b-1/run.json", 20);
	put("out/job-c-1/run.json", 1);
	put("out/job-c-1/labels.csv", 40); /* the newest file of a directory counts */
	put("out/state/model-1.bin", 40);
	put("out/state/offers/1.answer", 40);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static size_t chosen(struct prune *p, unsigned days, double bytes)
{
	char *out = file_join(dir, "out"), *state = file_join(dir, "out/state");

	*p = (struct prune){ 0 };
	assert_ok(prune_find(p, out, state));
	assert_int_equal(p->n, 5);
	free(out);
	free(state);
	return prune_choose(p, time(NULL), days, bytes);
}

TEST_WITH(test_by_age, set_up, tear_down)
{
	struct prune p;

	assert_int_equal(chosen(&p, 30, 0), 3);
	assert_true(there("out/job-a-1")); /* prune_choose() removes nothing */
	assert_ok(prune_remove(&p));
	prune_release(&p);
	assert_false(there("out/job-a-1"));
	assert_false(there("out/state/model-1.bin"));
	assert_false(there("out/state/offers/1.answer"));
	assert_true(there("out/job-b-1/run.json") && there("out/job-c-1/labels.csv"));
	for (size_t i = 0; i < sizeof(stays) / sizeof(*stays); i++)
		assert_true(there(stays[i]));
}

/* Removes the oldest results first, and no more than needed. */
TEST_WITH(test_by_size, set_up, tear_down)
{
	struct prune p;
	double all = 0;

	assert_int_equal(chosen(&p, 0, 1e15), 0);
	for (size_t i = 0; i < p.n; i++)
		all += p.item[i].bytes;
	assert_true(all >= 7 * 8192);
	assert_int_equal(prune_choose(&p, time(NULL), 0, all), 0);
	assert_int_equal(prune_choose(&p, time(NULL), 0, all - 1), 1);
	assert_true(p.item[0].goes);
	assert_int_equal(prune_choose(&p, time(NULL), 0, 1), 5);
	assert_ok(prune_remove(&p));
	prune_release(&p);
	assert_false(there("out/job-c-1"));
	for (size_t i = 0; i < sizeof(stays) / sizeof(*stays); i++)
		assert_true(there(stays[i]));
}

/* Removes a symbolic link but not its target. */
TEST_WITH(test_links_are_not_followed, set_up, tear_down)
{
	char *link = file_join(dir, "out/job-d-1"), *to = file_join(dir, "elsewhere");
	struct prune p = { 0 };
	char *out = file_join(dir, "out");

	put("elsewhere/precious", 1000);
	assert_int_equal(symlink(to, link), 0);
	assert_ok(prune_find(&p, out, NULL));
	assert_int_equal(prune_choose(&p, time(NULL) + 86400L * 1000, 30, 0), 4);
	assert_ok(prune_remove(&p));
	prune_release(&p);
	assert_false(there("out/job-d-1"));
	assert_true(there("elsewhere/precious"));
	free(link);
	free(to);
	free(out);
}

TEST_WITH(test_a_job_that_runs_stays, set_up, tear_down)
{
	static const char running[] = "{ \"status\": \"running\" }";
	char *path = file_join(dir, "out/job-c-1/run.json"), *out = file_join(dir, "out");
	struct prune p = { 0 };

	assert_ok(file_write(path, (struct bytes){ (const uint8_t *)running, sizeof(running) - 1 },
			     FILE_SECRET));
	assert_ok(prune_find(&p, out, NULL));
	assert_int_equal(prune_choose(&p, time(NULL), 0, 1), 2);
	assert_ok(prune_remove(&p));
	prune_release(&p);
	assert_true(there("out/job-c-1/run.json"));
	assert_false(there("out/job-b-1"));
	free(path);
	free(out);
}

TEST(test_refused)
{
	struct prune p = { 0 };

	assert_err(prune_find(&p, "/nowhere", NULL), ERR_INPUT, "no such directory");
}
