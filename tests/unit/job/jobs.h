/* jobs.h -- texts of jobs and their parsing, for tests of job parameters. */
#ifndef TESTS_UNIT_JOB_JOBS_H
#define TESTS_UNIT_JOB_JOBS_H

#include "tests/test.h"

#include "common/job/job.h"

#include <string.h>

#define JOB  "\"kind\": \"kcagc\", \"clusters\": 7"
#define MIN  JOB ", \"filter\": {\"order\": 9}"
#define AUTO JOB ", \"filter\": {\"order\": \"auto\"}"
#define TREE ", \"method\": \"tree\""
#define MODEL                                                                                      \
	"\"kind\": \"kcagc.predict\", \"clusters\": 7, \"model\": "                                \
	"\"0123456789abcdef0123456789abcdef\""

static inline enum err parse(struct job *job, const char *text, char *const *set)
{
	return job_parse(job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job.json",
			 set);
}

#endif
