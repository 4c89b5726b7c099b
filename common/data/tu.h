/* tu.h -- sets of graphs in the TU format (Morris et al. 2020): NAME_A.txt,
 * NAME_graph_indicator.txt and, if they exist, NAME_node_attributes.txt and NAME_graph_labels.txt,
 * in a directory.
 *
 * Node and edge labels, edge attributes and graph attributes are not read. Nodes and graphs are
 * numbered from 1 in files. An edge may be listed in one direction or both, and more than once;
 * self-loops are dropped.
 */
#ifndef COMMON_DATA_TU_H
#define COMMON_DATA_TU_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/graph/graphs.h"

#include <stddef.h>
#include <stdint.h>

enum { TU_ATTRIBUTES_MAX = 1024 };

struct tu {
	struct graphs graphs;
	int64_t *class;      /* graphs.count classes as published; NULL: no NAME_graph_labels.txt */
	size_t loops, twice; /* lines of NAME_A.txt that were dropped: self-loops, repeated edges */
	size_t edgeless;     /* graphs without any edge */
};

/* Reads the set in `dir`; NAME is that of its only file *_graph_indicator.txt. ERR_INPUT, with file
 * and line, if a file is truncated; if indicators decrease or leave a graph without nodes; if an
 * edge joins two graphs or names a missing node; if rows of attributes differ in width, are too
 * many or too few, or have a number beyond +-1e30; if classes are not one whole number for each
 * graph; or if no graph has an edge. A single graph without edges is valid (edgeless counts these
 * graphs). */
enum err tu_read(const char *dir, struct tu *tu) MUST_CHECK;

/* tu_read() from bytes; attributes and labels may be absent (p NULL). `name` is for errors. */
struct tu_files {
	struct bytes indicator, edges, attributes, labels;
};
enum err tu_parse(const struct tu_files *f, const char *name, struct tu *tu) MUST_CHECK;
void tu_release(struct tu *tu);

/* Writes each graph's class to label (count values). Classes are renumbered from 0 in ascending
 * order, and *classes becomes their number. */
void tu_classes(const struct tu *tu, uint32_t *label, size_t *classes);

#endif
