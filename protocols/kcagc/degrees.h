/* degrees.h -- the nodes' degrees as a feature. Every party with the graph has the same column. The
 * column is not filtered: the rows of the filter T (slice.h) sum to 1, so T would remove the
 * degrees.
 *
 * If classes depend on a node's role in the graph (an airport's traffic) rather than on its
 * neighbours, the degree predicts them better than filtered features do (Ribeiro, Saverese,
 * Figueiredo, "struc2vec", KDD 2017; Henderson et al., "It's who you know: graph mining using
 * recursive structural features", KDD 2011, which takes logarithms of counts, too). */
#ifndef PROTOCOLS_KCAGC_DEGREES_H
#define PROTOCOLS_KCAGC_DEGREES_H

#include "common/graph/graph.h"

/* Use of degrees. DEGREES_AUTO stands for DEGREES_ALONE if the features are degrees (explained.h),
 * and for DEGREES_OFF otherwise. */
enum degrees { DEGREES_OFF, DEGREES_BESIDE, DEGREES_ALONE, DEGREES_AUTO };

/* Column z is ln(1 + degree), scaled to mean 0 and mean square 1 over all nodes. In a weighted
 * graph the degree is the sum of weights. z is 0 if all degrees are equal. degrees_logarithm()
 * returns the logarithm of node i. degrees_divide() takes some rows of a column of mean 0 and
 * divides them by its root mean square over all rows. */
double degrees_logarithm(const struct graph *g, size_t i);
void degrees_divide(double *z, size_t rows, double square);

/* For DEGREES_BESIDE: the degree column's variance, as a share of the variance of all filtered
 * columns. The value was chosen on planted graphs (scripts/bench.d/roles.py). If features and
 * degrees each determine half of the classes, shares of 1/16 and 1/8 recover most classes; a share
 * of 1 recovers only the classes that degrees determine. If features carry no information, a larger
 * share is better. */
static const double DEGREES_SHARE = 0.125;

/* Returns 1 / sqrt(1 + most), where `most` is the largest z_i^2. Take a row of length at most 1,
 * append sqrt(w) z_i with w <= 1, and multiply it by this factor: its length is again at most 1. */
double degrees_scale(double most);

#endif
