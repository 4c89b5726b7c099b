/* report_page.h -- the page of a run, and its parts.
 *
 * A part appends its section, or nothing if what it shows was not recorded; then it says so in the
 * notes, if it should have been. */
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
	struct buf profile, joint;  /* rows of their tables; empty: none */
};

/* The whole page; what turns out to be missing is added to r->runs.missing. */
void report_page(struct report *r, struct buf *html);
/* A page as far as its heading, <h1>. eyebrow: what it is, static. */
void report_head(struct buf *html, const char *title, const char *eyebrow);
typedef void report_part(struct report *r, struct buf *b);
report_part part_timeline;                               /* report_time.c */
report_part part_phases, part_processes;                 /* report_tables.c */
report_part part_merged, part_facts, part_leaks, part_job;
report_part part_links;                                  /* report_links.c */
report_part part_round_trips, part_sizes, part_objective; /* report_charts.c */
report_part part_selection;                              /* report_selection.c */
report_part part_confidence;                             /* report_confidence.c */
report_part part_picture;                                /* report_picture.c */
report_part part_evaluation;                             /* report_score.c */
report_part part_profile;                                /* report_profile.c */

/* A party's own directory: its profile.csv, if there is one, into r->profile and the run's "profile"; of any directory the
 * first party's profile-joint.csv into r->joint and "profile_joint". What is wrong
 * with it is only said. */
void profile_read(struct report *r);

/* A line through the values of a list, numbered from `first`; below 0 they count as 0. Texts are static.
 * report_charts.c */
struct report_curve {
	const char *label, *thing; /* of the drawing; of a point: "iteration" */
	unsigned first, marked;    /* marked: the number of a point that is drawn larger; 0: none */
};
void report_curve(struct buf *b, const struct json *values, const struct report_curve *how);

/* A cell of a table: the number of this key, or nothing if it is not there. */
void report_cell(struct buf *b, const struct json *o, const char *key,
		 struct shown (*show)(double));
/* A tile with a number; bound > 0: "bound 12" beside it. */
void report_tile(struct buf *b, const char *name, double x, struct shown (*show)(double),
		 double bound);

/* All bytes that crossed the links, both ways; -1: not recorded. report_links.c */
double report_bytes(const struct report *r);
/* The name of main's phase of this number; "": none. report_time.c */
const char *report_phase(const struct report *r, double number);

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

extern const char report_style[]; /* the style sheet, report_style.c */

/* Clusters have REPORT_HUES colours; beyond these, other marks. */
enum { REPORT_HUES = 12, REPORT_MARKS = 6 };

/* A cluster's mark at x, y of a drawing, about 2 r across; by itself, beside its name. In
 * report_picture.c. */
void report_mark(struct buf *b, unsigned cluster, double x, double y, double r);
void report_key(struct buf *b, unsigned cluster);

#endif
