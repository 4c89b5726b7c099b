/* metrics.h -- agreement of a clustering with known classes. */
#ifndef COMMON_CLUSTER_METRICS_H
#define COMMON_CLUSTER_METRICS_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct metrics {
	/* accuracy under the best one-to-one match of clusters to classes (Hungarian) */
	double acc;
	double nmi; /* 2 I(U;V) / (H(U) + H(V)), natural logarithms; 1 if both have one cluster */
	double ari; /* adjusted Rand index */
	double f1;  /* macro-F1 over the classes, after the same matching */
	/* FedSpectral+, Algorithm 5, with the truth as its global labels: 1 - m / n^2, with m the
	 * number of ordered pairs of nodes in one class but in two clusters. Does not penalise
	 * merging: a single cluster scores 1. */
	double similarity;
};

/* Labels are integers from 0 to METRICS_LABEL_END - 1. The clusters have at most
 * METRICS_CLASSES_MAX different labels, and so have the classes. Otherwise, or if n is 0,
 * ERR_INPUT. O(n + k^3), where k is the larger of these two numbers of labels. */
enum { METRICS_LABEL_END = 1 << 20, METRICS_CLASSES_MAX = 2048 };

enum err metrics_of(const uint32_t *truth, const uint32_t *label, size_t n,
		    struct metrics *m) MUST_CHECK;

/* Hungarian algorithm: assigns each row of the n x n cost matrix one column with the least total;
 * column[i] is the column of row i. O(n^3). */
void hungarian(const double *cost, size_t n, size_t *column);

#endif
