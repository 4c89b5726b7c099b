/* planted_graphs.h -- many small graphs with known classes, in TU format.
 *
 * A graph of class c consists of cliques of 2 + 2 c nodes, connected as a random tree: class 0 is a
 * tree, class 1 consists of four-cliques. Graphs of every class have from three to five quarters of
 * `size` nodes, so size does not reveal the class; density does. An edge follows this pattern with
 * probability `signal`, otherwise it joins any two nodes. Class sizes differ by at most one graph;
 * graphs are in random order. Attributes are noise, with 1 added to attribute c mod `attributes`.
 */
#ifndef CLI_SYNTH_PLANTED_GRAPHS_H
#define CLI_SYNTH_PLANTED_GRAPHS_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { PLANTED_GRAPHS_CLASSES_MAX = 30 };

struct planted_graphs_params {
	size_t graphs, size, classes, attributes; /* classes at most PLANTED_GRAPHS_CLASSES_MAX */
	double signal;
	uint64_t seed;
};

struct planted_graphs_counts {
	size_t nodes, edges;
};

/* Writes dir/NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt and, with attributes,
 * NAME_node_attributes.txt. NAME is the last part of dir. Classes are numbered from 1, as in most
 * published sets. ERR_INPUT: there are more classes than graphs, or dir is neither new nor empty.
 * ERR_JOB: a file cannot be written. */
enum err planted_graphs_write(const char *dir, const struct planted_graphs_params *p,
			      struct planted_graphs_counts *counts) MUST_CHECK;

#endif
