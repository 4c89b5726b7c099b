/* cut.h -- cuts a dataset to the rows that several parties have in common, in their joint order. */
#ifndef COMMON_DATA_CUT_H
#define COMMON_DATA_CUT_H

#include "common/data/dataset.h"

/* Moves row row[i] to row i and drops all other rows. row: n <= X->rows distinct row numbers. In
 * place if X is dense. O(rows cols). */
void features_cut(struct features *X, const uint32_t *row, size_t n);

struct cut {
	size_t rows;  /* number of removed rows */
	size_t edges; /* number of removed edges; at least one end was a removed row */
};

/* Moves row row[r] of *d to row r: features, edges between the remaining rows, and ids. row: n <=
 * d->n distinct rows. The dataset must have ids. Afterwards the ids are in the new order, not
 * sorted. ids.row[r] = r, since the new order counts as the party's own. Not for datasets of
 * dataset_load_vertices(). O(rows cols + edges). */
struct cut dataset_cut(struct dataset *d, const uint32_t *row, size_t n);

#endif
