/* starts.h -- where the restarts of a joint k-means begin: kCAGC Protocol 2 line 6.
 *
 * A start is a partial assignment of the items, so that a centre is the same nodes at every party.
 * It is made of what the coordinator knows anyway: sizes of cells and the children's clusters.
 */
#ifndef SERVER_KCAGC_STARTS_H
#define SERVER_KCAGC_STARTS_H

#include <stddef.h>
#include <stdint.h>

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
