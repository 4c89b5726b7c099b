/* spread.h -- squared norms of columns and squared distances from their means, by sums over rows as
 * in rowsum.h, for graph_filter_spread(). */
#ifndef COMMON_GRAPH_SPREAD_H
#define COMMON_GRAPH_SPREAD_H

#include "common/linalg/ranks.h"

#include <stdint.h>

/* SPREAD_COLUMNS: number of columns that form a group. A group is summed before groups are added,
 * so this determines the last bits of the result. SPREAD_PANEL: width of the widest panel. Other
 * panels are half as wide, or SPREAD_COLUMNS wide. */
enum { SPREAD_COLUMNS = 8, SPREAD_PANEL = 32 };

/* Begins a sum for *width columns over all ranks; `width` is borrowed until rowsum_release().
 * spread_width(width) returns the number of values of its total. */
void spread_begin_sum(const struct ranks *R, struct rowsum *s, size_t *width);
static inline size_t spread_width(size_t width)
{
	return 1 + 3 * width;
}

/* A panel whose rows are in another order than those of the matrix. Row i of the matrix is
 * leave[place[i]] times row place[i] of y, which has `width` values. */
struct spread_rows {
	size_t width;
	const double *y, *leave;
	const uint32_t *place;
};
/* Adds the next block: `rows` rows of the matrix, from row `first` on. Reads each row once. */
void spread_add(struct rowsum *s, const struct spread_rows *of, size_t first, size_t rows);

/* For group g of SPREAD_COLUMNS columns, computes the sums of ||x_j||^2 and ||x_j - mean_j||^2 from
 * the total of such a sum. */
void spread_of_group(const double *total, size_t width, size_t g, double *square, double *spread);
/* Adds the terms of all groups, for each power F^t X, t < powers (graph_filter_spread()). term
 * (groups x 2 powers) has `powers` squares and then `powers` spreads for each group. square and
 * spread receive `powers` sums each. */
void spread_add_groups(const double *term, size_t groups, size_t powers, double *square,
		       double *spread);

#endif
