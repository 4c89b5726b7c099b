/* job.h -- one job from offer to result, on a party's job thread. */
#ifndef PARTY_DAEMON_JOB_H
#define PARTY_DAEMON_JOB_H

#include "common/job/daemon.h"
#include "party/daemon/data.h"
#include "party/daemon/declines.h"
#include "party/work/work.h"

/* The next attempt that this party expects after an interrupted one: the same job, with the same
 * parameters and parties. Only left-out parties may be missing. */
struct job_awaited {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	uint8_t params_hash[SECAGG_HASH_LEN];
	char step[24]; /* the step in which the attempt was interrupted */
};

/* A party's data and settings for a job. The job borrows all of them. */
struct job_means {
	const struct party_config *config;
	const struct identity *identity;
	/* The only job that is accepted; NULL: the policy alone decides. */
	const struct job *agreed;
	const struct job_awaited *awaited; /* NULL: the party awaits no attempt */
	const struct psks *psks;           /* pre-shared keys with other parties; NULL: none */
	struct served *served;
	struct declines *declines;
	struct party_data *data; /* read when a job is offered; the job uses up the features */
	/* Results go to output/job-ID-ATTEMPT, so that a job does not overwrite the results of
	 * another. */
	bool output_per_job;
};

/* Waits for the offer on work->channel, answers it, and runs the job to the end. The caller sets
 * channel, mailbox, record and threads of work. On any failure, informs the coordinator and writes
 * the record. If no offer has arrived (work->offered), writes no record. Returns the job's
 * result. */
enum err job_take_part(struct work *work, const struct job_means *means) MUST_CHECK;

/* Call when a job is over, with any result. Removes the cache, which only a next attempt would
 * use. */
void job_forget(const char *state);

/* Returns the directory of this job's files, owned by the caller. Call after work has started its
 * record. */
char *job_output(const struct work *work, const struct job_means *means);

#endif
