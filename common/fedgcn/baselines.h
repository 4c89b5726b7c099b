/* baselines.h -- what clusters of whole graphs are to be compared with: what one party finds
 * by itself in ways that know nothing of FedGCN's federation, or nothing of its network.
 *
 * Molecules of one class are often of one size, and a network that was never trained tells sizes
 * and densities apart. A federated result that is no better than these has learned nothing.
 */
#ifndef COMMON_FEDGCN_BASELINES_H
#define COMMON_FEDGCN_BASELINES_H

#include "common/fedgcn/party.h"

enum graph_baseline {
	GRAPH_BY_SIZE,     /* k-means on the number of nodes */
	GRAPH_BY_LOG_SIZE, /* a Gaussian mixture on its logarithm */
	GRAPH_UNTRAINED,   /* the network as it was drawn, and the final clustering */
	GRAPH_ALONE, /* trained on the party's own graphs, as often as the federation trains */
	GRAPH_BASELINES
};
/* "size", "log-size", "untrained", "alone" */
extern const char *const graph_baseline_names[];

/* label (g->count): clusters, k of p at most. p: as the federation has them. ERR_JOB: alone, the
 * loss explodes; ERR_INPUT: as fedgcn_party_init(). Same bits for any threads. */
enum err graph_baseline(const struct graphs *g, const struct fedgcn_params *p,
			enum graph_baseline which, uint32_t *label) MUST_CHECK;

#endif
