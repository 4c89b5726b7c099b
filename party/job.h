/* job.h -- one job from offer to result, on a party's job thread. */
#ifndef PARTY_JOB_H
#define PARTY_JOB_H

#include "common/data/dataset.h"
#include "common/job/daemon.h"
#include "party/work.h"

/* What a party brings to a job. Nothing here is owned by the job. */
struct job_means {
	const struct party_config *config;
	const struct identity *identity;
	const struct job *agreed; /* any other job is declined; NULL: the policy alone decides */
	struct dataset *dataset;  /* its features are used up */
	const char *output;       /* directory of labels.csv, labels.npy and run.json */
	bool output_per_job; /* they go into output/job-ID, so that jobs do not overwrite another */
};

/* Waits for the offer on work->channel (work: channel, post, record, threads are set), answers it,
 * and runs it to the end. Whatever fails, the coordinator is told and the record written; if no
 * offer came (work->offered), there is nothing to record. Returns what the job ended with. */
enum err job_take_part(struct work *work, const struct job_means *means) MUST_CHECK;

#endif
