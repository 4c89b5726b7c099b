/* fedgcn: what goes with what. */
#include "common/job/check.h"

#include <string.h>

const char *job_fedgcn_unread(const struct job *job, const char *path)
{
	if (!strcmp(path, "mu") && job->aggregation != AGGREGATE_FEDPROX)
		return "only aggregation \"fedprox\" reads it";
	if (!strcmp(path, "em") && job->prototypes != PROTOTYPES_GMM)
		return "only prototypes \"gmm\" reads it";
	return NULL;
}

enum err job_check_fedgcn(const struct job *job)
{
	TRY(job_check_clusters(job));
	if (job->clusters > JOB_GRAPH_CLUSTERS_MAX)
		return err_set(ERR_INPUT,
			       "job.clusters is %u, expected at most %d with kind \"fedgcn\"",
			       job->clusters, JOB_GRAPH_CLUSTERS_MAX);
	if (job->aggregation == AGGREGATE_FEDPROX && !(job->mu > 0))
		return err_set(ERR_INPUT,
			       "job.mu is %g, expected above 0 with job.aggregation \"fedprox\": "
			       "with 0 it is \"fedavg\"",
			       job->mu);
	if (job->aggregation == AGGREGATE_NONE && job->prototypes != PROTOTYPES_OWN)
		return err_set(ERR_INPUT,
			       "job.prototypes is \"%s\", expected \"own\" with job.aggregation "
			       "\"none\": where each party has weights of its own, prototypes of "
			       "different parties do not lie in one space",
			       job_prototypes_names[job->prototypes]);
	return ERR_OK;
}
