/* Tests the ledger's file: a full disk, two writers, a removed file, a damaged file. */
#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "tests/unit/crypto/ledger_rows.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a full disk ---- */

/* Commits rows until a limit on the size of files stops it, as a full disk would. Exits with 0 if
 * the ledger keeps all that it committed. Runs in a child process. */
static void write_until_full(void)
{
	struct rlimit limit = { 96 << 10, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	struct ledger_head before, after;

	if (ledger_open(&book, path, "bank-a") != ERR_OK)
		_exit(1);
	signal(SIGXFSZ, SIG_IGN);
	ledger_begin(book, &job_a);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 10000; i++) {
		if (ledger_head(book, &before) != ERR_OK)
			_exit(2);
		for (int k = 0; k < 10; k++)
			note("MASKED", 1, 1);
		if (ledger_commit(book) == ERR_OK)
			continue;
		if (!strstr(err_detail(), "ledger.db: cannot be written"))
			_exit(3);
		if (ledger_head(book, &after) != ERR_OK || after.count != before.count)
			_exit(4);
		if (verify())
			_exit(5);
		/* Once the disk has room again, ledger_commit() writes all noted rows. */
		setrlimit(RLIMIT_FSIZE, &none);
		if (ledger_commit(book) != ERR_OK || ledger_head(book, &after) != ERR_OK ||
		    after.count != before.count + 10)
			_exit(7);
		_exit(verify() ? 8 : 0);
	}
	_exit(6);
}

static void test_full(void **state)
{
	int status;
	pid_t child;

	(void)state;
	ledger_close(book); /* a connection must not be used on both sides of a fork */
	child = fork();
	if (child == 0)
		write_until_full();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_int_equal(verify(), 0);
}

/* An intact ledger that cannot be opened because the disk is full must not be reported as
 * damaged. */
