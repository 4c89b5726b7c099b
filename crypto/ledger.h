/* ledger.h -- the egress ledger: one row for each message that left this party, hash-chained.
 *
 *     row 1 <- row 2 <- ... <- row count            head = (count, hash of row count)
 *
 * A row's hash is the SHA-256 of the previous hash (32 zeros before the first), its job's entry and
 * all its own fields. A reader thus finds changed, removed or moved rows. The receiver of a head
 * detects rows missing at the end (ledger_check).
 *
 * The file is an SQLite database with a write-ahead log: `ledger.db`, and while it is open
 * `ledger.db-wal` and `-shm`. One thread at a time may use a handle. Several processes may read and
 * write; each commit reads the head again.
 *
 * Errors: ERR_JOB with the file's name and SQLite's reason, unless stated otherwise. All functions
 * on rows cost O(rows).
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

/* One attempt at a job, as offered. Texts are borrowed. */
struct ledger_job {
	uint8_t id[LEDGER_JOB_LEN];
	uint32_t attempt;
	const char *kind;
	const char *coordinator;
	uint8_t key[SHA256_LEN];  /* fingerprint of the coordinator's public key */
	uint8_t data[SHA256_LEN]; /* hash of the data as loaded */
	const char *parties;      /* names of all parties, ascending, separated by blanks */
	/* The user, as reported by the coordinator; NULL or "" if it reported none. */
	const char *submitter;
	/* The job continued without some of its first parties, so other attempts at it may have
	 * other parties. */
	bool left;
	/* Name that the party gave its data set. It stays the same if the data change. NULL or ""
	 * if none. */
	const char *set;
};

/* One message. Texts are borrowed. */
struct ledger_row {
	uint64_t time_ms;    /* since 1970, UTC */
	const char *step;    /* phase of the job */
	const char *purpose; /* description for the user */
	const char *type;    /* message name */
	uint64_t bytes;      /* bytes of the message's body */
	uint8_t sha256[SHA256_LEN];
	bool masked;
	uint64_t rounds;   /* number of secure sums that begin with this message: 0 or 1 */
	uint64_t words;    /* how many numbers in the message are derived from data */
	double eps, delta; /* differential privacy spent by this message; 0 if none was claimed */
	/* Gaussian differential privacy spent (common/privacy/account.h); 0 if not known. */
	double mu;
	/* Unit of privacy: "row", "edge", "graph"; NULL or "" if none was claimed. */
	const char *unit;
};

/* Opens the ledger of party `name`, or creates it with mode 0600. ERR_INPUT if it belongs to
 * another party or is not a ledger. */
enum err ledger_open(struct ledger **l, const char *path, const char *name) MUST_CHECK;
/* Opens for reading. ERR_INPUT if there is no ledger. */
enum err ledger_open_read(struct ledger **l, const char *path) MUST_CHECK;
void ledger_close(struct ledger *l);             /* accepts NULL; drops uncommitted rows */
const char *ledger_name(const struct ledger *l); /* name of the party that owns it */
/* yes (the default): when a commit returns, all rows up to it are on disk and survive a power
 * failure. Otherwise commits survive the end of the process, but not a power failure. */
enum err ledger_durable(struct ledger *l, bool yes) MUST_CHECK;

/* ---- writing ---- */

/* Assigns the rows noted from here on to this job. */
void ledger_begin(struct ledger *l, const struct ledger_job *job);
/* Keeps a row in memory until the commit. Computes sha256 and bytes from body, and ignores those in
 * `row`. If row->time_ms is 0, it becomes the current time. */
void ledger_note(struct ledger *l, const struct ledger_row *row, struct bytes body);
/* Writes all noted rows in one transaction. On failure writes nothing and keeps the rows noted. */
enum err ledger_commit(struct ledger *l) MUST_CHECK;
/* Drops the rows noted and the questions asked since the last commit. */
void ledger_forget(struct ledger *l);
enum err ledger_head(struct ledger *l, struct ledger_head *head) MUST_CHECK;
/* Stores the heads that the other parties reported at the end of the job of ledger_begin(). */
enum err ledger_keep_heads(struct ledger *l, const char *const *name,
			   const struct ledger_head *head, size_t count) MUST_CHECK;

/* ---- counting ---- */

/* Makes each later commit call `check` first, inside its transaction, in which no other process can
 * write. In `check`, ledger_spent() and similar functions count all earlier commits. others:
 * another process has written since this process's last successful commit. If `check` returns an
 * error, the commit fails and writes nothing. This is for budgets that several processes share. */
typedef enum err ledger_check_commit(void *arg, bool others);
enum err ledger_watch(struct ledger *l, ledger_check_commit *check, void *arg) MUST_CHECK;

struct ledger_spent {
	/* Number of attempts that sent numbers derived from data, not counting the attempt given to
	 * ledger_spent(). */
	uint64_t jobs;
	uint64_t rounds; /* secure sums */
	uint64_t words;
	/* differential privacy spent in all attempts at this job on the same data */
	double eps_of_job;
	uint64_t claims_of_job; /* number of claims in these attempts */
};
/* Counts what this party has sent about job's data set to the coordinator whose key is job->key, in
 * all jobs. A data set consists of all data under its name, and of the same data under other names
 * or none. Without a name, it consists of the same data only, under any name. O(rows of this
 * job). */
