/* shortfall.h -- warnings (common/base/warnings.h) about results that fall short of the request,
 * and their bounds. */
#ifndef COMMON_JOB_SHORTFALL_H
#define COMMON_JOB_SHORTFALL_H

#include "common/cluster/selection.h"
#include "common/job/job.h"

#include <stddef.h>
#include <stdint.h>

/* Least silhouette without a warning: the mean over rows of 1 - a / b (selection.h). It is 0.22 on
 * the data set usps, 0.07 on 1000 normal rows in 20 dimensions, and 0.01 in 200 dimensions. */
#define SHORTFALL_SILHOUETTE 0.05
/* Least value of Newman's modularity without a warning. In all public graphs tried, clusters below
 * it were bad. */
#define SHORTFALL_MODULARITY 0.1
#define SHORTFALL_MARGIN     0.01 /* least lead of the chosen k's silhouette over the next best */
#define SHORTFALL_STABILITY  0.2  /* warns if another k's stability is higher by this much */

/* Warns about empty clusters and clusters of one row. size: the rows of each cluster, counted over
 * all rows of the job. Does not warn if the sizes are noisy, or if the job places rows among the
 * clusters of an earlier run. */
void shortfall_sizes(const struct job *job, const uint64_t *size, size_t clusters);
/* Warns if the chosen k is at an end of the range, leads by little, or is less stable than another.
 * s->count is at least 2. */
void shortfall_selection(const struct selection *s);
void shortfall_silhouette(double mean, size_t rows);
void shortfall_modularity(double modularity);

#endif
