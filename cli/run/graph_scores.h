/* graph_scores.h -- a run of kind fedgcn against the truth, party by party, with the baselines
 * beside it.
 *
 * Each party has clusters of its own graphs, numbered as all others', but the truth of one set says
 * nothing of another's: scores are each party's, and their means over parties, plain ("mean") and
 * weighted by graphs ("weighted"). Beside the result stand the party's baselines, as far as the run
 * left them, and the majority share: all graphs in one cluster.
 */
#ifndef CLI_RUN_GRAPH_SCORES_H
#define CLI_RUN_GRAPH_SCORES_H

#include "cli/run/report_read.h"
#include "protocols/fedgcn/baselines.h"

#include <stdint.h>

/* ---- how well the ways of clustering graphs do at each party, and in the mean ---- */

/* The baselines follow, in their order. */
enum { WAY_RESULT, WAY_MAJORITY, WAY_BASELINES, GRAPH_WAYS = WAY_BASELINES + GRAPH_BASELINES };
enum { GRAPH_SCORES = 4 };

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

/* ---- a run ---- */

/* truth: "own", the classes in the sets that the parties' run.json name, or a directory in which
 * each party's set is under the party's name. *e: { "truth", "parties": [ { "party", "graphs",
 * "ways": { "result": { "acc", "nmi", "ari", "f1" }, "majority": ..., "size": ... } } ], "mean": {
 * "result": ... }, "weighted": ... }. A way is in the means if all parties have it. ERR_INPUT: no
 * party's labels, sets that are not there, have no classes, or other graphs. */
enum err graph_scores_make(const struct run_dir *runs, const char *truth,
			   struct json **e) MUST_CHECK;

void graph_scores_print(const struct json *e); /* on stdout, for people */

#endif
