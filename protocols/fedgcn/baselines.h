/* baselines.h -- baselines of graph clustering: a party clusters its own graphs without the
 * federation, or without FedGCN's network.
 *
 * Molecules of one class often have one size, and an untrained network already separates sizes and
 * densities. A federated result has to beat these baselines. */
#ifndef PROTOCOLS_FEDGCN_BASELINES_H
#define PROTOCOLS_FEDGCN_BASELINES_H

#include "protocols/fedgcn/party.h"

enum graph_baseline {
	GRAPH_BY_SIZE,     /* k-means on the number of nodes */
	GRAPH_BY_LOG_SIZE, /* a Gaussian mixture on the logarithm of the number of nodes */
	GRAPH_UNTRAINED,   /* the network with its initial weights, and the final clustering */
	/* trained on the party's own graphs, for as many rounds as the federation */
	GRAPH_ALONE,
	GRAPH_BASELINES
};
/* Names of the baselines: "size", "log-size", "untrained", "alone". */
extern const char *const graph_baseline_names[];

/* Fills label (g->count entries) with at most p->k clusters. p: the federation's parameters.
 * ERR_JOB: the loss, a weight or an embedding of GRAPH_ALONE explodes; ERR_INPUT: as
 * fedgcn_party_init(), or the mixture cannot be fitted. Bitwise identical for any number of
 * threads. */
enum err graph_baseline(const struct graphs *g, const struct fedgcn_params *p,
			enum graph_baseline which, uint32_t *label) MUST_CHECK;

#endif
