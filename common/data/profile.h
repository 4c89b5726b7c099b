/* profile.h -- cluster profile: compares a cluster with all rows of the party, column by column:
 * profile.csv.
 *
 *     cluster,rows,column,mean,mean_of_all,share,lift,z
 *     0,51,income,52340.5,31877.2,1,1,2.71
 *
 * Each cluster has up to PROFILE_MOST columns, in descending order of |z|. mean: mean over the
 * cluster's rows. share: fraction of the cluster's rows in which the column is not 0. lift: this
 * share divided by the share in all rows. z: (mean - median) / (robust deviation). The median is
 * over all rows, and the robust deviation is 1.4826 times the median distance from it. If more than
 * half of the rows have one value, or if features are sparse, the robust deviation is 0. Then z is
 * (mean - mean_of_all) divided by the standard deviation.
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
 * without rows. O(entries + columns k); medians are over at most 10^5 rows, evenly spaced. */
void profile_of(const struct features *X, const uint32_t *label, size_t k, struct profile *p);
void profile_release(struct profile *p);

/* For profiles from sums that are computed elsewhere. profile_init() allocates a profile of k
 * clusters without lines. profile_offer() inserts *l into the lines of its cluster, unless its z
 * is 0. These must be the last lines of the profile, from line `first` on. If the cluster then has
 * more than PROFILE_MOST lines, drops the line of least |z|. */
void profile_init(struct profile *p, size_t k);
void profile_offer(struct profile *p, size_t first, const struct profile_line *l);

/* Writes the file atomically. Columns have their names, or numbers from 0. */
enum err profile_write(const char *path, const struct profile *p,
		       const struct columns *names) MUST_CHECK;

#endif
