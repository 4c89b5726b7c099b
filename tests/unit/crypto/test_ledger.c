/* Writes rows into a ledger, counts them, and finds every manipulation of the file. */
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

/* ---- rows ---- */

static enum err count_line(void *arg, const struct ledger_line *line)
{
	uint64_t *n = arg;

	assert_int_equal(line->number, ++*n);
	assert_string_equal(line->job.parties, "bank-a bank-b");
	assert_int_equal(line->job.id[0], 0xa1);
	assert_true(line->row.time_ms > 1600000000000);
	return ERR_OK;
}

static enum err look_at_second(void *arg, const struct ledger_line *line)
{
	uint8_t hash[SHA256_LEN];

	(void)arg;
	if (line->number != 2)
		return ERR_OK;
	sha256_of("MASKED", 6, hash);
	assert_memory_equal(line->row.sha256, hash, SHA256_LEN);
	assert_int_equal(line->row.bytes, 6);
	assert_string_equal(line->row.type, "MASKED");
	assert_string_equal(line->row.step, "local");
	assert_string_equal(line->row.purpose, "something in words");
	assert_true(line->row.masked);
	assert_int_equal(line->row.words, 10);
	return ERR_OK;
}

static void test_rows_are_written(void **state)
{
	struct ledger_head head;
	struct stat st;
	uint64_t n = 0;

	(void)state;
	assert_ok(ledger_head(book, &head));
	assert_int_equal(head.count, 0);
	assert_int_equal(verify(), 0);
	write_some(5);
	assert_ok(ledger_read(book, "", 0, count_line, &n));
	assert_int_equal(n, 5);
	assert_ok(ledger_read(book, "", 0, look_at_second, NULL));
	assert_ok(ledger_head(book, &head));
	assert_int_equal(head.count, 5);
	assert_int_equal(verify(), 0);
	n = 0;
	assert_ok(ledger_read(book, "a102", 0, count_line, &n));
	assert_int_equal(n, 5);
	n = 0;
	assert_ok(ledger_read(book, "b", 0, count_line, &n));
	assert_ok(ledger_read(book, "", UINT64_C(9000000000000), count_line, &n));
	assert_int_equal(n, 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* Continues a ledger that is opened again. Refuses another party's ledger, and files that are not
 * ledgers. */
static void test_open_again(void **state)
{
	struct ledger_head before, after;
	struct ledger *other;
	FILE *f;

	(void)state;
	write_some(3);
	assert_ok(ledger_head(book, &before));
	ledger_close(book);
	book = NULL;
	assert_err(ledger_open(&other, path, "bank-b"), ERR_INPUT,
		   "is the ledger of bank-a, not of bank-b");
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_ok(ledger_head(book, &after));
	assert_memory_equal(&before, &after, sizeof(before));
	write_some(1);
	assert_int_equal(verify(), 0);
	assert_ok(ledger_open_read(&other, path));
	assert_string_equal(ledger_name(other), "bank-a");
	ledger_close(other);
	strcat(path, "x");
	assert_err(ledger_open_read(&other, path), ERR_INPUT, "no such file");
	f = fopen(path, "w");
	fputs("this is no database, but it is long enough to be looked at as if it were one, "
	      "which takes a hundred bytes and a few more",
	      f);
	fclose(f);
	assert_err(ledger_open_read(&other, path), ERR_INPUT, "no ledger");
	assert_err(ledger_open(&other, path, "bank-a"), ERR_INPUT, "no ledger");
}

static void test_forgotten(void **state)
{
	struct ledger_head head;

	(void)state;
	write_some(1);
	note("KEY", 0, 0);
	ledger_forget(book);
	assert_ok(ledger_commit(book));
	assert_ok(ledger_head(book, &head));
	assert_int_equal(head.count, 1);
}

/* ---- tampering ---- */

static void test_changed_row_is_found(void **state)
{
	static const char *const how[] = {
		"UPDATE row SET bytes = bytes + 1 WHERE number = 3",
		"UPDATE row SET time_ms = time_ms + 1 WHERE number = 3",
		"UPDATE row SET step = 'x' WHERE number = 3",
		"UPDATE row SET purpose = 'x' WHERE number = 3",
		"UPDATE row SET type = 'x' WHERE number = 3",
		"UPDATE row SET sha256 = zeroblob(32) WHERE number = 3",
		"UPDATE row SET masked = 1 WHERE number = 3",
		"UPDATE row SET rounds = 1 WHERE number = 3",
		"UPDATE row SET words = 1 WHERE number = 3",
		"UPDATE row SET eps = 1 WHERE number = 3",
		"UPDATE row SET delta = 1 WHERE number = 3",
		"UPDATE row SET previous = zeroblob(32) WHERE number = 3",
		"UPDATE row SET hash = zeroblob(32) WHERE number = 3",
	};

	(void)state;
	write_some(5);
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		tamper("CREATE TABLE kept AS SELECT * FROM row");
		tamper(how[i]);
		if (!verify())
			fail_msg("%s: not found", how[i]);
		says("row 3 (");
		says("was changed");
		tamper("DELETE FROM row; INSERT INTO row SELECT * FROM kept; DROP TABLE kept");
		assert_int_equal(verify(), 0);
	}
}

static void test_changed_job(void **state)
{
	static const char *const how[] = {
		"UPDATE job SET attempt = 2",
		"UPDATE job SET parties = 'bank-a'",
		"UPDATE job SET submitter = 'eve'",
		"UPDATE job SET submitter = ''",
		"UPDATE job SET kind = 'fedsc'",
		"UPDATE job SET data = zeroblob(32)",
		"UPDATE job SET coordinator = 'x'",
		"UPDATE job SET key = zeroblob(32)",
		"UPDATE job SET id = 'ff020000000000000000000000000000'",
		"UPDATE job SET id = replace(id, '0', 'x')", /* x is not a digit */
		"DELETE FROM job",
	};

	(void)state;
	write_some(2);
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		tamper("CREATE TABLE kept AS SELECT * FROM job");
		tamper(how[i]);
		if (verify() != 2)
			fail_msg("%s: not found", how[i]);
		says("the entry of its job, was changed");
		tamper("DELETE FROM job; INSERT INTO job SELECT * FROM kept; DROP TABLE kept");
		assert_int_equal(verify(), 0);
	}
}

