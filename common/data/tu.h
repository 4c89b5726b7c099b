/* tu.h -- sets of graphs in the TU format (Morris et al. 2020): NAME_A.txt,
 * NAME_graph_indicator.txt and, if they are there, NAME_node_attributes.txt and
 * NAME_graph_labels.txt, in a directory.
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
	int64_t *class;      /* graphs.count, as published, or NULL: no NAME_graph_labels.txt */
	size_t loops, twice; /* lines of NAME_A.txt that were dropped: self-loops, repeated edges */
	size_t edgeless;     /* graphs without any edge */
};

/* The set in `dir`; NAME is that of its only file *_graph_indicator.txt. ERR_INPUT, naming
 * file and line: cut off; indicators that fall or leave a graph without nodes; an edge between two
 * graphs or to a node that is not there; rows of attributes of unequal width, too many or too few,
 * NaN or infinite. A graph without edges is a graph (edgeless counts them); a set without any edge
 * is an error. */
enum err tu_read(const char *dir, struct tu *tu) MUST_CHECK;

/* The same from bytes; attributes and labels may be absent (p NULL). `name` is for complaints. */
struct tu_files {
	struct bytes indicator, edges, attributes, labels;
};
enum err tu_parse(const struct tu_files *f, const char *name, struct tu *tu) MUST_CHECK;
void tu_release(struct tu *tu);

/* label (count): the classes renumbered from 0, rising; *classes of them. */
void tu_classes(const struct tu *tu, uint32_t *label, size_t *classes);

#endif
