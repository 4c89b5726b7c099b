/* degrees.h -- nodes' degrees as a feature. All who have the graph have this column alike; it is not filtered, since T,
 * whose rows sum to 1, takes degrees out.
 *
 * Where classes are what nodes do in the graph (an airport's traffic), not whom they are tied to, the degree says more
 * than any filter of features (Ribeiro, Saverese, Figueiredo, "struc2vec", KDD 2017; Henderson et al., "It's who you
 * know: graph mining using recursive structural features", KDD 2011, who take logarithms of counts, too).
 */
#ifndef PROTOCOLS_KCAGC_DEGREES_H
#define PROTOCOLS_KCAGC_DEGREES_H

#include "common/graph/graph.h"

/* DEGREES_AUTO: alone where features are degrees (explained.h), else off. */
enum degrees { DEGREES_OFF, DEGREES_BESIDE, DEGREES_ALONE, DEGREES_AUTO };

/* The column z: ln(1 + degree), of a weighted graph the sum of weights, brought to mean 0 and mean square 1 over all
 * nodes; all 0 if all have the same. Its parts: the logarithm of node i, what is left of z (rows of it, of mean 0, whose mean square over all is
 * given) by its root. */
double degrees_logarithm(const struct graph *g, size_t i);
void degrees_divide(double *z, size_t rows, double square);

/* The variance of that column as a share of that of all filtered columns together, where it is beside them. Judged on
 * planted graphs (scripts/bench.d/roles.py): of classes that are halves of features by halves of degrees a sixteenth
 * and an eighth find most, and 1 finds degrees alone; where features say nothing, the more the better. */
static const double DEGREES_SHARE = 0.125;

/* What rows of length 1 at most, with sqrt(w) z_i beside, w <= 1, are multiplied by to be no longer than 1:
 * 1 / sqrt(1 + most), most the largest z_i^2. */
double degrees_scale(double most);

#endif
