/* fedgcn: what goes with what. */
#include "common/fedgcn/job.h"
#include "common/kind/own.h"

#include <string.h>

const char *fedgcn_unread(const void *p, const struct config_row *row)
{
	const struct fedgcn_job *job = p;

	if (!strcmp(row->path, "mu") && job->how.sharing != FEDGCN_PROX)
		return "only aggregation \"fedprox\" reads it";
	if (!strcmp(row->path, "em") && job->how.prototypes != FEDGCN_GMM)
		return "only prototypes \"gmm\" reads it";
	return NULL;
}

enum err fedgcn_check(const void *p)
{
	const struct fedgcn_job *job = p;

	if (job->clusters > FEDGCN_CLUSTERS_MAX)
		return err_set(ERR_INPUT,
			       "job.clusters is %u, expected at most %d with kind \"fedgcn\"",
			       job->clusters, FEDGCN_CLUSTERS_MAX);
	if (job->how.sharing == FEDGCN_PROX && !(job->how.mu > 0))
		return err_set(ERR_INPUT,
			       "job.mu is %g, expected above 0 with job.aggregation \"fedprox\": "
			       "with 0 it is \"fedavg\"",
			       job->how.mu);
	if (job->how.sharing == FEDGCN_LOCAL && job->how.prototypes != FEDGCN_OWN)
		return err_set(ERR_INPUT,
			       "job.prototypes is \"%s\", expected \"own\" with job.aggregation "
			       "\"none\": where each party has weights of its own, prototypes of "
			       "different parties do not lie in one space",
			       fedgcn_prototypes_names[job->how.prototypes]);
	return ERR_OK;
}
