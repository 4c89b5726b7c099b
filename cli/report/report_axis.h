/* report_axis.h -- where things stand in a drawing. */
#ifndef CLI_REPORT_REPORT_AXIS_H
#define CLI_REPORT_REPORT_AXIS_H

#include <stddef.h>

/* The step, 1, 2 or 5 times a power of ten, that puts at most `most` ticks (0 not counted) on a
 * range > 0. */
double axis_step(double range, unsigned most);

/* Where x is between from and to, in percent, kept within 0 to 100; 0 if to <= from. */
double axis_percent(double x, double from, double to);

/* Rows for labels of which label i takes from[i] to to[i], so that none overlap: row[i], the lowest
 * one free, given out from the last label to the first. Returns how many rows. O(n^2). */
unsigned axis_rows(const double *from, const double *to, size_t n, unsigned *row);

/* Seconds since 1970 of "2026-01-31T12:34:56.789Z"; < 0 if it is no such text. */
double axis_utc(const char *text);

#endif
