/* planted_graphs.h -- many small graphs whose classes are known, in TU format.
 *
 * A graph of class c is made of cliques of 2 + 2 c nodes, hung together as a random tree: class 0
 * is a tree, class 1 is made of four-cliques. Graphs have from three to five quarters of
 * `size` nodes, whatever their class, so that neither their size nor how many there are tells it;
 * how dense they are does. An edge is of this pattern with probability `signal`, else between any
 * two nodes. Classes are equally many, up to one graph, in random order. Attributes, if there are
 * any, are noise, with 1 added to attribute c mod `attributes`.
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

/* Writes dir/NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt and, if there are
 * attributes, NAME_node_attributes.txt, NAME being the last part of dir. Classes are numbered from
 * 1, as in most of the sets. ERR_INPUT: more classes than graphs; ERR_JOB: cannot be written. */
enum err planted_graphs_write(const char *dir, const struct planted_graphs_params *p,
			      struct planted_graphs_counts *counts) MUST_CHECK;

#endif
