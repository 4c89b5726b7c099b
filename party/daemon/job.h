/* job.h -- one job from offer to result, on a party's job thread. */
#ifndef PARTY_DAEMON_JOB_H
#define PARTY_DAEMON_JOB_H

#include "common/job/daemon.h"
#include "party/daemon/data.h"
#include "party/daemon/declines.h"
#include "party/work/work.h"

/* The next attempt that this party expects after an interrupted one: the same job, with the same
 * parameters and parties, except parties left out. */
struct job_awaited {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	uint8_t params_hash[SECAGG_HASH_LEN];
	char step[24]; /* step in which it was interrupted */
};

/* A party's data and settings for a job. The job borrows all of them. */
struct job_means {
	const struct party_config *config;
	const struct identity *identity;
	const struct job *agreed; /* declines any other job; NULL: only the policy decides */
	const struct job_awaited *awaited; /* NULL: no attempt is awaited */
	const struct psks *psks;           /* pre-shared keys with other parties; NULL: none */
	struct served *served;
	struct declines *declines;
	struct party_data *data; /* read when a job is offered; a job uses up its features */
	/* Results go to output/job-ID, so that jobs do not overwrite each other's. */
	bool output_per_job;
};

/* Waits for the offer on work->channel (work: channel, mailbox, record, threads are set), answers
 * it, and runs the job to the end. On any failure informs the coordinator and writes the record;
 * without an offer (work->offered) there is nothing to record. Returns the job's result. */
enum err job_take_part(struct work *work, const struct job_means *means) MUST_CHECK;

/* Call when a job is over, with any result: removes the cache that its next attempt would use. */
void job_forget(const char *state);

/* Returns the directory of this job's files, owned by the caller. Call after work has started its
 * record. */
char *job_output(const struct work *work, const struct job_means *means);

#endif
