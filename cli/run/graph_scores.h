/* graph_scores.h -- scores a run of kind fedgcn against the truth, per party, with baselines.
 *
 * All parties number clusters alike, but the classes of one party's set are unrelated to another's.
 * So each party has its own scores, and means over parties are plain ("mean") or weighted by graphs
 * ("weighted"). Besides the result, the party's baselines are scored, if the run stored them, and
 * the majority share: all graphs in one cluster.
 */
#ifndef CLI_RUN_GRAPH_SCORES_H
#define CLI_RUN_GRAPH_SCORES_H

#include "cli/run/report_read.h"
#include "protocols/fedgcn/baselines.h"

#include <stdint.h>

/* ---- scores of each way of clustering ---- */

/* Clusterings that are scored: the result, all graphs in one cluster, then the baselines. */
enum { WAY_RESULT, WAY_MAJORITY, WAY_BASELINES, GRAPH_WAYS = WAY_BASELINES + GRAPH_BASELINES };
enum { GRAPH_SCORES = 4 };

/* Scores of one party. Before the first score, set name and n, and zero the rest. */
struct graph_ways {
	const char *name; /* borrowed */
	size_t n;         /* number of graphs */
	bool has[GRAPH_WAYS];
	double score[GRAPH_WAYS][GRAPH_SCORES];
};

/* Scores one way of clustering. truth, label: s->n values. Errors as metrics_of(). */
enum err graph_ways_score(struct graph_ways *s, unsigned way, const uint32_t *truth,
			  const uint32_t *label) MUST_CHECK;

/* Adds "parties", "mean" and "weighted" (by graphs) for each way that all parties with scores
 * have. */
void graph_ways_put(struct json *to, const struct graph_ways *s, size_t parties);

/* ---- a run ---- */

/* Scores a run. truth: "own", for the classes in the sets that the parties' run.json name, or a
 * directory with each party's set under the party's name. *e: { "truth", "parties": [ { "party",
 * "graphs", "ways": { "result": { "acc", "nmi", "ari", "f1" }, "majority": ..., "size": ... } } ],
 * "mean": { "result": ... }, "weighted": ... }. Means include a way only if all parties have it.
 * ERR_INPUT: no party is present, a party has no labels, or a set is missing, has no classes, or
 * has other graphs. */
enum err graph_scores_make(const struct run_dir *runs, const char *truth,
			   struct json **e) MUST_CHECK;

void graph_scores_print(const struct json *e); /* prints the scores on stdout, for the user */

#endif
