/* own.h -- what the files of FedSC share. */
#ifndef PROTOCOLS_FEDSC_OWN_H
#define PROTOCOLS_FEDSC_OWN_H

#include "protocols/fedsc/coordinator.h"

/* One run of a coordinator's half, at the coordinator and at a party. */
struct fedsc_run {
	struct parties *parties;
	size_t m;
	const struct fedsc_params *p;
	struct fedsc_report *report;
};

enum err fedsc_by_anchors(struct fedsc_run *run) MUST_CHECK; /* anchors.c */

/* coordinator.c: */
/* M (d x d, initialised here): a symmetric sum, which comes as its lower triangle, row by row. */
enum err fedsc_sum_triangle(const struct fedsc_run *run, const struct fedsc_question *q, size_t d,
			    struct mat *M) MUST_CHECK;
/* Up to d landmarks; they begin at the mean of the rows, which is 0. */
enum err fedsc_find_landmarks(struct fedsc_run *run, size_t d, struct fedkmeans_centres *c) MUST_CHECK;
/* From now on rows of the embedding are what parties cluster. */
enum err fedsc_embed(const struct fedsc_run *run, const struct mat *R) MUST_CHECK;
/* The k leading eigenvalues and unit eigenvectors of G (d x d, symmetric; value: k, U: k x d,
 * initialised here). They cost O(d^3) to find, but parties O(d^2 k) to check: what the coordinator
 * found is passed on. Whether there are larger ones nobody looks. */
enum err fedsc_leading(struct fedsc_run *run, const struct mat *G, size_t k, double *value,
		       struct mat *U) MUST_CHECK;
/* With job.profile, last: report->profile. profile.c. ERR_PEER: sizes that cannot be. */
enum err fedsc_profile(struct fedsc_run *run) MUST_CHECK;
/* report->model by these centres; and the same of rows that were shortened to `clip`, the unit of all columns then; of
 * anchors, how new rows are tied to landmarks Z and embedded by the leading columns of R, as many as centres have. */
void fedsc_keep_model(struct fedsc_report *report, size_t m, const struct mat *centre);
void fedsc_keep_clipped(struct fedsc_report *report, size_t m, const struct mat *centre, double clip);
void fedsc_keep_ties(struct fedsc_report *report, unsigned near, const struct mat *Z, const struct mat *R);
void fedsc_keep_sizes(const struct fedsc_run *run, const struct fedkmeans_centres *c);

/* Totals; of their means the rows' spread, or that of each column; of the deviation, where the kernel needs a
 * width (width), the mean distances. report: n, mean, unit, scale, r. totals.c. */
enum err fedsc_totals(struct parties *parties, size_t m, const struct fedsc_params *p, bool width,
		      struct fedsc_report *report) MUST_CHECK;

/* How many rows there are, and nothing else. report: n. totals.c. */
enum err fedsc_count(struct parties *parties, const struct fedsc_params *p,
		     struct fedsc_report *report) MUST_CHECK;

/* How many landmarks are looked for at first, of n rows: p's number; else one for 5 rows, of variant anchor for 3
 * where there are fewer than 30 a cluster; no more than 600 (anchor) or p->dims_most, no fewer than k. */
size_t fedsc_landmarks_most(const struct fedsc_params *p, double n);
/* The search for up to d of them. */
struct fedkmeans_landmarks fedsc_search(const struct fedsc_params *p, size_t d);
/* Federated k-means as p says, on rows (kmeans) or on their embedding (dense). */
struct fedkmeans_params fedsc_kmeans(const struct fedsc_params *p);

#endif
