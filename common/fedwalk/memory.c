/* The memory of FedWalk: the tree of all pairs takes the square of the vertices. */
#include "common/fedwalk/distance.h"
#include "common/fedwalk/job.h"
#include "common/fedwalk/response.h"

#include <math.h>

enum { REPORT_BYTES = 40 }; /* of a reported pair: as it came, both ways, and how likely it is */

double fedwalk_memory(const void *p, const struct kind_sizes *s)
{
	const struct fedwalk_job *job = p;
	size_t n = (size_t)s->n;
	double tokens = (double)job->walks * job->length, first = 0;

	if (!n)
		return KIND_MEMORY_LEAST;
	if (!s->coordinator) /* walks as they pass, and own embeddings */
		return KIND_MEMORY_LEAST + s->n * (8 * tokens + 8.0 * job->dims) + 24 * s->edges;
	first = job->mode == FEDWALK_RESPONSE
		    ? REPORT_BYTES * fedwalk_reports_expected(job->eps, n, 0)
		    : fedwalk_tree_bytes(n, fedwalk_job_bins(job, n), fedwalk_tree_how(job, n), 0);
	/* One after the other. */
	return KIND_MEMORY_LEAST + fmax(first, fedwalk_train_bytes(n, job->walks, job->length, 1));
}
