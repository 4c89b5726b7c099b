/* own.h -- what the files of FedSC share. */
#ifndef COMMON_FEDSC_OWN_H
#define COMMON_FEDSC_OWN_H

#include "common/fedsc/coordinator.h"

/* How many landmarks are looked for at first, of n rows. */
size_t fedsc_landmarks_most(const struct fedsc_params *p, double n);
/* The search for up to d of them. */
struct fedkmeans_landmarks fedsc_search(const struct fedsc_params *p, size_t d);
/* Federated k-means as p says, on rows (kmeans) or on their embedding (dense). */
struct fedkmeans_params fedsc_kmeans(const struct fedsc_params *p);

#endif