static void test_full_when_opened(void **state)
{
	const struct rlimit limit = { 0, RLIM_INFINITY };
	int status;
	pid_t child;

	(void)state;
	write_some(3);
	ledger_close(book);
	book = NULL;
	child = fork();
	if (child == 0) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		if (ledger_open(&book, path, "bank-a") != ERR_JOB)
			_exit(1);
		_exit(strstr(err_detail(), "ledger.db: cannot be opened") ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_int_equal(verify(), 0);
}

/* Two processes that take turns on one file keep one hash chain. */
static void test_two_writers(void **state)
{
	struct ledger *mine = book, *other;

	(void)state;
	assert_ok(ledger_open(&other, path, "bank-a"));
	write_some(2);
	book = other;
	write_some(2);
	book = mine;
	note("KEY", 0, 0);
	assert_ok(ledger_commit(book));
	assert_int_equal(verify(), 0);
	ledger_close(other);
}

/* Several processes may open the file for the first time at once. */
static void test_two_first_openings(void **state)
{
	pid_t child[8];
	int status;

	(void)state;
	for (int round = 0; round < 10; round++) {
		ledger_close(book);
		book = NULL;
		lab_remove(dir);
		lab_dir(dir);
		snprintf(path, sizeof(path), "%s/ledger.db", dir);
		for (int i = 0; i < 8; i++) {
			child[i] = fork();
			if (child[i] == 0) {
				struct ledger *l;
				bool good = ledger_open(&l, path, "bank-a") == ERR_OK;

				if (!good)
					fprintf(stderr, "%s\n", err_detail());
				_exit(good ? 0 : 1);
			}
		}
		for (int i = 0; i < 8; i++) {
			assert_int_equal(waitpid(child[i], &status, 0), child[i]);
			assert_int_equal(status, 0);
		}
	}
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_int_equal(verify(), 0);
}

static int asked;

static enum err refuse(void *arg, bool others)
{
	(void)arg;
	asked++;
	return others ? err_set(ERR_PEER, "no more") : ERR_OK;
}

/* Before each commit, the function given to ledger_watch() learns whether another process has
 * written rows. If it refuses, the commit writes nothing. */
static void test_others_are_counted(void **state)
{
	struct ledger *mine = book, *other;

	(void)state;
	asked = 0;
	assert_ok(ledger_open(&other, path, "bank-a"));
	assert_ok(ledger_watch(mine, refuse, NULL));
	write_some(2);
	/* refuse() was called with others = false both times */
	assert_int_equal(asked, 2);
	book = other;
	write_some(2);
	book = mine;
	note("MASKED", 1, 10);
	assert_err(ledger_commit(book), ERR_PEER, "no more");
	/* The refused call has not counted the rows of the other process, so this one asks
	 * again. */
	assert_err(ledger_commit(book), ERR_PEER, "no more");
	assert_int_equal(asked, 4);
	assert_int_equal(spent(7, 9, 0, 1).rounds, 2);
	ledger_close(other);
}

/* The ledger recomputes its totals if they are missing, because an older version wrote the file or
 * somebody removed them. */
static void test_totals_are_made_anew(void **state)
{
	(void)state;
	spend(1, 1, 7, 9, "a b", 3);
	spend(2, 1, 7, 9, "a b", 4);
	ledger_close(book);
	tamper("DELETE FROM had");
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_int_equal(spent(7, 9, 0, 1).rounds, 7);
	ledger_close(book);
	tamper("DROP TABLE had");
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_int_equal(spent(7, 9, 0, 1).rounds, 7);
	spend(3, 1, 7, 9, "a b", 1);
	assert_int_equal(spent(7, 9, 0, 1).jobs, 3);
}

/* The ledger reports an error if its file was removed or replaced, and continues when the file is
 * back. */
static void test_taken_away(void **state)
{
	char away[300];

	(void)state;
	write_some(2);
	snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(rename(path, away), 0);
	note("MASKED", 1, 10);
	assert_err(ledger_commit(book), ERR_JOB, "removed or replaced");
	assert_int_equal(rename(away, path), 0);
	assert_ok(ledger_commit(book));
	assert_int_equal(verify(), 0);
}

static enum err ignore_line(void *arg, const struct ledger_line *line)
{
	(void)arg;
	(void)line;
	return ERR_OK;
}

/* Reads and writes files of any contents: each call returns an answer or an error, and none
 * crashes. */
static void use(void)
{
	struct ledger_spent s;
	struct ledger_account a;
	struct ledger_head head;
	struct ledger *l;
	uint64_t rows;
	char *other;

	if (ledger_open_read(&l, path) == ERR_OK) {
		said[0] = 0;
		(void)!ledger_read(l, "", 0, ignore_line, NULL);
		(void)!ledger_verify(l, hear, NULL, &rows);
		ledger_close(l);
	}
	if (ledger_open(&l, path, "bank-a") != ERR_OK)
		return;
	(void)!ledger_spent(l, &job_a, &s);
	(void)!ledger_account(l, &job_a, &a);
	if (ledger_other_parties(l, &job_a, &other) == ERR_OK)
		free(other);
	(void)!ledger_head(l, &head);
	ledger_begin(l, &job_a);
	ledger_note(l, &(struct ledger_row){ .step = "s", .purpose = "p", .type = "KEY" },
		    (struct bytes){ (const uint8_t *)"", 0 });
	(void)!ledger_commit(l);
	ledger_close(l);
}

static void test_damaged_file_is_refused(void **state)
{
	static const char *const harm[] = {
		"UPDATE meta SET name = NULL",
		"UPDATE meta SET version = NULL, count = NULL, hash = NULL",
		"UPDATE job SET kind = NULL, coordinator = NULL, parties = NULL, key = NULL, data "
		"= NULL",
		"UPDATE row SET step = NULL, purpose = NULL, type = NULL, hash = NULL, previous = "
		"NULL",
		"UPDATE row SET entry = 1e300, bytes = 'many', rounds = 'x', words = -1",
		"DELETE FROM meta",
	};
	struct buf whole = { 0 };
	uint32_t random = 1;

	(void)state;
	write_some(40);
	ledger_close(book);
	book = NULL;
	tamper("PRAGMA wal_checkpoint(TRUNCATE)");
	assert_ok(file_read(path, 1 << 24, &whole));
	for (size_t i = 0; i < sizeof(harm) / sizeof(*harm); i++) {
		assert_ok(file_write(path, (struct bytes){ whole.p, whole.n }, FILE_SECRET));
		/* Damage below SQL can leave NULL in columns that must not be NULL. */
		tamper("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = "
		       "replace(sql, 'NOT NULL', ''); PRAGMA writable_schema = RESET");
		tamper(harm[i]);
		use();
	}
	for (int i = 0; i < 300; i++) {
		struct buf copy = { 0 };

		buf_add(&copy, whole.p, whole.n);
		for (int b = 0; b < 1 + i % 9; b++) {
			random = random * 1664525 + 1013904223;
			copy.p[100 + (random >> 8) % (copy.n - 100)] ^=
			    (uint8_t)(1 << (random & 7));
		}
		assert_ok(file_write(path, (struct bytes){ copy.p, copy.n }, FILE_SECRET));
		use();
		buf_release(&copy);
	}
	buf_release(&whole);
}

/* The ledger never runs a trigger in its file, which would act on each written row. */
static void test_nothing_in_the_file_runs(void **state)
{
	struct ledger_head head;

	(void)state;
	write_some(2);
	ledger_close(book);
	tamper(
	    "CREATE TRIGGER gone AFTER INSERT ON row BEGIN DELETE FROM row WHERE number = 1; END");
	assert_ok(ledger_open(&book, path, "bank-a"));
	write_some(1);
	assert_ok(ledger_head(book, &head));
	assert_int_equal(head.count, 3);
	assert_int_equal(verify(), 0);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(test_nothing_in_the_file_runs), WITH(test_full),
		WITH(test_full_when_opened),         WITH(test_two_writers),
		WITH(test_two_first_openings),       WITH(test_others_are_counted),
		WITH(test_totals_are_made_anew),     WITH(test_taken_away),
		WITH(test_damaged_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
