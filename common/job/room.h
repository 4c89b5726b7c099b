/* room.h -- how much memory a job takes, said before it begins. */
#ifndef COMMON_JOB_ROOM_H
#define COMMON_JOB_ROOM_H

#include "common/base/err.h"
#include "common/job/job.h"

#include <stddef.h>

/* "116 MB", "4.0 GB": of bytes, in powers of 1000. */
struct room_text {
	char s[24];
};
struct room_text room_text(double bytes);

/* May a job take so much? ERR_INPUT if not, with both numbers and what to do; max 0: any. who: for whom,
 * setting: the name of the bound, "policy.max_memory". */
enum err room_check(double bytes, uint64_t max, const char *who, const char *setting) MUST_CHECK;

/* This process's memory in RAM now, in bytes; and the most that it was since the last room_begin(). 0: the system does not
 * say. Not exact: pages are counted when they are used first, and libraries keep some. */
double room_now(void);
double room_peak(void);
void room_begin(void);

#endif
