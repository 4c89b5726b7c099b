/* profile.h -- cluster profile: compares a cluster with the party's other rows, column by column:
 * profile.csv.
 *
 *     cluster,rows,column,mean,mean_of_all,share,lift,z
 *     0,51,income,52340.5,31877.2,1,1,2.71
 *
 * Each cluster has up to PROFILE_MOST columns, those of largest |z| first. mean: over the cluster's
 * rows. share: the part of its rows in which the column is not 0. lift: that share over the share
 * in all rows. z: (mean - median) / deviation, with the median of all rows and the robust deviation
 * 1.4826 times the median distance from it. If half of the rows or more have one value, that
 * deviation is 0; then z is the distance from the mean of all in standard deviations.
 */
#ifndef COMMON_DATA_PROFILE_H
#define COMMON_DATA_PROFILE_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/linalg/csr.h"

#include <stdint.h>

enum { PROFILE_MOST = 10 };

struct profile_line {
	uint32_t cluster;
	size_t rows, column;
	double mean, mean_of_all, share, lift, z;
};

/* Owned. */
struct profile {
	struct profile_line *line;
	size_t n;
};

/* label: a cluster below k for each row of X. Leaves out columns with z = 0, and lines of clusters
 * without rows. O(entries + m k); medians are over at most 10^5 rows, evenly spaced. */
void profile_of(const struct features *X, const uint32_t *label, size_t k, struct profile *p);
void profile_release(struct profile *p);

/* For sums over rows that are stored elsewhere. profile_init() makes room for k clusters, without
 * lines. profile_offer() inserts *l into the lines of its cluster, which are the last ones and
 * begin at line `first`. If the cluster has too many, it drops the line of least |z|. */
void profile_init(struct profile *p, size_t k);
void profile_offer(struct profile *p, size_t first, const struct profile_line *l);

/* Writes atomically. Columns have their names, or numbers from 0. */
enum err profile_write(const char *path, const struct profile *p,
		       const struct columns *names) MUST_CHECK;

#endif
