#include "common/base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double clock_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void clock_utc(char *out, size_t out_len)
{
	struct timespec t;
	struct tm tm;
	char date[24];

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out, out_len, "%s.%03ldZ", date, t.tv_nsec / 1000000);
}

void clock_utc_of(time_t when, char *out, size_t out_len)
{
	struct tm tm;

	gmtime_r(&when, &tm);
	strftime(out, out_len, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
