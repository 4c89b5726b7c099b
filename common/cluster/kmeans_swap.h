/* kmeans_swap.h -- k-means beyond what restarts find: single rows that move, and centres that are put
 * elsewhere.
 *
 * Where clusters are not clear, Lloyd's algorithm has hundreds of optima within a thousandth of the
 * best, a few rows apart, and which of them is the best of 100 restarts is left to chance: on
 * email-eu-core two seeds agree to an ARI of .99. This finds one for all seeds.
 */
#ifndef COMMON_CLUSTER_KMEANS_SWAP_H
#define COMMON_CLUSTER_KMEANS_SWAP_H

#include "common/linalg/mat.h"

#include <stdint.h>

/* Improves label (one below k for each row of Z). First each row goes to the cluster in which it
 * costs least, sizes reckoned with, as long as there is one (Hartigan, Wong 1979); then as many
 * random swaps (Franti 2018): a random centre becomes a random row, a few Lloyd steps and Hartigan's
 * follow, and what is better stays. On this thread; same seed, same labels. A swap is about
 * O(8 n k d). */
void kmeans_swap(const struct mat *Z, size_t k, unsigned swaps, uint64_t seed, uint32_t *label);

#endif
