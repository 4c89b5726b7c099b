#include "protocols/fedgcn/baselines.h"
#include "common/base/alloc.h"
#include "protocols/fedgcn/own.h"
#include "protocols/fedgcn/coordinator.h"
#include "common/cluster/gmm.h"
#include "common/cluster/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const graph_baseline_names[] = { "size", "log-size", "untrained", "alone" };

enum { RESTARTS = 10, ITERATIONS = 100, FRACTION_BITS = 24 };

static enum err fedgcn_baseline_by_size(const struct graphs *g, const struct fedgcn_params *p,
					bool logarithm, uint32_t *label)
{
	struct kmeans_params kmeans_p = { .k = p->k,
					  .restarts = RESTARTS,
					  .iterations = ITERATIONS,
					  .seed = p->seed,
					  .threads = p->threads };
	struct gmm_params gmm_p = { .k = p->k,
				    .restarts = RESTARTS,
				    .iterations = ITERATIONS,
				    .tolerance = 1e-6,
				    .ridge = 1e-6,
				    .seed = p->seed };
	struct gmm m = { 0 };
	struct mat X;
	enum err e = ERR_OK;

	mat_init(&X, g->count, 1);
	for (size_t i = 0; i < g->count; i++) {
		double n = (double)(g->first[i + 1] - g->first[i]);

		X.a[i] = logarithm ? log(n) : n;
	}
	if (logarithm) {
		gmm_fit(&X, &gmm_p, &m);
		e = gmm_label(&m, &X, label);
		gmm_release(&m);
	} else {
		kmeans(&X, NULL, &kmeans_p, label, NULL, NULL);
	}
	mat_release(&X);
	return e;
}

/* Clusters graphs without training: embeds them with the network's initial weights, finds
 * prototypes by k-means, and runs the final clustering. */
static enum err untrained(const struct graphs *g, const struct fedgcn_params *p, uint32_t *label)
{
	struct kmeans_params how = { .k = p->k,
				     .restarts = RESTARTS,
				     .iterations = ITERATIONS,
				     .seed = p->seed,
				     .threads = p->threads };
	struct fedgcn_model m = { .features = p->features, .k = p->k };
	struct gin net;
	struct mat Z;
	float *F, *W;
	enum err e;

	TRY(graphs_features(g, p->features, p->threads, &F));
	gin_init(&net, p->features);
	m.weights = net.weights;
	ALLOC(m.W, net.weights);
	ALLOC(W, net.weights);
	gin_draw(&net, p->seed, m.W);
	for (size_t i = 0; i < net.weights; i++)
		W[i] = (float)m.W[i];
	gin_embed(&net, g, F, W, p->threads, &Z);
	kmeans(&Z, NULL, &how, label, &m.C, NULL);
	e = fedgcn_cluster(p, &Z, &m, label);
	fedgcn_model_release(&m);
	mat_release(&Z);
	free(F);
	free(W);
	return e;
}

/* Trains the network as a federation of one party would. */
static enum err alone(const struct graphs *g, const struct fedgcn_params *p, uint32_t *label)
{
	struct fedgcn_params own = *p;
	struct fedgcn_report report = { 0 };
	struct memory memory = { .kind = &fedgcn_in_memory,
				 .count = 1,
				 .fraction_bits = FRACTION_BITS };
	struct fedgcn_party party;
	struct parties parties;
	enum err e;

	own.sharing = FEDGCN_AVG;
	own.prototypes = FEDGCN_OWN;
	e = fedgcn_party_init(&party, g, &own);
	if (e != ERR_OK) {
		fedgcn_party_release(&party);
		return e;
	}
	memory.party = &party;
	parties_in_memory(&parties, &memory);
	e = fedgcn_run(&parties, &own, &report);
	if (e == ERR_OK)
		memcpy(label, party.label, g->count * sizeof(*label));
	fedgcn_report_release(&report);
	fedgcn_party_release(&party);
	return e;
}

enum err graph_baseline(const struct graphs *g, const struct fedgcn_params *p,
			enum graph_baseline which, uint32_t *label)
{
	switch (which) {
	case GRAPH_BY_SIZE:
		return fedgcn_baseline_by_size(g, p, false, label);
	case GRAPH_BY_LOG_SIZE:
		return fedgcn_baseline_by_size(g, p, true, label);
	case GRAPH_UNTRAINED:
		return untrained(g, p, label);
	default:
		return alone(g, p, label);
	}
}