/* The hash chain covers units, mu and names of data sets, too. */
static void test_changed_claim(void **state)
{
	static const char *const how[] = { "UPDATE claim SET mu = mu / 2",
					   "UPDATE claim SET unit = 'edge'",
					   "DELETE FROM claim",
					   "UPDATE job SET dataset = 'others'",
					   "UPDATE job SET dataset = ''",
					   "INSERT INTO claim VALUES (1, 'row', 1)" };

	(void)state;
	write_claim("customers", 9, 1, 0.5);
	assert_int_equal(verify(), 0);
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		tamper("CREATE TABLE kept AS SELECT * FROM claim; CREATE TABLE kept_job AS SELECT "
		       "* FROM job");
		tamper(how[i]);
		if (!verify())
			fail_msg("%s: not found", how[i]);
		says("was changed");
		tamper(
		    "DELETE FROM claim; INSERT INTO claim SELECT * FROM kept; DROP TABLE kept;"
		    "DELETE FROM job; INSERT INTO job SELECT * FROM kept_job; DROP TABLE kept_job");
		assert_int_equal(verify(), 0);
	}
}

/* Rows that an older version wrote without submitters stay valid, and the ledger adds new rows. */
static void test_without_submitters(void **state)
{
	struct ledger_job none = job_a;

	(void)state;
	none.submitter = NULL;
	ledger_begin(book, &none);
	note("KEY", 0, 0);
	assert_ok(ledger_commit(book));
	ledger_close(book);
	tamper("ALTER TABLE job DROP COLUMN submitter; ALTER TABLE job DROP COLUMN dataset; DROP "
	       "TABLE claim");
	assert_ok(ledger_open_read(&book, path));
	assert_int_equal(verify(), 0);
	ledger_close(book);
	assert_ok(ledger_open(&book, path, "bank-a"));
	write_some(2);
	assert_int_equal(verify(), 0);
	tamper("UPDATE job SET submitter = 'eve' WHERE entry = 1");
	assert_int_equal(verify(), 1);
}

