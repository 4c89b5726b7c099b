#include "common/fedgcn/job.h"

static const enum fedgcn_prototypes prototypes[] = { [PROTOTYPES_MATCHED] = FEDGCN_MATCHED,
						     [PROTOTYPES_GMM] = FEDGCN_GMM,
						     [PROTOTYPES_KDE] = FEDGCN_KDE,
						     [PROTOTYPES_BEST] = FEDGCN_BEST,
						     [PROTOTYPES_OWN] = FEDGCN_OWN };
static const enum fedgcn_sharing sharing[] = { [AGGREGATE_FEDAVG] = FEDGCN_AVG,
					       [AGGREGATE_FEDPROX] = FEDGCN_PROX,
					       [AGGREGATE_FEDPER] = FEDGCN_PER,
					       [AGGREGATE_NONE] = FEDGCN_LOCAL };

static const enum graphs_features features[] = { [GRAPH_STRUCTURE] = GRAPHS_STRUCTURE,
						 [GRAPH_DRAWING] = GRAPHS_DRAWING,
						 [GRAPH_COORDINATES] = GRAPHS_COORDINATES };

enum err job_fedgcn_params(const struct job *job, unsigned threads, struct fedgcn_params *p)
{
	fedgcn_defaults(p, job->clusters, job->seed, threads);
	p->features = features[job->graph_features];
	p->prototypes = prototypes[job->prototypes];
	p->sharing = sharing[job->aggregation];
	p->final = job->final == FINAL_PAPER ? FEDGCN_KMEANS : FEDGCN_MIXTURE;
	p->rounds = job->rounds;
	p->epochs = job->epochs;
	p->batch = job->batch;
	p->rate = job->rate;
	p->lambda = job->lambda;
	p->mu = job->mu;
	p->em = job->em;
	p->min_cluster = job->min_cluster;
	p->unchanged = job->unchanged;
	return fedgcn_params_check(p);
}
