/* kmeans_own.h -- parts of k-means that kmeans.c and kmeans_seed.c share; private to them. */
#ifndef COMMON_CLUSTER_KMEANS_OWN_H
#define COMMON_CLUSTER_KMEANS_OWN_H

#include "common/cluster/kmeans.h"
#include "common/linalg/distance.h"

/* weight: NULL means that every row weighs one. */
static inline double kmeans_weight_of(const double *weight, size_t i)
{
	return weight ? weight[i] : 1;
}

/* The memory of greedy k-means++ for one thread, reused over restarts. */
struct seeding;

/* rows, weight and p->ranks are borrowed until kmeans_seeding_free(). */
struct seeding *kmeans_seeding(const struct distance_rows *rows, const double *weight,
			       const struct kmeans_params *p);
/* Overwrites c (k x d) with the initial centres; each restart has a stream of the seed.
 * O(n k d log k). With ranks, all of them call it together and get the same centres. */
void kmeans_seed(struct seeding *s, uint64_t seed, uint64_t stream, struct mat *c);
void kmeans_seeding_free(struct seeding *s);

#endif
