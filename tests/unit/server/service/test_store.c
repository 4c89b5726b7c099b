/* The store reads back from jobs.db what it has written, after any restart, and refuses wrong
 * contents. */
#include "server/service/store.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "tests/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/coterie-store-XXXXXX";
static char *path;
static struct store *s;

static int set_up_all(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return 1;
	path = file_join(dir, "jobs.db");
	return 0;
}

static void forget(const char *suffix)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	unlink(name);
}

static int tear_down_all(void **state)
{
	(void)state;
	free(path);
	return rmdir(dir); /* fails if anything else is left */
}

static int set_up(void **state)
{
	(void)state;
	return store_open(&s, path) != ERR_OK;
}

static int tear_down(void **state)
{
	(void)state;
	store_close(s);
	s = NULL;
	forget("");
	forget("-wal");
	forget("-shm");
	return 0;
}

static struct store_job job_of(const char *submitter)
{
	struct store_job j = { .state = STORE_QUEUED, .submitted = 1000, .parties = 2 };

	snprintf(j.submitter, sizeof(j.submitter), "%s", submitter);
	strcpy(j.party[0], "bank-a");
	strcpy(j.party[1], "bank-b");
	j.text = alloc_copy("{\"kind\":\"kcagc\"}");
	return j;
}

static void add(const char *submitter, struct store_job *j)
{
	*j = job_of(submitter);
	assert_ok(store_add(s, j));
	store_job_release(j);
}

static void again(void)
{
	store_close(s);
	assert_ok(store_open(&s, path));
}

static void test_what_was_written(void **state)
{
	struct store_job j, back;
	struct stat st;
	bool found;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	add("alice", &j);
	assert_int_equal(j.id, 1);
	j.state = STORE_FAILED;
	j.began = 1001, j.ended = 1002, j.attempts = 3, j.status = ERR_DEADLINE;
	strcpy(j.job_id, "0123456789abcdef0123456789abcdef");
	strcpy(j.directory, "job-000001");
	strcpy(j.cause, "bank-b's \"reason\" \xc3\xa9");
	assert_ok(store_change(s, &j));
	again();
	assert_ok(store_get(s, 1, &back, &found));
	assert_true(found);
	assert_int_equal(back.state, STORE_FAILED);
	assert_string_equal(back.submitter, "alice");
	assert_string_equal(back.text, "{\"kind\":\"kcagc\"}");
	assert_int_equal(back.parties, 2);
	assert_string_equal(back.party[0], "bank-a");
	assert_string_equal(back.party[1], "bank-b");
	assert_int_equal(back.submitted, 1000);
	assert_int_equal(back.began, 1001);
	assert_int_equal(back.ended, 1002);
	assert_int_equal(back.attempts, 3);
	assert_int_equal(back.status, ERR_DEADLINE);
	assert_string_equal(back.job_id, j.job_id);
	assert_string_equal(back.directory, "job-000001");
	assert_string_equal(back.cause, j.cause);
	store_job_release(&back);
	assert_ok(store_get_by_job_id(s, j.job_id, &back, &found));
	assert_true(found);
	assert_int_equal(back.id, 1);
	store_job_release(&back);
	assert_ok(store_get(s, 2, &back, &found));
	assert_false(found);
}

static void test_lists(void **state)
{
	struct store_rows rows;
	size_t count[STORE_CANCELLED + 1];
	struct store_job j[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		add("alice", &j[i]);
	j[1].state = STORE_DONE;
	j[2].state = STORE_RUNNING;
	assert_ok(store_change(s, &j[1]));
	assert_ok(store_change(s, &j[2]));
	assert_ok(store_open_jobs(s, &rows));
	assert_int_equal(rows.n, 3);
	assert_int_equal(rows.job[0].id, 1);
	assert_int_equal(rows.job[1].id, 3);
	assert_int_equal(rows.job[2].id, 4);
	store_rows_release(&rows);
	assert_ok(store_last_jobs(s, 2, &rows));
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.job[0].id, 3);
	assert_int_equal(rows.job[1].id, 4);
	store_rows_release(&rows);
	assert_ok(store_count(s, count));
	assert_int_equal(count[STORE_QUEUED], 2);
	assert_int_equal(count[STORE_DONE], 1);
	assert_int_equal(count[STORE_RUNNING], 1);
	assert_int_equal(count[STORE_FAILED], 0);
}

