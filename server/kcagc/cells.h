/* cells.h -- intersections of clusterings: kCAGC Protocol 3 lines 4-9. */
#ifndef SERVER_KCAGC_CELLS_H
#define SERVER_KCAGC_CELLS_H

#include <stddef.h>
#include <stdint.h>

/* The non-empty intersections of several labellings of n nodes: cell[i] in 0 .. m-1, numbered in
 * the order of their first node; returns m. labels: count arrays of n. O(n count), hashing. */
size_t cells_intersect(const uint32_t *const *labels, size_t count, size_t n, uint32_t *cell);

/* Each cell's clusters, m x count: that of cell c in each labelling. Owned by the caller. */
uint32_t *cells_tuples(const uint32_t *const *labels, size_t count, const uint32_t *cell, size_t n,
		       size_t m);

/* size[c] = nodes in cell c, m of them, as weights for k-means. */
void cells_sizes(const uint32_t *cell, size_t n, size_t m, double *size);

/* min_cell: a cell of fewer than `least` nodes joins the largest cell with the same cluster at the first
 * child (first: n); what is still too small then joins the largest cell of all. Cells are numbered
 * anew, in the order of their first node. Returns how many there are; 0 if n < least. O(n + m). */
size_t cells_merge(uint32_t *cell, size_t n, size_t m, const uint32_t *first, size_t least);

#endif
