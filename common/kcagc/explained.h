/* explained.h -- how much of a slice's features degrees explain: whether nodes of the same degree have the same features.
 * Where no features are known, one word for each degree is a usual stand-in, and so classes are sought by degrees in words that know
 * no order among them. Then degrees themselves say it better (degrees.h).
 */
#ifndef COMMON_KCAGC_EXPLAINED_H
#define COMMON_KCAGC_EXPLAINED_H

#include "common/graph/graph.h"
#include "common/kcagc/embed.h"

/* Above this part of all variance features are degrees. Bat and eat have .77 and .99, features of texts up to .002
 * (docs/FIDELITY.md). */
static const double EXPLAINED = 0.5;

/* *varied: the sum of squared distances of X's rows from their mean; *explained: what of it lies between the means of nodes of the same
 * degree (of a weighted graph, sum of weights), less what as many groups have by chance, over what is left to explain: (b - c v) / (1 - c), c =
 * (groups - 1) / (n - 1). 0 if all nodes or no two have the same degree. Both add up over disjoint columns. O(entries + n log n), 2 m doubles. */
void explained_by_degrees(const struct features *X, const struct graph *g, double *explained, double *varied);

#endif