static void test_removed_row_is_found(void **state)
{
	(void)state;
	write_some(6);
	tamper("DELETE FROM row WHERE number = 3");
	assert_int_equal(verify(), 1);
	says("row 3 was removed");
	tamper("DELETE FROM row WHERE number = 4");
	assert_int_equal(verify(), 1);
	says("rows 3 to 4 were removed");
}

/* Finds a removed row even if the later rows are renumbered. */
static void test_removed_and_numbered_anew(void **state)
{
	(void)state;
	write_some(6);
	tamper("DELETE FROM row WHERE number = 3; UPDATE row SET number = number - 1 WHERE number "
	       "> 3");
	tamper("UPDATE meta SET count = 5");
	assert_int_equal(verify(), 1);
	says("before row 3 a row is missing");
}

static void test_reordered_rows_are_found(void **state)
{
	(void)state;
	write_some(6);
	tamper(
	    "UPDATE row SET number = 99 WHERE number = 3; UPDATE row SET number = 3 WHERE number = "
	    "4; UPDATE row SET number = 4 WHERE number = 99");
	assert_true(verify() >= 2);
	says("row 3 is out of order: it was written behind what is now row 4");
	says("row 4 is out of order: it was written behind what is now row 2");
}

static void test_first_moved(void **state)
{
	(void)state;
	write_some(3);
	tamper(
	    "UPDATE row SET number = 99 WHERE number = 1; UPDATE row SET number = 1 WHERE number = "
	    "2; UPDATE row SET number = 2 WHERE number = 99");
	assert_true(verify() >= 2);
	says("row 2 is out of order: it was the first row");
}

static void test_first_removed(void **state)
{
	(void)state;
	write_some(3);
	tamper("DELETE FROM row WHERE number = 1");
	assert_int_equal(verify(), 1);
	says("row 1 was removed");
}

/* If somebody removes the last rows, the file itself reveals the removal. If the count and the hash
 * in `meta` are changed to match, a party that has received the ledger's head detects the
 * removal. */
static void test_cut_tail(void **state)
{
	struct ledger_head head;

	(void)state;
	write_some(6);
	assert_ok(ledger_head(book, &head));
	assert_int_equal(check_against(&head), 0);
	tamper("DELETE FROM row WHERE number > 4");
	assert_int_equal(verify(), 1);
	says("rows 5 to 6 were removed");
	tamper("UPDATE meta SET count = 4, hash = (SELECT hash FROM row WHERE number = 4)");
	assert_int_equal(verify(), 0);
	assert_int_equal(check_against(&head), 1);
	says("rows 5 to 6 are missing, of which bank-b was told");
	note("MASKED", 1, 7); /* the ledger grows again, with other rows */
	assert_ok(ledger_commit(book));
	write_some(2);
	assert_int_equal(verify(), 0);
	assert_int_equal(check_against(&head), 1);
	says("row 6 is not the one that bank-b was told of");
}

static void test_last_row_invented(void **state)
{
	(void)state;
	write_some(4);
	tamper("UPDATE meta SET count = 3, hash = (SELECT hash FROM row WHERE number = 3)");
	assert_int_equal(verify(), 1);
	says("row 4 is not the last that was written");
}

static void test_removed_below_a_head(void **state)
{
	struct ledger_head head;

	(void)state;
	write_some(4);
	assert_ok(ledger_head(book, &head));
	write_some(2);
	tamper("DELETE FROM row WHERE number = 4");
	assert_int_equal(check_against(&head), 1);
	says("row 4 was removed, of which bank-b was told");
	head.count = 0;
	assert_int_equal(check_against(&head), 0);
}

/* ---- heads of others ---- */

static enum err first_head(void *arg, const char *name, const struct ledger_head *head)
{
	char *seen = arg;

	sprintf(seen + strlen(seen), "%s %llu %d;", name, (unsigned long long)head->count,
		head->hash[0]);
	return ERR_OK;
}

