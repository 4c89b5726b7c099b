#ifndef COMMON_BASE_CLOCK_H
#define COMMON_BASE_CLOCK_H

#include <stddef.h>
#include <time.h>

double clock_now_s(void);                                  /* monotonic; for differences only */
void clock_utc_of(time_t when, char *out, size_t out_len); /* "2026-01-31T12:34:56Z" */
void clock_utc(char *out, size_t out_len); /* "2026-01-31T12:34:56.789Z"; 32 bytes suffice */

#endif
