/* dataset.h -- a party's data: features, graph and ids that fit each other.
 *
 * With ids, rows are sorted by id and edges renamed, so that parties with the same set of ids have
 * the same rows, whatever the order of their files. Without, row numbers are the ids. Labels go
 * back to the party in its own order.
 */
#ifndef COMMON_DATA_DATASET_H
#define COMMON_DATA_DATASET_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/data/ids.h"
#include "common/data/reading.h"
#include "common/linalg/csr.h"
#include "common/graph/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dataset {
	size_t n;
	struct features X;      /* n rows, sorted as the ids are */
	struct columns columns; /* of X, by its heading or the columns.json beside it; or none */
	struct graph g;         /* n nodes; X and g may be used up by whoever computes with them */
	bool has_ids;
	/* n ids if has_ids; ids.row[i] is the position of row i in the party's files */
	struct ids ids;
	bool *hosted; /* dataset_load_vertices: n, which nodes are this party's own; else NULL */
	size_t first_row; /* without ids: the number of the first row, 1 if edges are of a Matrix
			     Market file, else 0 */
};

/* features, edges: one of them may be NULL, and X or g is then empty; ids: NULL if there are none.
 * Without features the nodes are those of ids, whether they have edges or not; without ids too,
 * those that edges names (edges_read_named), of which there may be none: d->ids then has these.
 * ERR_INPUT: a file is wrong, or they do not fit each other: the sentence has both numbers. Logs a
 * warning if self-loops or repeated edges were dropped. The memory that embed() needs for a dense
 * copy is checked against this host's. */
enum err dataset_load(struct dataset *d, const char *features, const char *edges,
		      const char *ids) MUST_CHECK;
/* The same for tables (.csv, .tsv) of features and edges, read as `how` says. ERR_INPUT also if
 * `how` is not the default and neither file is a table, or if ids are both in a column and in a
 * file. */
enum err dataset_load_as(struct dataset *d, const struct reading *how, const char *features,
			 const char *edges, const char *ids) MUST_CHECK;
/* Reads a FedWalk party's data: the vertices that it hosts, one id per line, and their ties. The
 * nodes are those that either file names; d->hosted marks the party's own. how: for edges in a
 * .csv, or NULL. ERR_INPUT, with the ids, if neither end of a tie is among the vertices. ERR_INPUT
 * also if edges has weights or is a Matrix Market file: its numbers are no ids. */
enum err dataset_load_vertices(struct dataset *d, const struct reading *how, const char *edges,
			       const char *vertices) MUST_CHECK;
void dataset_release(struct dataset *d);

/* Features alone, by the file name's ending: .npy, .mtx, or a table of numbers, .csv or .tsv. */
enum err features_read(const char *path, struct features *X) MUST_CHECK;
/* The same, with the names of the columns. */
enum err features_read_named(const char *path, struct features *X,
			     struct columns *names) MUST_CHECK;

/* Canonical bytes of the ids, and of the edges between sorted rows, for the caller to hash: the
 * same for parties with the same ids, or graphs, and for no others. Called many times in a row. */
typedef void dataset_feed(void *arg, const void *p, size_t n);
void dataset_feed_ids(const struct dataset *d, dataset_feed *feed, void *arg);
void dataset_feed_edges(const struct dataset *d, dataset_feed *feed, void *arg);
/* The same bytes for edges that are stored elsewhere: first the number of nodes and the number of
 * neighbours of all nodes together, then each neighbour v of u, in order. */
void dataset_feed_graph(size_t nodes, size_t neighbours, dataset_feed *feed, void *arg);
enum { DATASET_EDGE_LEN = 24 }; /* bytes of an edge */
void dataset_feed_neighbour(size_t u, size_t v, double weight, dataset_feed *feed, void *arg);

/* label, x: n values in the order of X's rows. Returns them in the party's own order, owned by the
 * caller; dataset_own_values() returns NULL for NULL. */
uint32_t *dataset_own_order(const struct dataset *d, const uint32_t *label);
double *dataset_own_values(const struct dataset *d, const double *x);
/* The ids in that order, each of them borrowed; NULL: there are none. */
char **dataset_own_ids(const struct dataset *d);

/* labels_write() in the party's own order; the CSV has ids. confidence: as label, or NULL. */
enum err dataset_write_labels(const char *csv, const char *npy, const struct dataset *d,
			      const uint32_t *label, const double *confidence) MUST_CHECK;

/* A data directory: features.(mtx|npy|csv), edges.(tsv|mtx), ids.txt and labels.txt; a
 * missing file is NULL. ERR_INPUT if a file of `needs` is missing, or exists in two formats. */
struct dataset_files {
	char *features, *edges, *ids, *labels; /* owned */
};
enum { DATASET_FEATURES = 1, DATASET_EDGES = 2, DATASET_BOTH = 3 };
enum err dataset_find(const char *dir, unsigned needs, struct dataset_files *f) MUST_CHECK;
void dataset_files_release(struct dataset_files *f);

#endif
