/* selection.h -- which k of a range (job.clusters from .. to): what is measured of each, and the
 * rule.
 *
 * The rule: k is stable if its stability over halves is SELECTION_STABLE of the highest or more;
 * without stability, every k is. Of the stable k the largest simplified silhouette wins, the
 * smallest k on ties. The silhouette alone takes two clusters where three lie in a line, though
 * each half of the rows splits the middle one elsewhere; stability alone prefers few clusters.
 * Inertia, Calinski and Harabasz's ratio and the eigengap decide nothing. A protocol supplies
 * numbers, from sums or from an embedding that it has; all processes that choose by the same
 * numbers choose the same.
 */
#ifndef COMMON_CLUSTER_SELECTION_H
#define COMMON_CLUSTER_SELECTION_H

#include "common/base/buf.h"
#include "common/base/config.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stdint.h>

enum { SELECTION_MAX = CONFIG_RANGE_MAX + 1 };

/* docs/benchmarks/k.md has what other values choose. */
#define SELECTION_STABLE 0.75

struct selection {
	unsigned from; /* the first k */
	size_t count;  /* how many of them were measured */
	double inertia[SELECTION_MAX], silhouette[SELECTION_MAX], ratio[SELECTION_MAX];
	double gap[SELECTION_MAX]; /* eigenvalue k less eigenvalue k + 1, if has_gap */
	bool has_gap;
	double stability[SELECTION_MAX]; /* over halves of the points (stability.h), if has_stability */
	bool has_stability;
};

/* What was measured of one clustering. */
struct selection_point {
	double inertia;    /* the sum of squared distances to the centres */
	double silhouette; /* the mean of 1 - a / b, a and b the distances to the nearest two centres */
	double ratio;      /* (between / (k - 1)) / (inertia / (n - k)); 0 if inertia is 0 or n is k */
};

/* Calinski and Harabasz's ratio of centres (k x m) with so many rows each: between is the centres' own
 * spread about their weighted mean. */
double selection_ratio(const struct mat *centres, const double *count, double inertia);

/* Of the rows of Z by centres (k x Z.cols). O(n k d). */
struct selection_point selection_measure(const struct mat *Z, const struct mat *centres);

/* The next k's: the first is s->from, which the caller has set. */
void selection_add(struct selection *s, struct selection_point p);

/* Of the k that was added last. */
void selection_stability(struct selection *s, double stability);

/* Of a spectral method: its `values` eigenvalues, the largest first. A gap is in parts of the first; 0 where the
 * next is not known. */
void selection_gaps(struct selection *s, const double *value, size_t values);

unsigned selection_k(const struct selection *s); /* the k that is chosen, of one or more */
/* Its silhouette less the next best of a stable k; its whole silhouette if no other k is stable. */
double selection_margin(const struct selection *s);
/* One line: k, and the others of largest silhouette, with silhouettes and stabilities. */
void selection_text(const struct selection *s, struct buf *to);

#endif
