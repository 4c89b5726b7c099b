/* cells.h -- intersections of clusterings (kCAGC, Protocol 3 lines 4-9), and starts of a k-means on
 * them. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_CELLS_H
#define PROTOCOLS_KCAGC_COORDINATOR_CELLS_H

#include <stddef.h>
#include <stdint.h>

/* Sets cell[i] to the number of node i's cell. A cell has the nodes that agree in all `count`
 * labellings. Cells are numbered in the order of their first node. Returns their number m. O(n
 * count), by hashing. */
size_t cells_intersect(const uint32_t *const *labels, size_t count, size_t n, uint32_t *cell);

/* Returns the cluster of each cell in each labelling, m x count; owned by the caller. */
uint32_t *cells_tuples(const uint32_t *const *labels, size_t count, const uint32_t *cell, size_t n,
		       size_t m);

/* Fills size[c] (m entries) with the number of nodes in cell c, which is the cell's weight in
 * k-means. */
void cells_sizes(const uint32_t *cell, size_t n, size_t m, double *size);

/* Merges small cells, for min_cell. A cell of fewer than `least` nodes joins the largest cell with
 * the same cluster in `first`, the n labels of the first child. A cell that is still too small
 * joins the largest cell of all. Renumbers cells in the order of their first node. Returns their
 * number; 0 if n < least. O(n + m). */
size_t cells_merge(uint32_t *cell, size_t n, size_t m, const uint32_t *first, size_t least);

/* ---- starts of a joint k-means: Protocol 2 line 6 ---- */

/* A start assigns some of the items to clusters. All parties use the same assignment, so a centre
 * consists of the same nodes at every party. The coordinator derives it from data that it already
 * has: sizes of cells and the children's clusters. */

/* Chooses R starts of K distinct items each, out of m > K. label (R x m) must be K everywhere on
 * entry; the chosen items get 0 .. K-1. The same seed and stream give the same starts.
 *
 * starts_uniform() chooses all items with the same probability, for items without further
 * information (basic). */
void starts_uniform(uint32_t *label, size_t m, unsigned K, unsigned R, uint64_t seed,
		    uint32_t stream);

/* As starts_uniform(), but the K cells of a start are far from each other, as in k-means++. The
 * first cell is drawn with a probability proportional to its weight, and every further cell with
 * one proportional to weight h^2. h is the cell's Hamming distance to the nearest chosen cell, over
 * their rows of tuple. tuple (m x children): the cluster of each cell at each child. O(R K m
 * children). */
void starts_spread(uint32_t *label, size_t m, unsigned K, unsigned R, const double *weight,
		   const uint32_t *tuple, size_t children, uint64_t seed, uint32_t stream);

#endif
