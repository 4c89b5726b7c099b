/* stability.h -- would other rows have had the same clusters? (Lange, Roth, Braun, Buhmann,
 * "Stability-based validation of clustering solutions", 2004.)
 *
 * Points are halved at random, ten times. Each half is clustered by k-means; the second half's
 * points also go to the nearest centres of the first, and what of their weight is then in another
 * cluster than their own k-means says, after the best matching of the two, is how unstable k is.
 * Random labels differ by so much less the more clusters there are, so it is a part of what they
 * do: 1 less this part, 1 if all halves agree and about 0 if they agree by chance.
 */
#ifndef COMMON_CLUSTER_STABILITY_H
#define COMMON_CLUSTER_STABILITY_H

#include "common/linalg/mat.h"

#include <stdint.h>

enum { STABILITY_SPLITS = 10, STABILITY_HALF = 5000 }; /* points of a half, at most */

/* Of the rows of Z, weight >= 0 each, or NULL: all one. 0 with fewer than 2 k points. Same seed,
 * same result for any threads. O(splits half k d) a round of k-means, of which there are few. */
double stability_of(const struct mat *Z, const double *weight, unsigned k, uint64_t seed,
		    unsigned threads);

#endif
