/* pooled_graph.h -- a graph without features, from a data directory: edges.tsv or edges.mtx, with
 * ids.txt and labels.txt if there are any.
 *
 *   ids.txt         the nodes, those without edges too
 *   labels.txt      without ids.txt: nodes are its lines, called 0, 1, ...
 *   neither         the nodes that edges names
 */
#ifndef CLI_ARGS_POOLED_GRAPH_H
#define CLI_ARGS_POOLED_GRAPH_H

#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/linalg/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nodes are sorted by id as bytes; without ids.txt, if there is a labels.txt, by number. */
struct pooled_graph {
	size_t n;
	char **id;       /* of each node */
	struct csr S;    /* n x n, symmetric, without loops */
	uint32_t *truth; /* of labels.txt, in the order of the nodes; NULL without */
	/* what of this is owned */
	struct ids ids;
	char *numbers;
};

/* ERR_INPUT: a file is wrong, or they do not fit each other; *g is then empty. */
enum err pooled_graph_read(const char *dir, struct pooled_graph *g) MUST_CHECK;
void pooled_graph_release(struct pooled_graph *g);

size_t pooled_graph_isolated(const struct pooled_graph *g); /* nodes without edges */

#endif
