/* pooled_graph.h -- a graph without features from a data directory: edges.tsv or edges.mtx, with
 * optional ids.txt and labels.txt.
 *
 *   ids.txt         lists the nodes, isolated ones included
 *   labels.txt      without ids.txt: one line per node; nodes are named 0, 1, ...
 *   neither         the nodes in the edges file
 */
#ifndef CLI_ARGS_POOLED_GRAPH_H
#define CLI_ARGS_POOLED_GRAPH_H

#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/linalg/csr.h"

#include <stddef.h>
#include <stdint.h>

/* Nodes are sorted by id as bytes. If there is labels.txt without ids.txt, they are sorted by
 * number. */
struct pooled_graph {
	size_t n;
	char **id;       /* one id per node */
	struct csr S;    /* n x n, symmetric, without loops */
	uint32_t *truth; /* classes from labels.txt, in node order; NULL without that file */
	/* storage of the ids */
	struct ids ids;
	char *numbers;
};

/* ERR_INPUT: a file is invalid, or files do not match. *g is then empty. */
enum err pooled_graph_read(const char *dir, struct pooled_graph *g) MUST_CHECK;
void pooled_graph_release(struct pooled_graph *g);

/* Returns the number of isolated nodes. */
size_t pooled_graph_isolated(const struct pooled_graph *g);

#endif
