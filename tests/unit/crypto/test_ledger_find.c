/* Finds rows, and the jobs, sums and numbers that count for budgets, for a user who inspects the
 * ledger. */
#include "tests/test.h"
#include "tests/unit/crypto/book.h"

#include <stdio.h>
#include <string.h>

static char found[4096];

static void write_rows(const struct ledger_job *job, size_t count, const char *purpose)
{
	const struct ledger_row row = { .step = "polish",
					.purpose = purpose,
					.type = "MASKED",
					.masked = true,
					.rounds = 1,
					.words = 10 };

	ledger_begin(book, job);
	for (size_t i = 0; i < count; i++)
		ledger_note(book, &row, (struct bytes){ (const uint8_t *)"x", 1 });
	assert_ok(ledger_commit(book));
}

static const struct ledger_job hub = { .id = { 0xa1 },
				       .attempt = 1,
				       .kind = "kcagc",
				       .coordinator = "hub",
				       .key = { 7 },
				       .data = { 9 },
				       .parties = "bank-a bank-b" };

static enum err add(void *arg, const struct ledger_line *l)
{
	(void)arg;
	sprintf(found + strlen(found), "%d ", (int)l->number);
	return ERR_OK;
}

/* Returns the numbers of the found rows and the `before` with which the search continues; 0: it has
 * ended. */
static const char *look(const char *words, uint64_t before, size_t most)
{
	uint64_t next = 99;

	*found = 0;
	assert_ok(ledger_find(book, words, before, most, add, NULL, &next));
	sprintf(found + strlen(found), "next %d", (int)next);
	return found;
}

static void rows_are_found_by_words(void **state)
{
	struct ledger_job other = hub;

	(void)state;
	assert_string_equal(look("", 0, 5), "next 0"); /* a ledger without rows */
	other.id[0] = 0xb2;
	other.coordinator = "Lab";
	write_rows(&hub, 3, "term of a sum: 100%");
	write_rows(&other, 2, "labels");
	assert_string_equal(look("", 0, 9), "5 4 3 2 1 next 0");
	assert_string_equal(look("", 0, 2), "5 4 next 4");
	assert_string_equal(look("", 4, 2), "3 2 next 2");
	assert_string_equal(look("", 2, 2), "1 next 0");
	assert_string_equal(look("", 999, 1), "5 next 5");
	assert_string_equal(look("SUM", 0, 9), "3 2 1 next 0");
	assert_string_equal(look("lab", 0, 9), "5 4 next 0");
	assert_string_equal(look("b20000", 0, 9), "5 4 next 0");
	assert_string_equal(look("bank-b", 0, 2), "5 4 next 4");
	assert_string_equal(look("100%", 0, 9), "3 2 1 next 0"); /* not a pattern */
	assert_string_equal(look("1_0", 0, 9), "next 0");
	assert_string_equal(look("' OR 1=1 --", 0, 9), "next 0");
}

/* One call reads at most LEDGER_SPAN rows, even if none of them matches. */
static void a_search_is_bounded(void **state)
{
	char text[32];

	(void)state;
	write_rows(&hub, 1, "needle");
	write_rows(&hub, LEDGER_SPAN + 1, "hay");
	sprintf(text, "next %d", 3);
	assert_string_equal(look("needle", 0, 9), text);
	assert_string_equal(look("needle", 3, 9), "1 next 0");
}

static enum err add_spent(void *arg, const struct ledger_job *job, const struct ledger_spent *s)
{
	(void)arg;
	sprintf(found + strlen(found), "%s %d/%d: %d %d %d; ", job->coordinator, job->key[0],
		job->data[0], (int)s->jobs, (int)s->rounds, (int)s->words);
	return ERR_OK;
}

static void what_was_spent_is_told(void **state)
{
	struct ledger_job job = hub;

	(void)state;
	*found = 0;
	assert_ok(ledger_read_spent(book, add_spent, NULL));
	assert_string_equal(found, "");
	write_rows(&hub, 3, "x");
	job.attempt = 2;
	job.parties = "bank-a bank-c"; /* rows with other parties count, too */
	write_rows(&job, 1, "x");
	job.data[0] = 1;
	write_rows(&job, 2, "x");
	job.key[0] = 8;
	job.coordinator = "lab";
	write_rows(&job, 1, "x");
	assert_ok(ledger_read_spent(book, add_spent, NULL));
	assert_string_equal(found, "hub 7/1: 1 2 20; lab 8/1: 1 1 10; hub 7/9: 2 4 40; ");
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		WITH(rows_are_found_by_words),
		WITH(a_search_is_bounded),
		WITH(what_was_spent_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