enum err ledger_spent(struct ledger *l, const struct ledger_job *job,
		      struct ledger_spent *s) MUST_CHECK;
/* Finds an earlier job that sent numbers derived from this data set, under any coordinator, and
 * whose parties are not those of `job`. *other becomes its parties, such as "bank-a bank-b", owned
 * by the caller; NULL if there is no such job. If job->left is set, attempts at job itself do not
 * count and the cost is O(rows). */
enum err ledger_other_parties(struct ledger *l, const struct ledger_job *job,
			      char **other) MUST_CHECK;

/* Sums the claims of differential privacy on job's data set, under any coordinator, per unit. A
 * claim without mu counts as Gaussian noise with the same (eps, delta), with unit "row". An invalid
 * claim (from a damaged file) counts as INFINITY. ERR_JOB if there are more than LEDGER_UNITS
 * units. O(claims). */
enum { LEDGER_UNITS = 4, LEDGER_UNIT_TEXT = 16 };
struct ledger_account {
	size_t units;
	struct ledger_unit {
		char name[LEDGER_UNIT_TEXT];
		uint64_t claims;
		/* sum of the squares of all claims' mu, which is the square of the total mu */
		double square;
	} unit[LEDGER_UNITS];
};
enum err ledger_account(struct ledger *l, const struct ledger_job *job,
			struct ledger_account *a) MUST_CHECK;
/* Returns the square of mu for that unit; 0 if no claim has the unit. */
double ledger_square(const struct ledger_account *a, const char *unit);
/* Counts attempts on job's data set that sent numbers derived from data, at jobs of which no
 * attempt claimed differential privacy. O(rows). */
enum err ledger_bare(struct ledger *l, const struct ledger_job *job, uint64_t *attempts) MUST_CHECK;

/* ---- questions answered with noise ---- */

/* A question: its number within the attempt, and a hash of everything that determines noise and
 * answer. */
struct ledger_question {
	uint32_t release;
	uint8_t hash[SHA256_LEN];
};
/* Records the question as answered. The next commit of numbers derived from data writes it. */
void ledger_ask(struct ledger *l, const struct ledger_question *q);
/* Looks up q in all attempts at job, among the questions with q's number. same: q itself was
 * answered. others: how many different questions with this number were answered. */
struct ledger_asked {
	bool same;
	uint64_t others;
};
enum err ledger_asked(struct ledger *l, const struct ledger_job *job,
		      const struct ledger_question *q, struct ledger_asked *asked) MUST_CHECK;
/* Finds an attempt at job that sent numbers derived from other data than job's; *attempt is 0 if
 * there is none. */
enum err ledger_other_data(struct ledger *l, const struct ledger_job *job,
			   uint32_t *attempt) MUST_CHECK;

/* ---- reading ---- */

struct ledger_line {
	uint64_t number; /* from 1 */
	struct ledger_job job;
	struct ledger_row row;
	uint8_t previous[SHA256_LEN], hash[SHA256_LEN];
};
/* Calls f for each row, ascending, and stops at its first error. Pointers in the line are valid
 * during the call only. job: leading digits of a job id, "" for all. since_ms: skips older rows. */
typedef enum err ledger_reader(void *arg, const struct ledger_line *line);
enum err ledger_read(struct ledger *l, const char *job, uint64_t since_ms, ledger_reader *f,
		     void *arg) MUST_CHECK;
/* Searches the LEDGER_SPAN rows below number `before` (0: the last ones), newest first, for the
 * text `words` in the texts of row and job, ignoring case. Reports at most `most` rows. *next
 * becomes the value of `before` with which to continue the search; 0 if no rows are left. */
enum { LEDGER_SPAN = 20000 };
enum err ledger_find(struct ledger *l, const char *words, uint64_t before, size_t most,
		     ledger_reader *f, void *arg, uint64_t *next) MUST_CHECK;
/* Reports the totals of ledger_spent() for each coordinator and data set. The job passed to `f` has
 * only coordinator, key, data and set. ERR_INPUT if an older version wrote the file, and no process
 * has opened it for writing since then. */
typedef enum err ledger_spent_reader(void *arg, const struct ledger_job *job,
				     const struct ledger_spent *s);
enum err ledger_read_spent(struct ledger *l, ledger_spent_reader *f, void *arg) MUST_CHECK;
/* Calls f for each head that another party reported, newest first. */
typedef enum err ledger_head_reader(void *arg, const char *name, const struct ledger_head *head);
enum err ledger_read_heads(struct ledger *l, ledger_head_reader *f, void *arg) MUST_CHECK;

/* ---- checking ---- */

/* Receives one sentence per fault: the rows affected and the kind of change. */
typedef void ledger_finding(void *arg, const char *sentence);
/* Checks each row against its hash and the previous row, and the last row against the recorded
 * head. *faults: number of sentences. Errors concern reading only. */
enum err ledger_verify(struct ledger *l, ledger_finding *say, void *arg, size_t *faults) MUST_CHECK;
/* Checks that all rows up to a head that was sent to party `who` are still there and unchanged. */
enum err ledger_check(struct ledger *l, const char *who, const struct ledger_head *head,
		      ledger_finding *say, void *arg, size_t *faults) MUST_CHECK;

#endif
