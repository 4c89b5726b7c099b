/* report_html.h -- writing HTML: text escaped, numbers with what they were.
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
/* The same, cut after so many characters: drawings do not wrap. */
void html_short(struct buf *b, const char *text, size_t most);
void html_textf(struct buf *b, const char *fmt, ...) PRINTF(2, 3); /* all of it is escaped */

/* A number as people read it. */
struct shown {
	char s[40];
};
struct shown show_count(double x);   /* 2708, from 10000 on 12 345 with narrow spaces */
struct shown show_number(double x);  /* five significant digits */
struct shown show_bytes(double x);   /* 612 B, 25.9 kB, 2.1 MB */
struct shown show_seconds(double x); /* 0.41 ms, 382 ms, 1.53 s */
struct shown show_score(double x);   /* four places */
struct shown show_plain(double x);   /* exactly, in as few digits as that takes */

/* <data value="exactly">shown</data> */
void html_data(struct buf *b, double x, struct shown shown);
/* ' data-v="a b c"': the numbers that an element of a drawing stands for */
void html_values(struct buf *b, const double *x, size_t n);

/* A part of the page with its heading; its id, also as where links lead. Ends with </section>. */
void html_section(struct buf *b, const char *id, const char *title);

#endif
