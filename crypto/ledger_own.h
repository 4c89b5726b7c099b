/* ledger_own.h -- the inside of a ledger, for ledger.c and ledger_verify.c only. */
#ifndef CRYPTO_LEDGER_OWN_H
#define CRYPTO_LEDGER_OWN_H

#include "crypto/ledger.h"

#include <sqlite3.h>
#include <sys/stat.h>

struct ledger {
	sqlite3 *db;
	char *path, *name;
	/* the job of ledger_begin() */
	struct ledger_job job; /* texts owned */
	uint8_t job_hash[SHA256_LEN];
	int64_t entry; /* of it in the file; 0: not written yet */
	bool got;      /* a row of it has something made from data */
	struct ledger_row *noted; /* texts owned */
	size_t count, cap;
	struct stat file;     /* as it was opened to be written */
	uint64_t seen, wrote; /* rows: that ledger_watch() knows of; up to the last that is being written */
	enum err (*others)(void *arg);
	void *arg;
};

/* One statement with its arguments: i an int64_t, t a text, h a hash, j a job id as text, d a
 * double. Steps to the first row. *stmt is to be finalised by the caller, whatever came of it;
 * *found: there is a row. */
enum err ledger_query(struct ledger *l, sqlite3_stmt **stmt, bool *found, const char *sql,
		      const char *arguments, ...) MUST_CHECK;
enum err ledger_next(struct ledger *l, sqlite3_stmt *stmt, bool *found) MUST_CHECK;
/* A column that must be a hash: zeros if it is none. */
void ledger_column_hash(sqlite3_stmt *stmt, int column, uint8_t hash[static SHA256_LEN]);

void ledger_hash_job(const struct ledger_job *job, uint8_t hash[static SHA256_LEN]);
void ledger_hash_row(const uint8_t previous[static SHA256_LEN],
		     const uint8_t job[static SHA256_LEN], const struct ledger_row *row,
		     uint8_t hash[static SHA256_LEN]);

#endif
