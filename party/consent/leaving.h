/* leaving.h -- records this party's egress in its ledger and bounds it by its policy.
 *
 *     channel_send -> note: within the budgets? -> held -> commit: a row each -> the wire
 */
#ifndef PARTY_CONSENT_LEAVING_H
#define PARTY_CONSENT_LEAVING_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Other files may read ledger, job and spent. */
struct leaving {
	const struct party_config *config;
	struct work *work;
	struct ledger *ledger;
	struct ledger_job job; /* texts: borrowed; parties: owned */
	/* Egress to its coordinator from this data set, over all jobs and attempts. */
	struct ledger_spent spent;
	/* The part of spent that is in the ledger's rows, as far as this process has read. */
	struct ledger_spent booked;
	struct ledger_spent noted; /* since the last commit */
	struct kind_claim claims;  /* claim of the job; eps 0: none */
	bool booked_claim; /* the claim of the next numbers has a row, perhaps uncommitted */
	bool checked;      /* numbers were booked, and no other process has written since */
	struct ledger_head reported;
	double durable_s; /* time of the last commit that waited for the disk; 0: none */
	bool last_word;   /* DONE, DECLINE or ABORT was noted: its commit waits for the disk */
};

/* Creates state/ledger.db if it does not exist, so that no job waits for its creation. Logs a
 * warning on errors, since each job will fail with them, too. */
void leaving_prepare(const struct party_config *config);

/* Opens state/ledger.db and records every further message of the job in it. work has an offer (job,
 * names; readable: it could be parsed), channel and record, and must outlive *l. data: fingerprint
 * of the party's data. ERR_JOB, ERR_INPUT: there is no ledger, so the party must send nothing. */
enum err leaving_open(struct leaving **l, const struct party_config *config, struct work *work,
		      bool readable, const uint8_t data[static SHA256_LEN]) MUST_CHECK;
/* Checks the job's budgets by the current ledger, before the job. ERR_PEER if it exceeds one.
 * Another process may book its numbers first, so the commit of the job's first numbers checks
 * again. */
enum err leaving_check_past(struct leaving *l) MUST_CHECK;
/* Stops recording. NULL: no effect. */
void leaving_close(struct leaving *l);

/* leaving_fill_head() puts this party's head into DONE. leaving_keep_heads() copies the heads of
 * all parties from the coordinator's DONE into the ledger and the record. ERR_PEER if this party's
 * own head came back changed. */
enum err leaving_fill_head(struct leaving *l, struct msg_done *done) MUST_CHECK;
enum err leaving_keep_heads(struct leaving *l, const struct msg_done *done) MUST_CHECK;
/* Records the ledger's final position. */
void leaving_record(struct leaving *l);

enum { PURPOSE_MAX = 1024 };

/* Describes the message for the ledger; describes MASKED with the members of its sum
 * (work->sum). */
void purpose_of(const struct work *work, const struct msg *m, char text[static PURPOSE_MAX]);

/* Returns how many numbers in the message are made from data, including masked ones; 0 for keys,
 * hashes, texts and zeros. */
uint64_t purpose_words(const struct work *work, const struct msg *m);

#endif
