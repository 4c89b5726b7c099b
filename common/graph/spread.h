/* spread.h -- how long columns are and how far their values lie from their means, by sums over rows as rowsum.h has
 * them, for graph_filter_spread(). */
#ifndef COMMON_GRAPH_SPREAD_H
#define COMMON_GRAPH_SPREAD_H

#include "common/linalg/ranks.h"

/* Columns of which the sums are added to each other, before they are to those of others: part of the result's last
 * bits. Panels of columns are whole multiples of it. */
enum { SPREAD_COLUMNS = 8 };

/* Of `width` columns, over all ranks; spread_width(width) is the width of its total. */
void spread_begin_sum(const struct ranks *R, struct rowsum *s, size_t *width);
static inline size_t spread_width(size_t width)
{
	return 1 + 3 * width;
}

/* The next block: `rows` rows of `width` values. */
void spread_add(struct rowsum *s, const double *x, size_t rows, size_t width);

/* Of group g of SPREAD_COLUMNS columns in a total: ||x_j||^2 and ||x_j - mean_j||^2, summed. */
void spread_of_group(const double *total, size_t width, size_t g, double *square, double *spread);
/* term (groups x 2 powers): of each group its squares, then its spreads. Those of all groups, `powers` each. */
void spread_add_groups(const double *term, size_t groups, size_t powers, double *square, double *spread);

#endif