/* A number is not used again, so that a job never gets the directory of another job. */
static void test_numbers_are_given_once(void **state)
{
	struct store_job j;
	sqlite3 *db;

	(void)state;
	add("alice", &j);
	add("alice", &j);
	assert_int_equal(j.id, 2);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "DELETE FROM job", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	again();
	add("alice", &j);
	assert_int_equal(j.id, 3);
}

static void test_parties(void **state)
{
	struct store_party p = { .contact = 5000, .software = "coterie 0.1.0" };

	(void)state;
	assert_ok(store_saw_party(s, "bank-a", &p));
	p.contact = 6000;
	assert_ok(store_saw_party(s, "bank-a", &p));
	again();
	assert_ok(store_get_party(s, "bank-a", &p));
	assert_int_equal(p.contact, 6000);
	assert_string_equal(p.software, "coterie 0.1.0");
	assert_ok(store_get_party(s, "bank-b", &p));
	assert_int_equal(p.contact, 0);
}

static void run_sql(const char *sql)
{
	sqlite3 *db;

	store_close(s);
	s = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void test_another_program_s(void **state)
{
	(void)state;
	run_sql("PRAGMA application_id = 7");
	assert_err(store_open(&s, path), ERR_INPUT, "this is no queue of jobs");
	assert_err(store_open(&s, path), ERR_INPUT, "move it away to begin with an empty queue");
	run_sql("PRAGMA application_id = 1129272401; PRAGMA user_version = 9");
	assert_err(store_open(&s, path), ERR_INPUT, "version 9");
}

/* Refuses a directory outside the output directory, and values that are not states, statuses or
 * lists of parties. */
static void test_rows_that_are_wrong(void **state)
{
	static const char *const wrong[] = {
		"UPDATE job SET directory = '../../etc'",   "UPDATE job SET directory = '..'",
		"UPDATE job SET directory = '', state = 6", "UPDATE job SET state = 0, status = 99",
		"UPDATE job SET status = 0, parties = ''",  "UPDATE job SET parties = 'a  b'",
	};
	struct store_rows rows;
	struct store_job j;

	(void)state;
	add("alice", &j);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		run_sql(wrong[i]);
		assert_ok(store_open(&s, path));
		assert_err(store_last_jobs(s, 10, &rows), ERR_INPUT, "job 1 is damaged");
	}
}

static void test_damaged(void **state)
{
	struct store_job j;
	FILE *f;

	(void)state;
	add("alice", &j);
	run_sql("PRAGMA wal_checkpoint");
	f = fopen(path, "r+");
	fseek(f, 5000, SEEK_SET);
	for (int i = 0; i < 9000; i++)
		fputc(0xa5, f);
	fclose(f);
	assert_err(store_open(&s, path), ERR_INPUT, "put a backup in its place");
}

/* A write to a removed or replaced file would be lost, so it is an error. */
static void test_taken_away(void **state)
{
	struct store_party p = { .contact = 5000, .software = "coterie 0.1.0" };
	struct store *look;
	struct store_job j;
	char away[300];

	(void)state;
	add("alice", &j);
	snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(rename(path, away), 0);
	assert_err(store_there(s), ERR_JOB,
		   "was removed or replaced while it was in use: put it back");
	assert_err(store_look(&look, path), ERR_JOB, "is not there");
	j.state = STORE_DONE;
	assert_err(store_change(s, &j), ERR_JOB, "removed or replaced");
	assert_err(store_saw_party(s, "bank-a", &p), ERR_JOB, "removed or replaced");
	j = job_of("bob");
	assert_err(store_add(s, &j), ERR_JOB, "removed or replaced");
	store_job_release(&j);
	assert_int_equal(rename(away, path), 0);
	add("carol", &j);
	assert_int_equal(j.id, 2);
}

static void test_locked(void **state)
{
	struct store_job j;
	sqlite3 *db;

	(void)state;
	add("alice", &j);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	j.state = STORE_DONE;
	assert_err(store_change(s, &j), ERR_JOB, "locked");
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_ok(store_change(s, &j));
	sqlite3_close(db);
}

#define IN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		IN(test_what_was_written),
		IN(test_lists),
		IN(test_numbers_are_given_once),
		IN(test_parties),
		IN(test_another_program_s),
		IN(test_rows_that_are_wrong),
		IN(test_damaged),
		IN(test_taken_away),
		IN(test_locked),
	};

	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
