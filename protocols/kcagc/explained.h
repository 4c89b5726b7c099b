/* explained.h -- how much of a slice's features degrees explain: whether nodes of the same degree have the same features.
 * Where no features are known, one word for each degree is a usual stand-in, and so classes are sought by degrees in words that know
 * no order among them. Then degrees themselves say it better (degrees.h).
 */
#ifndef PROTOCOLS_KCAGC_EXPLAINED_H
#define PROTOCOLS_KCAGC_EXPLAINED_H

#include "protocols/kcagc/slice.h"

/* Above this part of all variance features are degrees. Bat and eat have .77 and .99, features of texts up to .002
 * (docs/FIDELITY.md). */
static const double EXPLAINED = 0.5;

/* Nodes of the same degree, of a weighted graph sum of weights, to the nearest whole number; from 256 on of a range of about 2 %. */
enum { EXPLAINED_GROUPS = 1024 };

/* x[1]: the sum of squared distances of the slice's rows from their mean; x[0]: what of it lies between the means of the groups, less what as
 * many groups have by chance, over what is left to explain: (b - c v) / (1 - c), c = (groups - 1) / (n - 1). 0 if there is one group, or one
 * for each node. Both add up over disjoint columns. Where there are many columns and groups, b is of 64 sums of columns with signs (a count
 * sketch), which is right in the mean. Before the filter; the same bits wherever rows are. O(entries), 1 MB for each doubling of 4096 rows at most. */
void explained_by_degrees(const struct slice *s, double *x);

#endif
