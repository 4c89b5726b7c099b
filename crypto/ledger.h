/* ledger.h -- what left this party: one row per message, each bound to the one before.
 *
 *     row 1 <- row 2 <- ... <- row count            head = (count, hash of row count)
 *
 * A row's hash is the SHA-256 of the hash before it (32 zeros before the first), of its job's entry
 * and of all its own fields, so a row that was changed, taken out or moved is found by whoever reads
 * on, and one that is missing at the end by whoever was told a head (ledger_check). The file is an
 * SQLite database with a write-ahead log: `ledger.db` with, while it is open, `ledger.db-wal` and
 * `-shm`. Not for use by several threads at once; several processes
 * may write (each commit reads the head anew) and read.
 *
 * Errors: ERR_JOB, with the file's name and what SQLite says, where nothing else is told. All
 * functions on rows cost O(rows).
 */
#ifndef CRYPTO_LEDGER_H
#define CRYPTO_LEDGER_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "crypto/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEDGER_JOB_LEN = 16, LEDGER_JOB_TEXT = 2 * LEDGER_JOB_LEN + 1, LEDGER_SENTENCE = 512 };

struct ledger;

struct ledger_head {
	uint64_t count;
	uint8_t hash[SHA256_LEN]; /* zero if count is 0 */
};

/* One attempt at a job, as it was offered. Texts are borrowed. */
struct ledger_job {
	uint8_t id[LEDGER_JOB_LEN];
	uint32_t attempt;
	const char *kind;
	const char *coordinator;
	uint8_t key[SHA256_LEN];  /* fingerprint of the coordinator's public key */
	uint8_t data[SHA256_LEN]; /* of the data as loaded */
	const char *parties;      /* all of the job, rising, with a blank between them */
	const char *submitter;    /* who wanted it, as the coordinator said; NULL or "": it did not say */
	bool left; /* some of those with whom it began were left out: its own attempts may be of other parties */
	const char *set; /* the name that the party has given its data, whatever they are today; NULL or "": none */
};

/* A message. Texts are borrowed. */
struct ledger_row {
	uint64_t time_ms;    /* since 1970, UTC */
	const char *step;    /* the phase of the job */
	const char *purpose; /* in words */
	const char *type;    /* the message's name */
	uint64_t bytes;      /* of the body */
	uint8_t sha256[SHA256_LEN]; /* of the body as sent */
	bool masked;
	uint64_t rounds; /* secure sums that begin with it: 0 or 1 */
	uint64_t words;  /* numbers made from data in it */
	double eps, delta; /* differential privacy that was spent with it; 0: none was claimed */
	double mu;         /* the same as of Gaussian noise (common/privacy/account.h); 0: not known */
	const char *unit;  /* of what: "row", "edge", "graph"; NULL or "": nothing was claimed */
};

/* Opens it, makes it (mode 0600) if it is not there. name: the party's; one that belongs to another
 * party, or is no ledger, is ERR_INPUT. */
enum err ledger_open(struct ledger **l, const char *path, const char *name) MUST_CHECK;
/* For reading; ERR_INPUT if there is none. */
enum err ledger_open_read(struct ledger **l, const char *path) MUST_CHECK;
void ledger_close(struct ledger *l); /* NULL is fine; what was not committed is forgotten */
const char *ledger_name(const struct ledger *l); /* of the party whose it is */
/* true (as opened): a commit is on disk when it returns, with all before it, and outlives a power
 * cut. false: it outlives the process only. */
enum err ledger_durable(struct ledger *l, bool yes) MUST_CHECK;

/* ---- writing ---- */

/* Rows noted from here on belong to this job. */
void ledger_begin(struct ledger *l, const struct ledger_job *job);
/* In memory until the commit. sha256 and bytes are those of body; of the row they are ignored. */
void ledger_note(struct ledger *l, const struct ledger_row *row, struct bytes body);
/* All that was noted, in one transaction; nothing if there is nothing. On failure nothing is
 * written and all is still noted. */
enum err ledger_commit(struct ledger *l) MUST_CHECK;
void ledger_forget(struct ledger *l); /* what was noted since the last commit */
enum err ledger_head(struct ledger *l, struct ledger_head *head) MUST_CHECK;
/* The heads that the other parties had when the job of ledger_begin() ended. */
enum err ledger_keep_heads(struct ledger *l, const char *const *name,
			   const struct ledger_head *head, size_t count) MUST_CHECK;

/* ---- counting ---- */

/* From here on each commit first calls `check`, within its transaction, where no other process can
 * write: ledger_spent() and the like then count all that was committed before. others: another
 * process has written since the last commit of this one that succeeded. An error of `check` is the
 * commit's, which then writes nothing. For budgets that several processes share. */
typedef enum err ledger_check_commit(void *arg, bool others);
enum err ledger_watch(struct ledger *l, ledger_check_commit *check, void *arg) MUST_CHECK;