static void test_heads(void **state)
{
	const char *const names[] = { "bank-b", "bank-c" };
	struct ledger_head heads[] = { { 17, { 1 } }, { 4, { 2 } } };
	char seen[128] = "";

	(void)state;
	write_some(1);
	assert_ok(ledger_keep_heads(book, names, heads, 2));
	heads[0].count = 30;
	assert_ok(ledger_keep_heads(book, names, heads, 1));
	assert_ok(ledger_read_heads(book, first_head, seen));
	assert_string_equal(seen, "bank-b 30 1;bank-c 4 2;bank-b 17 1;");
}

/* ---- counting ---- */

static void spend_eps(uint8_t id, double eps)
{
	struct ledger_row r = {
		.step = "s", .purpose = "p", .type = "UPLOAD", .words = 1, .eps = eps
	};

	spend(id, 1, 7, 9, "a b", 0);
	ledger_note(book, &r, (struct bytes){ NULL, 0 });
	assert_ok(ledger_commit(book));
}

static void test_spent(void **state)
{
	struct ledger_spent s;

	(void)state;
	s = spent(7, 9, 0, 1);
	assert_true(s.jobs == 0 && s.rounds == 0 && s.words == 0);
	spend(1, 1, 7, 9, "a b", 3);
	spend(2, 1, 7, 9, "a b", 2);
	spend(2, 2, 7, 9, "a b", 4); /* another attempt */
	spend(3, 1, 7, 9, "a b", 0); /* no data left the party */
	spend(4, 1, 8, 9, "a b", 5); /* another coordinator */
	spend(5, 1, 7, 1, "a b", 6); /* other data */
	s = spent(7, 9, 6, 1);
	assert_int_equal(s.jobs, 3); /* counts attempts in which data left the party */
	assert_int_equal(s.rounds, 9);
	assert_int_equal(s.words, 900);
	assert_int_equal(spent(7, 9, 2, 2).jobs, 2); /* excludes the attempt that asks */
	assert_int_equal(spent(7, 9, 2, 3).jobs, 3);
	assert_int_equal(spent(7, 9, 2, 3).rounds, 9);
	spend_eps(6, 0.5);
	spend_eps(7, 0.25);
	assert_true(spent(7, 9, 6, 2).eps_of_job == 0.5);
	assert_true(spent(7, 9, 8, 1).eps_of_job == 0);
}

static void test_other_parties(void **state)
{
	struct ledger_job j = job_a;
	char *other;

	(void)state;
	spend(1, 1, 7, 9, "a b c", 1);
	spend(2, 1, 7, 9, "a b d", 0);
	spend(3, 1, 7, 1, "a b", 1);
	j.parties = "a b c";
	assert_ok(ledger_other_parties(book, &j, &other));
	assert_null(other);
	j.parties = "a b";
	assert_ok(ledger_other_parties(book, &j, &other));
	assert_string_equal(other, "a b c");
	free(other);
	/* Another attempt at job 1 may have one party fewer. */
	j.left = true;
	j.id[0] = 1;
	j.key[0] = 7;
	j.attempt = 2;
	assert_ok(ledger_other_parties(book, &j, &other));
	assert_null(other);
	spend(4, 1, 7, 9, "a b c", 1); /* a different job */
	assert_ok(ledger_other_parties(book, &j, &other));
	assert_string_equal(other, "a b c");
	free(other);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(test_rows_are_written),
		WITH(test_open_again),
		WITH(test_forgotten),
		WITH(test_changed_row_is_found),
		WITH(test_changed_job),
		WITH(test_changed_claim),
		WITH(test_without_submitters),
		WITH(test_removed_row_is_found),
		WITH(test_removed_and_numbered_anew),
		WITH(test_reordered_rows_are_found),
		WITH(test_first_moved),
		WITH(test_first_removed),
		WITH(test_cut_tail),
		WITH(test_last_row_invented),
		WITH(test_removed_below_a_head),
		WITH(test_heads),
		WITH(test_spent),
		WITH(test_other_parties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
