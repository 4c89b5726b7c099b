/* ledger_rows.h -- writes rows into a ledger, collects the faults that a check reports, and tampers
 * with the file. */
#ifndef TESTS_UNIT_CRYPTO_LEDGER_ROWS_H
#define TESTS_UNIT_CRYPTO_LEDGER_ROWS_H

#include "tests/unit/crypto/book.h"

#include <sqlite3.h>
#include <string.h>

static const struct ledger_job job_a = { .id = { 0xa1, 0x02 },
					 .attempt = 1,
					 .kind = "kcagc",
					 .coordinator = "hub",
					 .key = { 7 },
					 .data = { 9 },
					 .parties = "bank-a bank-b",
					 .submitter = "ann" };

static inline void note(const char *type, uint64_t rounds, uint64_t words)
{
	const struct ledger_row row = { .step = "local",
					.purpose = "something in words",
					.type = type,
					.masked = rounds > 0,
					.rounds = rounds,
					.words = words };

	ledger_note(book, &row, (struct bytes){ (const uint8_t *)type, strlen(type) });
}

static inline void write_some(size_t rows)
{
	ledger_begin(book, &job_a);
	for (size_t i = 0; i < rows; i++) {
		note(i % 2 ? "MASKED" : "KEY", i % 2, 10 * (i % 2));
		assert_ok(ledger_commit(book));
	}
}

/* ---- reported faults ---- */

static char said[4096];

static inline void hear(void *arg, const char *sentence)
{
	(void)arg;
	strncat(said, sentence, sizeof(said) - strlen(said) - 2);
	strcat(said, "\n");
}

static inline size_t verify(void)
{
	size_t faults = 99;

	*said = 0;
	assert_ok(ledger_verify(book, hear, NULL, &faults));
	return faults;
}

static inline size_t check_against(const struct ledger_head *head)
{
	size_t faults = 99;

	*said = 0;
	assert_ok(ledger_check(book, "bank-b", head, hear, NULL, &faults));
	return faults;
}

static inline void says(const char *what)
{
	if (!strstr(said, what))
		fail_msg("\"%s\" is not in: %s", what, said);
}

/* Changes the file, like a person with a database tool. */
static inline void tamper(const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

static inline void spend(uint8_t id, uint32_t attempt, uint8_t key, uint8_t data,
			 const char *parties, uint64_t rounds)
{
	struct ledger_job j = job_a;

	j.id[0] = id;
	j.attempt = attempt;
	j.key[0] = key;
	j.data[0] = data;
	j.parties = parties;
	ledger_begin(book, &j);
	note("KEY", 0, 0);
	for (uint64_t i = 0; i < rounds; i++)
		note("MASKED", 1, 100);
	assert_ok(ledger_commit(book));
}

/* Writes a job of hub over data `data` of the data set `set` ("": no name). The job claims a
 * privacy cost of mu for each row of these data. */
static inline void write_claim(const char *set, uint8_t data, uint8_t id, double mu)
{
	struct ledger_job j = job_a;
	const struct ledger_row row = { .step = "s",
					.purpose = "p",
					.type = "MASKED",
					.rounds = 1,
					.masked = true,
					.words = 1,
					.eps = 1,
					.delta = 1e-5,
					.mu = mu,
					.unit = "row" };

	j.id[0] = id;
	j.data[0] = data;
	j.set = set;
	ledger_begin(book, &j);
	note("KEY", 0, 0);
	ledger_note(book, &row, (struct bytes){ (const uint8_t *)"", 0 });
	assert_ok(ledger_commit(book));
}

static inline struct ledger_spent spent(uint8_t key, uint8_t data, uint8_t job, uint32_t attempt)
{
	struct ledger_job j = { .id = { job, 0x02 }, .attempt = attempt };
	struct ledger_spent s;

	j.key[0] = key;
	j.data[0] = data;
	assert_ok(ledger_spent(book, &j, &s));
	return s;
}

#endif
