/* kinds.h -- the registry: every kind of job there is. */
#ifndef COMMON_JOB_KINDS_H
#define COMMON_JOB_KINDS_H

#include "common/job/job.h"
#include "common/kind/kind.h"

/* In the order in which messages list them; ends with NULL. */
extern const struct kind *const kinds[];

/* NULL: there is none of this name. */
const struct kind *kind_named(const char *name);
const struct kind *job_kind(const struct job *job);

#endif
