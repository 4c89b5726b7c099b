/* explained.h -- measures the share of the features' variance that degrees explain. Data sets
 * without features often use one word per degree in place of features. Words have no order, so
 * clusters of such features do not use the order of degrees. DEGREES_ALONE (degrees.h) clusters
 * such data better. */
#ifndef PROTOCOLS_KCAGC_EXPLAINED_H
#define PROTOCOLS_KCAGC_EXPLAINED_H

#include "common/graph/graph.h"
#include "common/linalg/csr.h"

/* Features count as degrees above this share of the variance. The data sets bat and eat have .77
 * and .99; features of texts have up to .002 (docs/results/tried.md). */
static const double EXPLAINED = 0.5;

/* Number of groups. A group has the nodes of one degree, rounded to a whole number. From 256 on, a
 * group has a range of degrees of about 2 %. In a weighted graph the degree is the sum of
 * weights. */
enum { EXPLAINED_GROUPS = 1024 };

/* Computes two numbers over the rows of X, the features of the nodes of g, before the filter:
 * - x[1]: sum of squared distances from the mean, v;
 * - x[0]: (b - c v) / (1 - c), with b the part of v between the means of the groups and c = (groups
 *   - 1) / (n - 1) the share that as many groups explain by chance; 0 if there is one group, or one
 *   per node.
 * Values of disjoint columns add up to the values of all columns. With many columns and groups, b
 * is an unbiased estimate from a count sketch: 64 sums of columns with random signs. The result is
 * bitwise identical for any distribution of rows. O(entries); at most 1 MB for each doubling of
 * 4096 rows. */
void explained_by_degrees(const struct features *X, const struct graph *g, double *x);

#endif
