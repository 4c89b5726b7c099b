/* kmeans.h -- k-means (common/cluster/kmeans.h) on rows that lie on several ranks, to the same bits. */
#ifndef COMMON_RANKS_KMEANS_H
#define COMMON_RANKS_KMEANS_H

#include "common/cluster/kmeans.h"
#include "common/ranks/ranks.h"

/* Z, label: this rank's rows; centres (k x d, initialised here): the same at each. */
void ranks_kmeans(const struct ranks *R, const struct mat *Z, const struct kmeans_params *p, uint32_t *label,
		  struct mat *centres);

/* kmeans_centres(), without weights. */
void ranks_centres(const struct ranks *R, const struct mat *Z, const uint32_t *label, struct mat *c);

#endif
