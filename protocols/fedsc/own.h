/* own.h -- Internal declarations of FedSC. */
#ifndef PROTOCOLS_FEDSC_OWN_H
#define PROTOCOLS_FEDSC_OWN_H

#include "protocols/fedsc/coordinator.h"

/* State of a run of the coordinator's side, at the coordinator or at a verifying party. */
struct fedsc_run {
	struct parties *parties;
	size_t m;
	const struct fedsc_params *p;
	struct fedsc_report *report;
};

enum err fedsc_by_anchors(struct fedsc_run *run) MUST_CHECK; /* in anchors.c */

/* In coordinator.c: */
/* Initialises the symmetric M (d x d) from a sum. The sum is sent as the lower triangle, row by
 * row. */
enum err fedsc_sum_triangle(const struct fedsc_run *run, const struct fedsc_question *q, size_t d,
			    struct mat *M) MUST_CHECK;
/* Finds up to d landmarks. The search starts at the mean of the rows, which is 0. */
enum err fedsc_find_landmarks(struct fedsc_run *run, size_t d,
			      struct fedkmeans_centres *c) MUST_CHECK;
/* Makes the parties cluster rows of the embedding from now on. */
enum err fedsc_embed(const struct fedsc_run *run, const struct mat *R) MUST_CHECK;
/* Computes the k leading eigenvalues and unit eigenvectors of G (d x d, symmetric): initialises U
 * (k x d), and fills value (k). The computation costs O(d^3), the check O(d^2 k). So the
 * coordinator broadcasts its result, and the parties check it. The check does not detect that
 * larger eigenvalues are missing. */
enum err fedsc_leading(struct fedsc_run *run, const struct mat *G, size_t k, double *value,
		       struct mat *U) MUST_CHECK;
/* Runs the last step of jobs with job.profile: fills report->profile (profile.c). The profile shows
 * clusters of min_cluster rows or more. If the hidden clusters have rows, but together fewer than
 * min_cluster, also hides the smallest shown cluster (of equal ones the first). Repeats this until
 * the hidden clusters have min_cluster rows. ERR_PEER: a size is impossible. */
enum err fedsc_profile(struct fedsc_run *run) MUST_CHECK;
/* fedsc_keep_model() fills report->model from these centres. fedsc_keep_clipped() does the same for
 * rows that were shortened to the length `clip`, which is also the unit of all columns.
 * fedsc_keep_ties() adds the ties of anchors: landmarks Z, and as many leading columns of R as the
 * centres have. */
void fedsc_keep_model(struct fedsc_report *report, size_t m, const struct mat *centre);
void fedsc_keep_clipped(struct fedsc_report *report, size_t m, const struct mat *centre,
			double clip);
void fedsc_keep_ties(struct fedsc_report *report, unsigned near, const struct mat *Z,
		     const struct mat *R);
void fedsc_keep_sizes(const struct fedsc_run *run, const struct fedkmeans_centres *c);

/* Runs the sums of the totals. Then runs the sums of the spread about the means, for all columns
 * together or for each column. With `width`, also sums the mean distances of the scaled rows, for
 * the kernel's width. Fills n, mean, unit, scale and r of the report (totals.c).
 *
 * With one spread for all columns: scale^2 = spread / (n m) + the variance of the m means; unit_j =
 * scale. With a spread for each column, v_j = spread_j / n: u_j = sqrt(v_j). But u_j = 1 if the
 * parties leave the column unscaled; either all of them do, or none. Also u_j = 1, and v_j counts
 * as 0, if sqrt(v_j) <= 1e-10 |mean_j|. Then scale^2 = the mean of v_j / u_j^2; unit_j = u_j scale.
 * All that follows uses rows (x - mean) / unit. */
enum err fedsc_totals(struct parties *parties, size_t m, const struct fedsc_params *p, bool width,
		      struct fedsc_report *report) MUST_CHECK;

/* Computes only the number of rows, by a sum. Fills n of the report (totals.c). */
enum err fedsc_count(struct parties *parties, const struct fedsc_params *p,
		     struct fedsc_report *report) MUST_CHECK;

/* Returns the initial number of landmarks for n rows. This is p->dims or, by default, one landmark
 * per 5 rows. Variant anchor takes one per 3 rows if there are fewer than 30 rows per cluster. The
 * default is at most 600 (anchor) or p->dims_most, and at least k. */
size_t fedsc_landmarks_most(const struct fedsc_params *p, double n);
/* Returns the parameters of the search for up to d landmarks. */
struct fedkmeans_landmarks fedsc_search(const struct fedsc_params *p, size_t d);
/* Returns the parameters of federated k-means, on rows (kmeans) or on their embedding (dense). */
struct fedkmeans_params fedsc_kmeans(const struct fedsc_params *p);

#endif
