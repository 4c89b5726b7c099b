/* split_graphs.h -- one set of many graphs, in TU format, over several parties: --by graphs. */
#ifndef CLI_SPLIT_SPLIT_GRAPHS_H
#define CLI_SPLIT_SPLIT_GRAPHS_H

#include "cli/split/split.h"

/* OUT/party-NN gets graphs_A.txt, graphs_graph_indicator.txt and, where the whole has them,
 * graphs_graph_labels.txt and graphs_node_attributes.txt; graphs.txt says which graphs of the whole
 * these are, from 1. Graphs keep their order. With a skew they go by class. ERR_INPUT: the data are
 * wrong, have fewer graphs than there are parties, or no classes for a skew; ERR_JOB: cannot be
 * written. */
enum err split_graphs(const struct split_params *p) MUST_CHECK;

#endif
