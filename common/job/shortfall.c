#include "common/job/shortfall.h"
#include "common/base/warnings.h"

/* Returns the requested number of clusters, or the chosen one if the job gives a range or
 * "auto". */
static size_t clusters_wanted(const struct job *job, size_t chosen)
{
	return job->clusters_from || job->clusters == JOB_AUTO ? chosen : job->clusters;
}

void shortfall_sizes(const struct job *job, const uint64_t *size, size_t clusters)
{
	size_t wanted = clusters_wanted(job, clusters), used = 0, single = 0;
	uint64_t rows = 0;

	if (job->kind->places || job_claim(job).in_sums)
		return;
	for (size_t c = 0; c < clusters; c++) {
		used += size[c] > 0;
		single += size[c] == 1;
		rows += size[c];
	}
	if (!rows)
		return;
	if (used == 1)
		warnings_add(WARNING_ONE_CLUSTER, 1, "all %ju %s are in one cluster of %zu",
			     (uintmax_t)rows, job->kind->things, wanted);
	else if (used < wanted)
		warnings_add(WARNING_FEWER_CLUSTERS, (double)used, "%zu clusters of %zu have %s",
			     used, wanted, job->kind->things);
	if (single)
		warnings_add(WARNING_SINGLE_ROWS, (double)single, "%zu of %zu clusters have one %s",
			     single, used, job->kind->thing);
}

void shortfall_selection(const struct selection *s)
{
	unsigned k = selection_k(s), last = s->from + (unsigned)s->count - 1, stable = k;
	double margin = selection_margin(s);

	if (k == s->from || k == last)
		warnings_add(WARNING_K_AT_END, k, "k = %u is the %s of the range %u to %u", k,
			     k == last ? "last" : "first", s->from, last);
	if (margin < SHORTFALL_MARGIN)
		warnings_add(WARNING_K_CLOSE, margin,
			     "k = %u of %u to %u won by %.4f over the next best, below %g", k,
			     s->from, last, margin, SHORTFALL_MARGIN);
	for (unsigned i = s->from; i <= last && s->has_stability; i++)
		if (s->stability[i - s->from] > s->stability[stable - s->from])
			stable = i;
	if (s->has_stability &&
	    s->stability[stable - s->from] >= s->stability[k - s->from] + SHORTFALL_STABILITY)
		warnings_add(WARNING_K_UNSTABLE, stable,
			     "k = %u has stability %.2f over halves of the rows, k = %u has %.2f",
			     k, s->stability[k - s->from], stable, s->stability[stable - s->from]);
}

void shortfall_silhouette(double mean, size_t rows)
{
	if (mean < SHORTFALL_SILHOUETTE)
		warnings_add(WARNING_SILHOUETTE, mean,
			     "the silhouette of %zu rows is %.3f on average, below %g", rows, mean,
			     SHORTFALL_SILHOUETTE);
}

void shortfall_modularity(double modularity)
{
	if (modularity < SHORTFALL_MODULARITY)
		warnings_add(WARNING_MODULARITY, modularity,
			     "the clusters' modularity is %.3f, below %g", modularity,
			     SHORTFALL_MODULARITY);
}
