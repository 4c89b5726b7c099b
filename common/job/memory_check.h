/* memory_check.h -- checks a job's memory estimate before it begins, and measures its peak. */
#ifndef COMMON_JOB_MEMORY_CHECK_H
#define COMMON_JOB_MEMORY_CHECK_H

#include "common/base/err.h"
#include "common/job/job.h"

/* Checks that a job of so many bytes fits into this process's memory (machine.h). If it does not,
 * returns ERR_INPUT with the estimate, the limit and advice. max: a further limit; 0: none. who:
 * name of this process for the error. setting: name of that limit, "policy.max_memory". */
enum err memory_check(double bytes, uint64_t max, const char *who, const char *setting) MUST_CHECK;

/* Returns this process's peak memory in RAM since the last memory_check_begin(), minus the memory
 * that it had when it started, in bytes. Returns 0 if the system does not report the peak. If the
 * system cannot reset the peak, the value covers the whole life of the process. It includes data
 * that were read before the job. It is not exact, since libraries keep pages. */
double memory_check_peak(void);
void memory_check_begin(void);

#endif
