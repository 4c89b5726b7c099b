/* ledger_own.h -- the inside of a ledger, for ledger.c and ledger_verify.c only. */
#ifndef CRYPTO_LEDGER_OWN_H
#define CRYPTO_LEDGER_OWN_H

#include "common/base/db.h"
#include "crypto/ledger.h"

#include <sys/stat.h>

struct ledger {
	struct db *db;
	char *path, *name;
	/* the job of ledger_begin() */
	struct ledger_job job; /* texts owned */
	uint8_t job_hash[SHA256_LEN];
	int64_t entry; /* of it in the file; 0: not written yet */
	bool submitters; /* the file has a column for them */
	bool got;      /* a row of it has something made from data */
	struct ledger_row *noted; /* texts owned */
	size_t count, cap;
	struct stat file;     /* as it was opened to be written */
	uint64_t seen, wrote; /* rows: that ledger_watch() knows of; up to the last that is being written */
	enum err (*others)(void *arg);
	void *arg;
};

/* A column that must be a hash: zeros if it is none. */
void ledger_column_hash(struct db_rows *rows, int column, uint8_t hash[static SHA256_LEN]);

enum err ledger_has_submitters(struct ledger *l) MUST_CHECK; /* l->submitters */
void ledger_hash_job(const struct ledger_job *job, uint8_t hash[static SHA256_LEN]);
void ledger_hash_row(const uint8_t previous[static SHA256_LEN],
		     const uint8_t job[static SHA256_LEN], const struct ledger_row *row,
		     uint8_t hash[static SHA256_LEN]);

#endif
