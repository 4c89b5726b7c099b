/* graph_ways.h -- how well the ways of clustering graphs do at each party, and in the mean: FedGCN
 * itself, all graphs in one cluster, and the baselines. */
#ifndef CLI_RUN_GRAPH_WAYS_H
#define CLI_RUN_GRAPH_WAYS_H

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/fedgcn/baselines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The baselines follow, in their order. */
enum { WAY_RESULT, WAY_MAJORITY, WAY_BASELINES, GRAPH_WAYS = WAY_BASELINES + GRAPH_BASELINES };
enum { GRAPH_SCORES = 4 };
extern const char *const graph_score_names[GRAPH_SCORES];
const char *graph_way_name(unsigned way);

/* One party, {0} but for name and n before the first score. */
struct graph_ways {
	const char *name; /* borrowed */
	size_t n;         /* graphs */
	bool has[GRAPH_WAYS];
	double score[GRAPH_WAYS][GRAPH_SCORES];
};

/* truth, label: s->n. As metrics_of(). */
enum err graph_ways_score(struct graph_ways *s, unsigned way, const uint32_t *truth,
			  const uint32_t *label) MUST_CHECK;

/* Puts "parties", "mean" and "weighted", by graphs, of each way that all parties have which have
 * any. */
void graph_ways_put(struct json *to, const struct graph_ways *s, size_t parties);

#endif
