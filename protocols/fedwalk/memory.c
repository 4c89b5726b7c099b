/* Memory estimate of FedWalk. A tree from all pairs takes O(n^2). */
#include "protocols/fedwalk/distance.h"
#include "protocols/fedwalk/job.h"
#include "protocols/fedwalk/response.h"

#include <math.h>

/* bytes of a reported pair: as received, in both directions, and with its probability */
enum { REPORT_BYTES = 40 };

/* Returns the peak of the tree or of the reports, by the job's mode. Both are released before walks
 * begin. */
static double fedwalk_first_bytes(const struct fedwalk_job *job, size_t n, enum fedwalk_how how)
{
	if (job->mode == FEDWALK_RESPONSE)
		return REPORT_BYTES * fedwalk_reports_expected(job->eps, n, 0);
	return fedwalk_tree_bytes(n, fedwalk_job_bins(job, n), how, 0);
}

double fedwalk_memory(const void *p, const struct kind_sizes *s)
{
	const struct fedwalk_job *job = p;
	size_t n = (size_t)s->n;
	double tokens = (double)job->walks * job->length;

	if (!n)
		return KIND_MEMORY_LEAST;
	if (!s->coordinator) /* walks in transit, and the party's own embeddings */
		return KIND_MEMORY_LEAST + s->n * (8 * tokens + 8.0 * job->dims) + 24 * s->edges;
	/* The two phases follow each other, so the larger one counts. */
	return KIND_MEMORY_LEAST + fmax(fedwalk_first_bytes(job, n, fedwalk_tree_how(job, n)),
					fedwalk_train_bytes(n, job->walks, job->length, 1));
}
