/* ledger_own.h -- internals of a ledger, for ledger*.c only. */
#ifndef CRYPTO_LEDGER_OWN_H
#define CRYPTO_LEDGER_OWN_H

#include "common/base/db.h"
#include "crypto/ledger.h"

struct ledger {
	struct db *db;
	char *path, *name;
	struct ledger_job job; /* set by ledger_begin(); texts owned */
	uint8_t job_hash[SHA256_LEN];
	int64_t entry; /* number of the job's entry in the file; 0 if not written yet */
	/* submitters: the file has the column `submitter`. claims: it has the table `claim` and the
	 * column `dataset`. */
	bool submitters, claims;
	bool durable;             /* commits wait for the disk */
	bool got;                 /* a row of this attempt has numbers derived from data */
	struct ledger_row *noted; /* texts owned */
	size_t count, cap;
	struct ledger_question *question; /* to be written by the next commit */
	size_t questions;
	/* `seen`: number of rows after this process's last commit, or at ledger_watch(). `wrote`:
	 * number of rows after the running commit. */
	uint64_t seen, wrote;
	ledger_check_commit *check;
	void *arg;
};

/* Reads a column that must be a hash. If the column does not have the length of a hash, the hash
 * becomes zero. */
void ledger_column_hash(struct db_rows *rows, int column, uint8_t hash[static SHA256_LEN]);

/* ---- ledger_count.c ---- */

enum err ledger_look(struct ledger *l) MUST_CHECK; /* sets l->submitters and l->claims */
/* Upgrades a file of an older version, and rebuilds the totals if needed. */
enum err ledger_bring(struct ledger *l) MUST_CHECK;
/* Adds the noted rows to the totals. */
enum err ledger_total(struct ledger *l, uint64_t rounds, uint64_t words) MUST_CHECK;

/* ---- ledger_question.c ---- */

/* Creates the table of questions, which older files lack. */
enum err ledger_bring_questions(struct ledger *l) MUST_CHECK;
enum err ledger_write_questions(struct ledger *l, int64_t entry) MUST_CHECK;

/* ---- ledger.c ---- */

void ledger_hash_job(const struct ledger_job *job, uint8_t hash[static SHA256_LEN]);
void ledger_hash_row(const uint8_t previous[static SHA256_LEN],
		     const uint8_t job[static SHA256_LEN], const struct ledger_row *row,
		     uint8_t hash[static SHA256_LEN]);

#endif
