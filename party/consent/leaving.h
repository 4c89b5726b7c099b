/* leaving.h -- what leaves this party: written into its ledger, and bounded by its policy.
 *
 *     channel_send -> note: within the budgets? -> held -> commit: a row each -> the wire
 */
#ifndef PARTY_CONSENT_LEAVING_H
#define PARTY_CONSENT_LEAVING_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Others read ledger, job and spent. */
struct leaving {
	const struct party_config *config;
	struct work *work;
	struct ledger *ledger;
	struct ledger_job job;     /* texts: borrowed, parties owned */
	struct ledger_spent spent; /* by its coordinator, of this data set: over all jobs and attempts */
	struct ledger_spent booked; /* of that, what the ledger has in rows, by this process's knowledge */
	struct ledger_spent noted;  /* since the last commit */
	struct kind_claim claims; /* of the job; eps 0: none */
	bool booked_claim, noted_claim; /* in a row; in one that was noted since the last commit */
	bool checked; /* numbers were booked, and no other process has written since */
	struct ledger_head told;
	double durable_s; /* when the last commit was that waited for the disk; 0: none yet */
	bool last_word;   /* DONE, DECLINE or ABORT is among what was noted: it waits, too */
};

/* Makes state/ledger.db, if there is none, so that no job waits until a new one is on disk. A warning says why it cannot be
 * had: each job will hear it, too. */
void leaving_prepare(const struct party_config *config);

/* Opens state/ledger.db and makes every further message of the job a row in it. work: with an offer
 * (job, names; readable: it could be read), channel and record; it must outlive this. data: its
 * fingerprint. ERR_JOB, ERR_INPUT: there is no ledger, so nothing may leave. */
enum err leaving_open(struct leaving **l, const struct party_config *config, struct work *work,
		      bool readable, const uint8_t data[static SHA256_LEN]) MUST_CHECK;
/* Before the job: is it within all budgets, by the ledger as it is now? ERR_PEER. Another process may
 * book its numbers before this one: the commit of the job's first numbers checks again. */
enum err leaving_check_past(struct leaving *l) MUST_CHECK;
/* Nothing is written any more. NULL is fine. */
void leaving_close(struct leaving *l);

/* This party's head, into DONE; and those of all from the coordinator's DONE: kept in the ledger
 * and in the record. ERR_PEER if this party's own did not come back as it was. */
enum err leaving_say_head(struct leaving *l, struct msg_done *done) MUST_CHECK;
enum err leaving_keep_heads(struct leaving *l, const struct msg_done *done) MUST_CHECK;
/* The record's last word: how far the ledger reaches. */
void leaving_record(struct leaving *l);

enum { PURPOSE_MAX = 1024 };

/* Describes the message for the ledger; of MASKED, the members of its sum (work->sum). */
void purpose_of(const struct work *work, const struct msg *m, char text[static PURPOSE_MAX]);

/* Numbers made from data that it holds, masked ones too; 0 for keys, hashes, sentences, zeros. */
uint64_t purpose_words(const struct work *work, const struct msg *m);

#endif
