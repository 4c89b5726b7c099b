/* report_page.h -- the report page of a run, and its parts.
 *
 * A part appends its section. If its data were not recorded it appends nothing, and adds a note if
 * they should have been.
 */
#ifndef CLI_REPORT_REPORT_PAGE_H
#define CLI_REPORT_REPORT_PAGE_H

#include "cli/report/picture.h"
#include "cli/report/report_html.h"
#include "cli/run/report_read.h"
#include "cli/run/score.h"

struct report {
	struct run_dir runs;
	const struct process *main; /* the coordinator if present, otherwise the first process */
	struct picture picture;     /* n = 0: none */
	const char *picture_of;     /* owner of the points */
	struct buf profile, joint;  /* table rows; empty: none */
};

/* Makes the whole page. Missing data are added to r->runs.missing. */
void report_page(struct report *r, struct buf *html);
/* Starts a page, up to its heading <h1>. eyebrow: kind of page, static text. */
void report_head(struct buf *html, const char *title, const char *eyebrow);
typedef void report_part(struct report *r, struct buf *b);
report_part part_timeline;               /* report_time.c */
report_part part_phases, part_processes; /* report_tables.c */
report_part part_merged, part_facts, part_leaks, part_job;
report_part part_links;                                   /* report_links.c */
report_part part_round_trips, part_sizes, part_objective; /* report_charts.c */
report_part part_selection;                               /* report_selection.c */
report_part part_confidence;                              /* report_confidence.c */
report_part part_picture;                                 /* report_picture.c */
report_part part_evaluation;                              /* report_score.c */
report_part part_profile;                                 /* report_profile.c */

/* Reads profile.csv of a party's own directory into r->profile and the run's "profile". Reads
 * the first party's profile-joint.csv of any directory into r->joint and "profile_joint".
 * Failures are only noted. */
void profile_read(struct report *r);

/* Draws a line through the values of a list, numbered from `first`; negative ones count as 0.
 * Texts are static. report_charts.c */
struct report_curve {
	const char *label, *thing; /* label: of the drawing; thing: of a point, "iteration" */
	unsigned first, marked;    /* marked: number of a point drawn larger; 0: none */
};
void report_curve(struct buf *b, const struct json *values, const struct report_curve *how);

/* Appends a table cell with the number of this key; empty if absent. */
void report_cell(struct buf *b, const struct json *o, const char *key,
		 struct shown (*show)(double));
/* Appends a tile with a number; bound > 0: with "bound 12" beside it. */
void report_tile(struct buf *b, const char *name, double x, struct shown (*show)(double),
		 double bound);

/* Bytes over all links in both directions; -1 if not recorded. report_links.c */
double report_bytes(const struct report *r);
/* Name of main's phase with this number; "" if there is none. report_time.c */
const char *report_phase(const struct report *r, double number);

/* Makes "evaluation": truth (the file's name), rows, acc, nmi, ari, f1. Up to CONFUSION_MAX also
 * classes, clusters (labels, ordered so that the best match is on the diagonal) and confusion (a
 * list of rows, one per class). ERR_INPUT if files are invalid or do not match; *evaluation is
 * then NULL. */
enum { CONFUSION_MAX = 64 }; /* limit on classes and on clusters; beyond it there is no matrix */
enum err evaluation_make(const char *truth, struct label_files labels,
			 struct json **evaluation) MUST_CHECK;
/* Adds the matrix to an evaluation, for n rows in memory. */
void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n);

extern const char report_style[]; /* style sheet, report_style.c */

/* The first REPORT_HUES clusters differ by colour, further ones also by mark. */
enum { REPORT_HUES = 12, REPORT_MARKS = 6 };

/* A cluster's mark: at x, y in a drawing, about 2 r wide; or inline, beside its name.
 * report_picture.c */
void report_mark(struct buf *b, unsigned cluster, double x, double y, double r);
void report_key(struct buf *b, unsigned cluster);

#endif
