/* job.h -- how FedSC and federated k-means are parametrised by a job. */
#ifndef COMMON_FEDSC_JOB_H
#define COMMON_FEDSC_JOB_H

#include "common/job/job.h"
#include "common/fedsc/coordinator.h"

/* Kinds fedsc and kmeans. draw: of the attempt (crypto/secagg.h), by which the parties are drawn
 * that take part in a round of Stage I; parties alone need it. Everything comes from the job, noise
 * too, so that both sides have the same numbers without telling each other. ERR_INPUT: more
 * participants than parties, noise that cannot be calibrated. */
enum err job_fedsc_params(const struct job *job, size_t parties, uint64_t draw, unsigned threads,
			  struct fedsc_params *p) MUST_CHECK;
/* r is the parties' mean distance, which takes a sum. */
bool job_fedsc_width_is_summed(const struct job *job);

#endif
