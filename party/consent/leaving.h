/* leaving.h -- records this party's egress in its ledger, and limits the egress by its policy. The
 * path of a message:
 *
 *     channel_send -> note: within the budgets? -> held -> commit: a row each -> the wire
 */
#ifndef PARTY_CONSENT_LEAVING_H
#define PARTY_CONSENT_LEAVING_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Other files may read `ledger`, `job` and `spent`. */
struct leaving {
	const struct party_config *config;
	struct work *work;
	struct ledger *ledger;
	struct ledger_job job; /* texts: borrowed; parties: owned */
	/* Egress to this job's coordinator from this data set, over all jobs and attempts. */
	struct ledger_spent spent;
	/* The part of `spent` that the ledger's rows contain, as far as this process has read
	 * them. */
	struct ledger_spent booked;
	struct ledger_spent noted; /* egress since the last commit */
	struct kind_claim claims;  /* the job's claim of differential privacy; eps 0: none */
	/* A row of the ledger, which may not be committed yet, already has the claim that covers
	 * the next numbers. */
	bool booked_claim;
	/* Numbers were booked, and no other process has written to the ledger since. */
	bool checked;
	struct ledger_head reported;
	double durable_s; /* time of the last commit that waited for the disk; 0: none */
	/* DONE, DECLINE or ABORT was noted, so the next commit waits for the disk. */
	bool last_word;
};

/* Creates state/ledger.db if it does not exist, so that no job waits for its creation. On errors,
 * only logs a warning, since each job will report the same error. */
void leaving_prepare(const struct party_config *config);

/* Opens state/ledger.db and records every further message of the job in it. work has an offer (job,
 * names), channel and record, and must outlive *l. readable: the offer could be parsed. data:
 * fingerprint of the party's data. ERR_JOB, ERR_INPUT: the ledger cannot be used, so the party must
 * send nothing. */
enum err leaving_open(struct leaving **l, const struct party_config *config, struct work *work,
		      bool readable, const uint8_t data[static SHA256_LEN]) MUST_CHECK;
/* Checks before the job that the budgets suffice for it, given the ledger's present rows. ERR_PEER:
 * one does not. Another process may book its numbers first, so the budgets are checked again when
 * the job's first numbers are committed. */
enum err leaving_check_past(struct leaving *l) MUST_CHECK;
/* Stops recording. NULL: no effect. */
void leaving_close(struct leaving *l);

/* leaving_fill_head() puts this party's head into DONE. leaving_keep_heads() copies the heads of
 * all parties from the coordinator's DONE into the ledger and the record. ERR_PEER: DONE has
 * another number of heads than parties, or another head of this party than it sent. */
enum err leaving_fill_head(struct leaving *l, struct msg_done *done) MUST_CHECK;
enum err leaving_keep_heads(struct leaving *l, const struct msg_done *done) MUST_CHECK;
/* Records the ledger's final position in the job's record. */
void leaving_record(struct leaving *l);

enum { PURPOSE_MAX = 1024 };

/* Writes a description of the message for the ledger. For MASKED it names the members of the sum
 * (work->sum). */
void purpose_of(const struct work *work, const struct msg *m, char text[static PURPOSE_MAX]);

/* Returns the number of values in the message that depend on data, including masked values, hashed
 * ids and the padding of batches. Keys, fingerprints and texts do not count. */
uint64_t purpose_words(const struct work *work, const struct msg *m);

#endif
