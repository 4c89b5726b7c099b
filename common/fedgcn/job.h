/* job.h -- how FedGCN is parametrised by a job. */
#ifndef COMMON_FEDGCN_JOB_H
#define COMMON_FEDGCN_JOB_H

#include "common/job/job.h"
#include "common/fedgcn/coordinator.h"

/* Everything comes from the job, so that both sides have the same numbers without telling each
 * other. ERR_INPUT: what cannot be. */
enum err job_fedgcn_params(const struct job *job, unsigned threads,
			   struct fedgcn_params *p) MUST_CHECK;

#endif
