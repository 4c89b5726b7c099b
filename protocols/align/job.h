/* job.h -- Parameters of kind align, which finds the ids that all parties have. */
#ifndef PROTOCOLS_ALIGN_JOB_H
#define PROTOCOLS_ALIGN_JOB_H

#include "common/kind/kind.h"

struct align_job {
	JOB_HEAD; /* its own parameters are in the head: align, align_bound, min_common */
};
JOB_OF_KIND(align_job)
#define align_job(job) JOB_ACCESS(align_job, job)

extern const struct kind kind_align;
/* The last row has path NULL. */
extern const struct config_row align_rows[];

#endif
