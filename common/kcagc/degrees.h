/* degrees.h -- nodes' degrees as a feature. All who have the graph have this column alike; it is not filtered, since T,
 * whose rows sum to 1, takes degrees out.
 *
 * Where classes are what nodes do in the graph (an airport's traffic), not whom they are tied to, the degree says more
 * than any filter of features (Ribeiro, Saverese, Figueiredo, "struc2vec", KDD 2017; Henderson et al., "It's who you
 * know: graph mining using recursive structural features", KDD 2011, who take logarithms of counts, too).
 */
#ifndef COMMON_KCAGC_DEGREES_H
#define COMMON_KCAGC_DEGREES_H

#include "common/graph/graph.h"

/* DEGREES_AUTO: alone where features are degrees (explained.h), else off. */
enum degrees { DEGREES_OFF, DEGREES_BESIDE, DEGREES_ALONE, DEGREES_AUTO };

/* z (n, given): ln(1 + degree), of a weighted graph the sum of weights, brought to mean 0 and mean square 1; all 0 if
 * all nodes have the same. O(n). */
void degrees_column(const struct graph *g, double *z);

/* The variance of that column as a share of that of all filtered columns together, where it is beside them. Judged on
 * planted graphs (scripts/bench.d/roles.py): of classes that are halves of features by halves of degrees a sixteenth
 * and an eighth find most, and 1 finds degrees alone; where features say nothing, the more the better. */
static const double DEGREES_SHARE = 0.125;

/* What rows of length 1 at most, with sqrt(w) z_i beside, w <= 1, are multiplied by to be no longer than 1:
 * 1 / sqrt(1 + max z_i^2). */
double degrees_scale(const double *z, size_t n);

#endif
