/* selection.h -- chooses k from a range (job.clusters from .. to).
 *
 * Rule: k is stable if its stability over halves is at least SELECTION_STABLE of the highest;
 * without stability, or if none is above 0, every k counts as stable. Among the stable k the
 * largest simplified silhouette wins, the smallest k on ties. If three clusters lie in a line, the
 * silhouette alone chooses two clusters, although each half of the rows splits the middle cluster
 * at another place. Stability alone prefers few clusters. Inertia, Calinski and Harabasz's ratio
 * and the eigengap are reported only.
 *
 * A protocol supplies the numbers, from sums or from an embedding; the same numbers give the same
 * choice in every process. */
#ifndef COMMON_CLUSTER_SELECTION_H
#define COMMON_CLUSTER_SELECTION_H

#include "common/base/buf.h"
#include "common/base/config.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

enum { SELECTION_MAX = CONFIG_RANGE_MAX + 1 };

/* Least stability of a stable k, as a share of the highest stability. docs/results/k.md shows which
 * k other values choose. */
#define SELECTION_STABLE 0.75

struct selection {
	unsigned from;
	size_t count; /* k's measured so far */
	double inertia[SELECTION_MAX], silhouette[SELECTION_MAX], ratio[SELECTION_MAX];
	double gap[SELECTION_MAX]; /* set by selection_gaps(), if has_gap */
	bool has_gap;
	/* stability over halves of the points (stability.h), if has_stability */
	double stability[SELECTION_MAX];
	bool has_stability;
};

struct selection_point {
	double inertia;    /* sum of squared distances to the centres */
	double silhouette; /* mean of 1 - a / b, a and b the distances to the nearest two centres */
	double ratio;      /* Calinski and Harabasz's ratio: selection_ratio() */
};

/* Returns Calinski and Harabasz's ratio, (between / (k - 1)) / (inertia / (n - k)), of centres (k x
 * m) with count[i] rows each, n rows in all. between is the weighted sum of squared distances of
 * the centres to their weighted mean. Returns 0 if inertia is 0, k is 1, or n is at most k. */
double selection_ratio(const struct mat *centres, const double *count, double inertia);

/* Measures the rows of Z with centres (k x Z.cols). O(n k d). */
struct selection_point selection_measure(const struct mat *Z, const struct mat *centres);

/* Adds the next k; the first is s->from, set by the caller. */
void selection_add(struct selection *s, struct selection_point p);

void selection_stability(struct selection *s, double stability);

/* Sets the gaps from `values` eigenvalues of a spectral method, in descending order. The gap of k
 * is (eigenvalue k minus eigenvalue k + 1) / the first eigenvalue, or 0 if eigenvalue k + 1 is
 * unknown. Sets none if the first eigenvalue is not positive. */
void selection_gaps(struct selection *s, const double *value, size_t values);

unsigned selection_k(const struct selection *s); /* the chosen k; at least one k was added */
/* Returns the silhouette of the chosen k minus the next best silhouette of a stable k. If no other
 * k is stable, returns the silhouette of the chosen k. */
double selection_margin(const struct selection *s);
/* Appends one line: the chosen k, and up to four other k with the largest silhouettes, each with
 * silhouette and stability. */
void selection_text(const struct selection *s, struct buf *to);

#endif
