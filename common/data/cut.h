/* cut.h -- cuts a dataset to the rows that several parties have in common, in their joint order. */
#ifndef COMMON_DATA_CUT_H
#define COMMON_DATA_CUT_H

#include "common/data/dataset.h"

/* Row i becomes what row[i] was; further rows go. row: n <= rows different ones, below rows. In
 * place if X is dense. O(rows cols). */
void features_cut(struct features *X, const uint32_t *row, size_t n);

struct cut { /* what was left out */
	size_t rows;
	size_t edges; /* that had one end or both there */
};

/* Row r of *d becomes what row[r] was: features, edges between the remaining rows, and ids. row: n
 * <= d->n different rows. The dataset has ids. They are in this order afterwards, unsorted, and it
 * is the party's own order: ids.row[r] = r. Not for datasets of dataset_load_vertices(). O(rows
 * cols + edges). */
struct cut dataset_cut(struct dataset *d, const uint32_t *row, size_t n);

#endif
