/* profile.h -- what sets a cluster apart from the other rows of the same party, column by column: profile.csv.
 *
 *     cluster,rows,column,mean,mean_of_all,share,lift,z
 *     0,51,income,52340.5,31877.2,1,1,2.71
 *
 * Of each cluster up to PROFILE_MOST columns, those of largest |z| first. mean: of the cluster's rows; share: the part
 * of them in which the column is not 0; lift: that share over the share of all rows. z: by how many robust deviations
 * (1.4826 times the median distance from the median, of all rows) the mean lies from the median of all; where half of
 * the rows or more have one value, which leaves nothing of that, by how many deviations from the mean of all.
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

/* label (a row of X each) below k; columns with z = 0 are left out, clusters without rows have no line. O(entries +
 * m k); medians are those of at most 10^5 rows, evenly spaced. */
void profile_of(const struct features *X, const uint32_t *label, size_t k, struct profile *p);
void profile_release(struct profile *p);

/* For other sums than those of rows at hand: no lines, and room for k clusters; then each line of a cluster, which begins
 * at line `first` and is the last one, finds its place, or another one goes. */
void profile_init(struct profile *p, size_t k);
void profile_offer(struct profile *p, size_t first, const struct profile_line *l);

/* Atomically. Columns by their names, or numbers from 0. */
enum err profile_write(const char *path, const struct profile *p,
		       const struct columns *names) MUST_CHECK;

#endif
