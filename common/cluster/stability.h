/* stability.h -- stability of a clustering over samples (Lange, Roth, Braun, Buhmann,
 * "Stability-based validation of clustering solutions", 2004).
 *
 * Splits the points into random halves, ten times. Clusters each half by k-means, and assigns the
 * second half also to the nearest centres of the first. The instability of k is the share of weight
 * on which the two labellings of the second half differ, after the best matching. Random labels
 * differ less for fewer clusters, so the instability is divided by that of random labels. The
 * result is 1 minus this: 1 if all halves agree, about 0 if they agree only by chance. */
#ifndef COMMON_CLUSTER_STABILITY_H
#define COMMON_CLUSTER_STABILITY_H

#include "common/linalg/mat.h"

#include <stdint.h>

/* STABILITY_HALF: maximum number of points of a half */
enum { STABILITY_SPLITS = 10, STABILITY_HALF = 5000 };

/* Returns the stability of k clusters of the rows of Z, with weights >= 0 (NULL: all one). Returns
 * 0 for fewer than 2 k points, and if k is 1. The same seed gives the same result for any number of
 * threads. O(splits half k d) per round of k-means; k-means has at most 50 rounds. */
double stability_of(const struct mat *Z, const double *weight, unsigned k, uint64_t seed,
		    unsigned threads);

#endif
