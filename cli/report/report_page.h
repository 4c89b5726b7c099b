/* report_page.h -- the page of a run, and its parts.
 *
 * A part appends its section, or nothing if what it shows was not recorded; then it says so in
 * the notes, if it should have been.
 */
#ifndef CLI_REPORT_REPORT_PAGE_H
#define CLI_REPORT_REPORT_PAGE_H

#include "cli/report/picture.h"
#include "cli/report/report_html.h"
#include "cli/run/report_read.h"
#include "cli/run/score.h"

struct report {
	struct run_dir runs;
	const struct process *main; /* the coordinator's if there, else the first: what ran, in all */
	struct picture picture;     /* n = 0: none */
	const char *picture_of;     /* whose points */
};

/* The whole page; what turns out to be missing is added to r->runs.missing. */
void report_page(struct report *r, struct buf *html);

void part_timeline(struct report *r, struct buf *b);   /* report_time.c */
void part_phases(struct report *r, struct buf *b);     /* report_tables.c */
void part_processes(struct report *r, struct buf *b);
void part_facts(struct report *r, struct buf *b);
void part_leaks(struct report *r, struct buf *b);
void part_job(struct report *r, struct buf *b);
void part_links(struct report *r, struct buf *b);      /* report_links.c */
void part_round_trips(struct report *r, struct buf *b); /* report_charts.c */
void part_sizes(struct report *r, struct buf *b);
void part_objective(struct report *r, struct buf *b);
void part_plan(struct report *r, struct buf *b);
void part_merged(struct report *r, struct buf *b);
void part_picture(struct report *r, struct buf *b);    /* report_picture.c */
void part_evaluation(struct report *r, struct buf *b); /* report_score.c */

/* A cell of a table: the number of this key, or nothing if it is not there. */
void report_cell(struct buf *b, const struct json *o, const char *key,
		 struct shown (*show)(double));
/* A tile with a number; bound > 0: "bound 12" beside it. */
void report_tile(struct buf *b, const char *name, double x, struct shown (*show)(double),
		 double bound);

/* All bytes that crossed the links, both ways; -1: not recorded. report_links.c */
double report_bytes(const struct report *r);

/* "evaluation": truth (the file's name), rows, acc, nmi, ari, f1, and, up to CONFUSION_MAX,
 * classes, clusters (their labels, in the order in which the best match stands on the diagonal)
 * and confusion, a list of rows, one for each class. ERR_INPUT: the files are wrong or do not fit
 * each other; *evaluation is then NULL. */
enum { CONFUSION_MAX = 64 }; /* classes or clusters; with more the matrix is left out */
enum err evaluation_make(const char *truth, struct label_files labels,
			 struct json **evaluation) MUST_CHECK;
/* The matrix alone, into an evaluation: n rows in memory. */
void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n);

/* The name of main's phase of this number; "": none. */
const char *report_phase(const struct report *r, double number);

extern const char report_style[]; /* the style sheet, report_style.c */

/* Clusters have REPORT_HUES colours; beyond these, other marks. */
enum { REPORT_HUES = 12, REPORT_MARKS = 6 };

/* A cluster's mark at x, y of a drawing, about 2 r across. report_picture.c */
void report_mark(struct buf *b, unsigned cluster, double x, double y, double r);

#endif
