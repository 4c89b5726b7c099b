/* cut.h -- a dataset cut to some of its rows, in another order: to those that several parties have in common. */
#ifndef COMMON_DATA_CUT_H
#define COMMON_DATA_CUT_H

#include "common/data/dataset.h"

/* Row i becomes what row[i] was; further rows go. row: n <= rows different ones, below rows. In place where X
 * is dense. O(rows cols). */
void features_cut(struct features *X, const uint32_t *row, size_t n);

struct cut { /* what was left out */
	size_t rows;
	size_t edges; /* that had one end or both there */
};

/* Row r of *d becomes what row[r] was: features, edges between what is left, and ids. row: n <= d->n different
 * rows. The dataset has ids; they are then in this order, not sorted, and that is the party's own:
 * ids.row[r] = r. Not for datasets of dataset_load_vertices().
 * O(rows cols + edges). */
struct cut dataset_cut(struct dataset *d, const uint32_t *row, size_t n);

#endif
