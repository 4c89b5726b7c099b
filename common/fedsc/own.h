/* own.h -- what the files of FedSC share. */
#ifndef COMMON_FEDSC_OWN_H
#define COMMON_FEDSC_OWN_H

#include "common/fedsc/coordinator.h"

/* Totals; of their means the rows' spread, or that of each column; of the deviation, where the kernel needs a
 * width (width), the mean distances. report: n, mean, unit, scale, r. totals.c. */
enum err fedsc_totals(struct parties *parties, size_t m, const struct fedsc_params *p, bool width,
		      struct fedsc_report *report) MUST_CHECK;

/* How many rows there are, and nothing else. report: n. totals.c. */
enum err fedsc_count(struct parties *parties, const struct fedsc_params *p,
		     struct fedsc_report *report) MUST_CHECK;

/* How many landmarks are looked for at first, of n rows. */
size_t fedsc_landmarks_most(const struct fedsc_params *p, double n);
/* The search for up to d of them. */
struct fedkmeans_landmarks fedsc_search(const struct fedsc_params *p, size_t d);
/* Federated k-means as p says, on rows (kmeans) or on their embedding (dense). */
struct fedkmeans_params fedsc_kmeans(const struct fedsc_params *p);

#endif
