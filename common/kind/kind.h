/* kind.h -- what shared code knows of a protocol: one table for each kind of job.
 *
 * A protocol's folder holds its table (common/fedsc/kind.c), common/job/kinds.c lists all of them,
 * and nothing else names a kind. The halves that run are tables of server/ and party/, which point
 * here.
 */
#ifndef COMMON_KIND_KIND_H
#define COMMON_KIND_KIND_H

#include <stdbool.h>

/* How data lies at the parties: what each has of its own. */
enum kind_split {
	SPLIT_COLUMNS,  /* features of the same nodes; edges are shared, or differ */
	SPLIT_ROWS,     /* rows of the same columns */
	SPLIT_EDGES,    /* edges, between nodes that others may have too */
	SPLIT_VERTICES, /* vertices, with their edges */
	SPLIT_GRAPHS    /* whole graphs */
};

/* Files that a party's configuration must name: bits. */
enum kind_needs {
	NEEDS_FEATURES = 1, /* data.features */
	NEEDS_EDGES = 2,    /* data.edges */
	NEEDS_VERTICES = 4, /* data.vertices */
	NEEDS_GRAPHS = 8    /* data.graphs */
};

struct kind {
	const char *name; /* as in job.kind */
	enum kind_split split;
	unsigned needs;            /* enum kind_needs */
	const char *thing, *things; /* what gets a label or an embedding: "row", "rows" */
	bool embeds; /* the result are embeddings, not labels */
};

/* At start: a kind that lacks something must not run. */
#define KIND_NEEDS(name, what, member)                                                             \
	do {                                                                                       \
		if (!(member))                                                                     \
			kind_lacks((name), (what));                                                \
	} while (0)
void kind_lacks(const char *name, const char *what) __attribute__((noreturn));

#endif
