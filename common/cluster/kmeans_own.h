/* kmeans_own.h -- what the parts of k-means share among themselves. */
#ifndef COMMON_CLUSTER_KMEANS_OWN_H
#define COMMON_CLUSTER_KMEANS_OWN_H

#include "common/linalg/distance.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* NULL: all one. */
static inline double weight_of(const double *weight, size_t i)
{
	return weight ? weight[i] : 1;
}

/* Greedy k-means++: what seeding k centres needs, for one seed after the other. rows and weight must
 * outlive it. */
struct seeding;
struct seeding *kmeans_seeding(const struct distance_rows *rows, const double *weight, size_t k);
void kmeans_seeding_free(struct seeding *s);

/* c (k x d) is overwritten; a stream of the seed for each restart. O(n k d log k). */
void kmeans_seed(struct seeding *s, uint64_t seed, uint64_t stream, struct mat *c);

#endif
