/* defaults.h -- Returns the algorithm's parameters for a job without settings. */
#ifndef TESTS_UNIT_FEDSC_DEFAULTS_H
#define TESTS_UNIT_FEDSC_DEFAULTS_H

#include "protocols/fedsc/job.h"
#include "common/kind/own.h"

static inline enum err fedsc_defaults(struct fedsc_params *p, enum fedsc_variant variant,
				      unsigned k, uint64_t seed, unsigned threads)
{
	struct fedsc_job job;

	kind_standards(variant == FEDSC_BY_KMEANS ? &kind_kmeans : &kind_fedsc, &job, sizeof(job));
	job.how.variant = variant;
	job.clusters = k;
	job.seed = seed;
	return fedsc_params_of(&job, 1, threads, p);
}

#endif
