/* cells.h -- intersections of clusterings, kCAGC Protocol 3 lines 4-9, and starts on them. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_CELLS_H
#define PROTOCOLS_KCAGC_COORDINATOR_CELLS_H

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

/* -- where the restarts of a joint k-means begin: Protocol 2 line 6 ------------------------------ */

/* A start is a partial assignment of the items, so that a centre is the same nodes at every party.
 * It is made of what the coordinator knows anyway: sizes of cells and the children's clusters. */

/* R starts of K distinct items each out of m > K: label (R x m, K everywhere before) gets 0 .. K-1
 * at the chosen ones. The same seed and stream give the same starts.
 *
 * Uniform, where nothing is known of the items (basic). */
void starts_uniform(uint32_t *label, size_t m, unsigned K, unsigned R, uint64_t seed,
		    uint32_t stream);

/* Spread, for cells: the first with probability ~ weight; each further one ~ weight h^2, h the
 * least Hamming distance of its children's clusters to those of a chosen cell (farthest first,
 * after k-means++). tuple: m x children, the cluster of the cell at each child. O(R K m children).
 */
void starts_spread(uint32_t *label, size_t m, unsigned K, unsigned R, const double *weight,
		   const uint32_t *tuple, size_t children, uint64_t seed, uint32_t stream);

#endif
