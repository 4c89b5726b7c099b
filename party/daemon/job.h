/* job.h -- one job from offer to result, on a party's job thread. */
#ifndef PARTY_DAEMON_JOB_H
#define PARTY_DAEMON_JOB_H

#include "common/job/daemon.h"
#include "party/daemon/data.h"
#include "party/daemon/declines.h"
#include "party/work/work.h"

/* A job whose attempt was cut short: the next one is awaited, with the same parameters and the same parties, or
 * without some. */
struct job_awaited {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt; /* that was cut short */
	uint8_t params_hash[SECAGG_HASH_LEN];
	char step[24]; /* in which that was */
};

/* A party's data and settings for a job. Nothing here is owned by the job. */
struct job_means {
	const struct party_config *config;
	const struct identity *identity;
	const struct job *agreed; /* any other job is declined; NULL: the policy alone decides */
	const struct job_awaited *awaited; /* NULL: none is */
	const struct psks *psks; /* shared with other parties beforehand; NULL: none */
	struct served *served;   /* which attempts were (served.h) */
	struct declines *declines; /* how many offers were declined of late */
	struct party_data *data; /* read when a job is offered; its features are used up */
	bool output_per_job; /* results go into output/job-ID: jobs do not overwrite each other's */
};

/* Waits for the offer on work->channel (work: channel, post, record, threads are set), answers it,
 * and runs it to the end. Whatever fails, the coordinator is told and the record written; if no
 * offer came (work->offered), there is nothing to record. Returns what the job ended with. */
enum err job_take_part(struct work *work, const struct job_means *means) MUST_CHECK;

/* A job is over, whatever it ended with: what was kept for its next attempt is removed. */
void job_forget(const char *state);

/* The directory of this job's files: owned by the caller. work has started its record. */
char *job_output(const struct work *work, const struct job_means *means);

#endif
