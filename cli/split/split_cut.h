/* split_cut.h -- parts of matrices and of graphs, in the order of the whole. */
#ifndef CLI_SPLIT_SPLIT_CUT_H
#define CLI_SPLIT_SPLIT_CUT_H

#include "common/linalg/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* new_of[i]: the place of item i in part l, or UINT32_MAX. Returns how many there are. */
size_t split_places(const uint32_t *part, size_t n, uint32_t l, uint32_t *new_of);

/* The rows x cols that row_of and col_of say (as split_places(); NULL: all of them); out is
 * initialised here. */
void split_cut(const struct features *X, size_t rows, const uint32_t *row_of, size_t cols,
	       const uint32_t *col_of, struct features *out);
void split_cut_sparse(const struct csr *s, size_t rows, const uint32_t *row_of, size_t cols,
		      const uint32_t *col_of, struct csr *out);

/* Of the edges u <= v, counted row by row, those that are kept, in this one direction, which is
 * enough for printing; out is initialised here. */
void split_keep_edges(const struct csr *adjacency, const bool *kept, struct csr *out);

#endif
