/* split_graph.h -- a graph without features into those of several parties. */
#ifndef CLI_SPLIT_SPLIT_GRAPH_H
#define CLI_SPLIT_SPLIT_GRAPH_H

#include "cli/split/split.h"

/* Each party's directory gets edges.tsv by id with the weights, ids.txt with the nodes that it
 * knows, and labels.txt of those if the data have one. A party knows the ends of its edges; a node
 * that has no edge at all is known to one party, by chance, so that none is lost. As split_data().
 */
enum err split_graph(const struct split_params *p) MUST_CHECK;

#endif
