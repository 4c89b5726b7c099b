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

bool graph_scores_apply(const struct json *run); /* it is of kind fedgcn */

/* truth: "own", the classes in the sets that the parties' run.json name, or a directory in which
 * each party's set is under the party's name. *e: { "truth", "parties": [ { "party", "graphs",
 * "ways": { "result": { "acc", "nmi", "ari", "f1" }, "majority": ..., "size": ... } } ], "mean": {
 * "result": ... }, "weighted": ... }. A way is in the means if all parties have it. ERR_INPUT: no
 * party's labels, sets that are not there, have no classes, or other graphs. */
enum err graph_scores_make(const struct run_dir *runs, const char *truth,
			   struct json **e) MUST_CHECK;

void graph_scores_print(const struct json *e); /* on stdout, for people */

#endif
