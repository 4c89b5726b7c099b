/* room.h -- how much memory a job takes, said before it begins. */
#ifndef COMMON_JOB_ROOM_H
#define COMMON_JOB_ROOM_H

#include "common/base/err.h"
#include "common/job/job.h"

/* May a job take so much of this process's memory (machine.h)? ERR_INPUT if not, with both numbers
 * and advice. max: a further bound, 0: none. who: this process, for the sentence. setting: the name
 * of the bound, "policy.max_memory". */
enum err room_check(double bytes, uint64_t max, const char *who, const char *setting) MUST_CHECK;

/* The most memory that this process had in RAM since the last room_begin(), or since its start
 * where the system cannot reset it, less its memory at its start; in bytes. 0: the system
 * does not say. With data that were read before the job; not exact, for libraries keep pages. */
double room_peak(void);
void room_begin(void);

#endif
