/* ledger_own.h -- the inside of a ledger, for ledger*.c only. */
#ifndef CRYPTO_LEDGER_OWN_H
#define CRYPTO_LEDGER_OWN_H

#include "common/base/db.h"
#include "crypto/ledger.h"


struct ledger {
	struct db *db;
	char *path, *name;
	/* the job of ledger_begin() */
	struct ledger_job job; /* texts owned */
	uint8_t job_hash[SHA256_LEN];
	int64_t entry; /* of it in the file; 0: not written yet */
	bool submitters, claims; /* the file has a column for them; a table for them, and a column for data sets */
	bool durable;  /* commits wait for the disk */
	bool got;      /* a row of it has something made from data */
	struct ledger_row *noted; /* texts owned */
	size_t count, cap;
	struct ledger_question *question; /* noted for the next commit */
	size_t questions;
	uint64_t seen, wrote; /* rows: that ledger_watch() knows of; up to the last that is being written */
	ledger_check_commit *check;
	void *arg;
};

/* A column that must be a hash: zeros if it is none. */
void ledger_column_hash(struct db_rows *rows, int column, uint8_t hash[static SHA256_LEN]);

/* ---- ledger_count.c ---- */

enum err ledger_look(struct ledger *l) MUST_CHECK;  /* l->submitters, l->claims */
enum err ledger_bring(struct ledger *l) MUST_CHECK; /* what a file of an older version lacks, and totals */
/* Into the totals: the rows that are noted, with so much in them. */
enum err ledger_total(struct ledger *l, uint64_t rounds, uint64_t words) MUST_CHECK;

/* ---- ledger_question.c ---- */

enum err ledger_bring_questions(struct ledger *l) MUST_CHECK; /* the table that older files lack */
enum err ledger_write_questions(struct ledger *l, int64_t entry) MUST_CHECK;

/* ---- ledger.c ---- */

void ledger_hash_job(const struct ledger_job *job, uint8_t hash[static SHA256_LEN]);
void ledger_hash_row(const uint8_t previous[static SHA256_LEN],
		     const uint8_t job[static SHA256_LEN], const struct ledger_row *row,
		     uint8_t hash[static SHA256_LEN]);

#endif
