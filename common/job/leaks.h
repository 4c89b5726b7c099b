/* leaks.h -- the sentences of job_leaks(), kind by kind. */
#ifndef COMMON_JOB_LEAKS_H
#define COMMON_JOB_LEAKS_H

#include "common/job/job.h"

struct said {
	const char **text; /* static texts */
	size_t n, max;
};
void say(struct said *s, bool applies, const char *text);

void leaks_fedsc(struct said *s, const struct job *job, size_t parties); /* kmeans too */
void leaks_fedspectral(struct said *s, const struct job *job, size_t parties);
void leaks_fedwalk(struct said *s, const struct job *job, size_t parties);
void leaks_fedgcn(struct said *s, const struct job *job, size_t parties);

#endif
