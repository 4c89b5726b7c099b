/* report_html.h -- writes HTML: escaped text, numbers with exact values, positions in drawings.
 *
 * Every number appears twice: rounded for the reader, and exactly, as the value of a <data> element
 * or in data-v of a drawing's element. Positions are percentages, so that drawings stretch and
 * their text does not.
 */
#ifndef CLI_REPORT_REPORT_HTML_H
#define CLI_REPORT_REPORT_HTML_H

#include "common/base/buf.h"

#include <stddef.h>

enum { HTML_TEXT_MAX = 600 }; /* characters of a text; longer ones are cut, visibly */

/* Escapes markup in arbitrary text. Invalid UTF-8, control characters and direction overrides
 * become U+FFFD. Safe in elements and quoted attributes. */
void html_text(struct buf *b, const char *text);
/* Cut, because drawings do not wrap. */
void html_short(struct buf *b, const char *text, size_t most);
void html_textf(struct buf *b, const char *fmt, ...) PRINTF(2, 3); /* escapes the formatted text */
/* html_text() as a value for "%s". */
struct html {
	char s[6 * HTML_TEXT_MAX + 8];
};
struct html html_of(const char *text);
struct html html_brief(const char *text, size_t most); /* at most HTML_TEXT_MAX */

/* A number formatted for the reader. */
struct shown {
	char s[40];
};
struct shown shown(const char *fmt, ...) PRINTF(1, 2);
struct shown show_count(double x);   /* 2708; from 10000 on 12 345 with narrow spaces */
struct shown show_number(double x);  /* five significant digits */
struct shown show_bytes(double x);   /* 612 B, 25.9 kB, 2.1 MB */
struct shown show_seconds(double x); /* 0.41 ms, 382 ms, 1.53 s */
struct shown show_score(double x);   /* four places */
struct shown show_plain(double x);   /* exact, with the fewest digits */

/* <data value="exact">formatted</data>, for "%s". */
struct html html_data(double x, struct shown (*show)(double));
/* ' data-v="a b c"': exact numbers of a drawing's element. */
void html_values(struct buf *b, const double *x, size_t n);

/* Starts a section with heading and id, also the target of links. The caller ends it with
 * </section>. */
void html_section(struct buf *b, const char *id, const char *title);

/* ---- positions in drawings ---- */

/* 1, 2 or 5 times a power of ten, with at most `most` ticks (0 not counted) on a range > 0. */
double axis_step(double range, unsigned most);
/* Position of x between from and to in percent, clamped to 0 .. 100; 0 if to <= from. */
double axis_percent(double x, double from, double to);
/* Assigns row[i] to labels from from[i] to to[i] so that none overlap: the lowest free row, from
 * the last label to the first. Returns the number of rows. O(n^2). */
unsigned axis_rows(const double *from, const double *to, size_t n, unsigned *row);
/* Seconds since 1970 of "2026-01-31T12:34:56.789Z"; < 0 if malformed. */
double axis_utc(const char *text);

#endif
