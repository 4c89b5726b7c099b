#include "cli/report/report_axis.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

double axis_step(double range, unsigned most)
{
	static const double round[] = { 1, 2, 5, 10 };
	double least = range / most, power = pow(10, floor(log10(least)));

	/* The tolerance: range / most may be 2.0000000000000004. */
	for (size_t i = 0; i < 4; i++) {
		if (round[i] * power >= least * (1 - 1e-9))
			return round[i] * power;
	}
	return 10 * power;
}

double axis_percent(double x, double from, double to)
{
	if (!(to > from))
		return 0;
	return fmin(100, fmax(0, 100 * ((x - from) / (to - from))));
}

unsigned axis_rows(const double *from, const double *to, size_t n, unsigned *row)
{
	unsigned rows = 0;

	for (size_t i = n; i-- > 0;) {
		bool taken = true;

		for (row[i] = 0; taken; row[i] += taken) {
			taken = false;
			for (size_t j = i + 1; j < n; j++)
				taken |= row[j] == row[i] && from[i] < to[j] && from[j] < to[i];
		}
		rows = row[i] + 1 > rows ? row[i] + 1 : rows;
	}
	return rows;
}

double axis_utc(const char *text)
{
	struct tm tm = { 0 };
	unsigned ms;
	int used = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3uZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms, &used) != 7 ||
	    used != 24 || text[used])
		return -1;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (double)timegm(&tm) + ms / 1e3;
}