struct ledger_spent {
	uint64_t jobs;   /* attempts with anything made from data, but for the one that is asked for */
	uint64_t rounds; /* secure sums */
	uint64_t words;
	double eps_of_job; /* differential privacy spent in all attempts of this one */
	uint64_t claims_of_job; /* how often it was claimed in them */
};
/* How much the coordinator with job's key has had of job's data set, in this job and others. A data set is what has
 * its name, and all data that ever had it; data without a name are a set of their own.
 * O(rows of this job). */
enum err ledger_spent(struct ledger *l, const struct ledger_job *job,
		      struct ledger_spent *s) MUST_CHECK;
/* The parties of an earlier job over this data set, whoever coordinated it, that were not job's:
 * "bank-a bank-b", owned by the caller; NULL if there was none. Where job->left, attempts at job itself do not
 * count, and it is O(rows). */
enum err ledger_other_parties(struct ledger *l, const struct ledger_job *job, char **other) MUST_CHECK;

/* What was claimed of differential privacy of job's data set, whoever coordinated: each unit apart. Claims of before
 * there was mu count as the Gaussian noise with which theirs is exact, of a row; one that is none (a damaged file) as
 * INFINITY. ERR_JOB: more units than that. O(claims). */
enum { LEDGER_UNITS = 4, LEDGER_UNIT_TEXT = 16 };
struct ledger_account {
	size_t units;
	struct ledger_unit {
		char name[LEDGER_UNIT_TEXT];
		uint64_t claims;
		double square; /* of the total's mu: the sum of theirs */
	} unit[LEDGER_UNITS];
};
enum err ledger_account(struct ledger *l, const struct ledger_job *job, struct ledger_account *a) MUST_CHECK;
/* The square of that unit's; 0 if nothing of it was claimed. */
double ledger_square(const struct ledger_account *a, const char *unit);
/* Attempts at jobs over job's data set with anything made from data that claimed nothing. O(rows). */
enum err ledger_bare(struct ledger *l, const struct ledger_job *job, uint64_t *attempts) MUST_CHECK;

/* ---- questions that are answered with noise ---- */

/* A question by its number among those of its attempt, and a hash of all on which noise and answer depend. */
struct ledger_question {
	uint32_t release;
	uint8_t hash[SHA256_LEN];
};
/* With the next commit that has a row: this question is answered. */
void ledger_ask(struct ledger *l, const struct ledger_question *q);
/* Among the questions of that number in all attempts at job: is it there, and how many others are? */
struct ledger_asked {
	bool same;
	uint64_t others;
};
enum err ledger_asked(struct ledger *l, const struct ledger_job *job,
		      const struct ledger_question *q, struct ledger_asked *asked) MUST_CHECK;
/* An attempt at job in which numbers of other data than job's left; 0: none. */
enum err ledger_other_data(struct ledger *l, const struct ledger_job *job,
			   uint32_t *attempt) MUST_CHECK;

/* ---- reading ---- */

struct ledger_line {
	uint64_t number; /* from 1 */
	struct ledger_job job;
	struct ledger_row row;
	uint8_t previous[SHA256_LEN], hash[SHA256_LEN];
};
/* Each row in turn; what it points to dies with the call. Stops at the first error of f. job: the
 * first digits of an id, "" for all; since_ms: no older ones. */
typedef enum err ledger_reader(void *arg, const struct ledger_line *line);
enum err ledger_read(struct ledger *l, const char *job, uint64_t since_ms, ledger_reader *f,
		     void *arg) MUST_CHECK;
/* The newest first, of the LEDGER_SPAN rows below number `before` (0: of the last ones): at most `most` in whose job's or own
 * texts `words` are, in any case. *next: where the search goes on, as `before`; 0: there are no more rows. */
enum { LEDGER_SPAN = 20000 };
enum err ledger_find(struct ledger *l, const char *words, uint64_t before, size_t most, ledger_reader *f, void *arg,
		     uint64_t *next) MUST_CHECK;
/* What each coordinator has had of each data set, as ledger_spent() counts; job: for coordinator, key, data and set.
 * ERR_INPUT: an older version has written the file, and nobody opened it to write since. */
typedef enum err ledger_spent_reader(void *arg, const struct ledger_job *job, const struct ledger_spent *s);
enum err ledger_read_spent(struct ledger *l, ledger_spent_reader *f, void *arg) MUST_CHECK;
/* Of each head that another party told: newest first. */
typedef enum err ledger_head_reader(void *arg, const char *name, const struct ledger_head *head);
enum err ledger_read_heads(struct ledger *l, ledger_head_reader *f, void *arg) MUST_CHECK;

/* ---- checking ---- */

/* A sentence for each fault: which rows, and what was done to them. */
typedef void ledger_finding(void *arg, const char *sentence);
/* Each row against its hash and the row before, the last against what the file says of its end.
 * *faults: how many sentences there were. Errors are of reading alone. */
enum err ledger_verify(struct ledger *l, ledger_finding *say, void *arg, size_t *faults) MUST_CHECK;
/* Against a head that was told to somebody (`who` in the sentence): are all those rows still there,
 * and the same? */
enum err ledger_check(struct ledger *l, const char *who, const struct ledger_head *head,
		      ledger_finding *say, void *arg, size_t *faults) MUST_CHECK;

#endif
