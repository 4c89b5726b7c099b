/* report_html.h -- writing HTML: text escaped, numbers with what they were, places in drawings.
 *
 * Every number of a run stands in the page twice: as people read it, and exactly, as the value of
 * a <data> element or in data-v of an element of a drawing. Positions are percentages, so that
 * drawings stretch and their text does not.
 */
#ifndef CLI_REPORT_REPORT_HTML_H
#define CLI_REPORT_REPORT_HTML_H

#include "common/base/buf.h"

#include <stddef.h>

enum { HTML_TEXT_MAX = 600 }; /* characters of one text; what is longer is cut, and shows it */

/* Text from anywhere: markup is escaped; bytes that are not UTF-8, control characters and those
 * that turn the direction of writing become U+FFFD. Right for elements and quoted attributes. */
void html_text(struct buf *b, const char *text);
void html_short(struct buf *b, const char *text, size_t most); /* cut: drawings do not wrap */
void html_textf(struct buf *b, const char *fmt, ...) PRINTF(2, 3); /* all of it is escaped */
/* The same, for "%s". */
struct html {
	char s[6 * HTML_TEXT_MAX + 8];
};
struct html html_of(const char *text);
struct html html_brief(const char *text, size_t most); /* at most HTML_TEXT_MAX */

/* A number as people read it. */
struct shown {
	char s[40];
};
struct shown shown(const char *fmt, ...) PRINTF(1, 2);
struct shown show_count(double x);   /* 2708, from 10000 on 12 345 with narrow spaces */
struct shown show_number(double x);  /* five significant digits */
struct shown show_bytes(double x);   /* 612 B, 25.9 kB, 2.1 MB */
struct shown show_seconds(double x); /* 0.41 ms, 382 ms, 1.53 s */
struct shown show_score(double x);   /* four places */
struct shown show_plain(double x);   /* exactly, in as few digits as that takes */

/* <data value="exactly">shown</data>, for "%s" */
struct html html_data(double x, struct shown (*show)(double));
/* ' data-v="a b c"': the numbers that an element of a drawing stands for */
void html_values(struct buf *b, const double *x, size_t n);

/* A part of the page with its heading; its id, also as where links lead. Ends with </section>. */
void html_section(struct buf *b, const char *id, const char *title);

/* ---- where things stand in a drawing ---- */

/* 1, 2 or 5 times a power of ten, with at most `most` ticks (0 not counted) on a range > 0. */
double axis_step(double range, unsigned most);
/* Where x is between from and to, in percent, kept within 0 to 100; 0 if to <= from. */
double axis_percent(double x, double from, double to);
/* Rows for labels that reach from[i] to to[i], so that none overlap: row[i], the lowest one free,
 * from the last label to the first. Returns how many rows. O(n^2). */
unsigned axis_rows(const double *from, const double *to, size_t n, unsigned *row);
/* Seconds since 1970 of "2026-01-31T12:34:56.789Z"; < 0 if it is no such text. */
double axis_utc(const char *text);

#endif
