/* shown.h -- numbers formatted for the reader of a terminal. */
#ifndef CLI_REPORT_SHOWN_H
#define CLI_REPORT_SHOWN_H

struct shown {
	char s[40];
};
struct shown show_count(double x);   /* 2708 */
struct shown show_bytes(double x);   /* 612 B, 25.9 kB, 2.1 MB */
struct shown show_seconds(double x); /* 0.41 ms, 382 ms, 1.53 s */
struct shown show_score(double x);   /* four places */
struct shown show_plain(double x);   /* exact, with the fewest digits */

#endif
