/* dataset.h -- a party's data: features, graph and ids of the same rows.
 *
 * With ids, rows are sorted by id and edges renumbered. Parties with the same set of ids then have
 * the same rows, for any order of their files. Without ids, row numbers are the ids. The party gets
 * labels in its own order.
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
	struct features X; /* n rows, sorted as the ids are */
	/* columns of X, from the heading of its table or the columns.json beside it; may be
	 * empty */
	struct columns columns;
	struct graph g; /* n nodes; a computation may use up X and g */
	bool has_ids;
	/* n ids if has_ids; ids.row[i] is the position of row i in the party's files */
	struct ids ids;
	bool *hosted; /* dataset_load_vertices: n flags of the party's own nodes; else NULL */
	/* number of the first row if there are no ids: 1 if edges are a Matrix Market file, else
	 * 0 */
	size_t first_row;
};

/* Loads a dataset. features or edges may be NULL, which leaves X or g empty; ids may be NULL.
 * Without features, the nodes are those in the file of ids. Without features and ids, the nodes are
 * those that the edges name (edges_read_named), possibly none, and d->ids has their names.
 * ERR_INPUT if a file is invalid, or if files do not fit each other. If their numbers of rows
 * differ, the message has both. Logs a warning if it drops self-loops or repeated edges. Also
 * ERR_INPUT if this process's memory is too small for a dense copy of X, which kCAGC makes. */
enum err dataset_load(struct dataset *d, const char *features, const char *edges,
		      const char *ids) MUST_CHECK;
/* Like dataset_load(), which reads tables (.csv, .tsv) of features and edges by the default
 * settings, but reads them as `how` specifies. ERR_INPUT also if `how` is not the default and
 * neither file is a table, or if both a column and a file have ids. */
enum err dataset_load_as(struct dataset *d, const struct reading *how, const char *features,
			 const char *edges, const char *ids) MUST_CHECK;
/* Reads a FedWalk party's data: the vertices that it hosts, one id per line, and their edges. The
 * nodes are those that either file names; d->hosted marks the party's own. how: how to read edges
 * in a .csv, or NULL. ERR_INPUT if neither end of an edge is among the vertices; the error has the
 * ids. ERR_INPUT also if edges have weights, or if the file is a Matrix Market file, since its
 * numbers are not ids. */
enum err dataset_load_vertices(struct dataset *d, const struct reading *how, const char *edges,
			       const char *vertices) MUST_CHECK;
void dataset_release(struct dataset *d);

/* Reads features alone, by the file name's ending: .npy, .mtx, or a table of numbers, .csv or
 * .tsv. */
enum err features_read(const char *path, struct features *X) MUST_CHECK;
/* Like features_read(), but also returns the names of the columns. */
enum err features_read_named(const char *path, struct features *X,
			     struct columns *names) MUST_CHECK;

/* Feeds canonical bytes of the ids, or of the edges between sorted rows, to the caller's hash
 * function, in many calls. Two parties have the same bytes of ids exactly if they have the same
 * ids, and the same bytes of edges exactly if they have the same graph. */
typedef void dataset_feed(void *arg, const void *p, size_t n);
void dataset_feed_ids(const struct dataset *d, dataset_feed *feed, void *arg);
void dataset_feed_edges(const struct dataset *d, dataset_feed *feed, void *arg);
/* Feed the bytes of dataset_feed_edges() for edges that are stored elsewhere. Call
 * dataset_feed_graph() first, where `neighbours` is twice the number of edges. Then call
 * dataset_feed_neighbour() for each neighbour v of each node u, in ascending order. */
void dataset_feed_graph(size_t nodes, size_t neighbours, dataset_feed *feed, void *arg);
enum { DATASET_EDGE_LEN = 24 }; /* bytes of an edge */
void dataset_feed_neighbour(size_t u, size_t v, double weight, dataset_feed *feed, void *arg);

/* Reorder n values from the order of X's rows to the party's own order. The caller owns the result.
 * dataset_own_values() returns NULL for NULL. */
uint32_t *dataset_own_order(const struct dataset *d, const uint32_t *label);
double *dataset_own_values(const struct dataset *d, const double *x);
/* Returns the ids in the party's own order; NULL without ids. The caller frees the array, but not
 * the ids. */
char **dataset_own_ids(const struct dataset *d);

/* Writes labels as labels_write() does, in the party's own order; the CSV has the ids. label and
 * confidence are in the order of X's rows; confidence may be NULL. */
enum err dataset_write_labels(const char *csv, const char *npy, const struct dataset *d,
			      const uint32_t *label, const double *confidence) MUST_CHECK;

/* Paths of the files of a data directory: features.(mtx|npy|csv), edges.(tsv|mtx|csv), ids.txt
 * and labels.txt. The path of a missing file is NULL. ERR_INPUT if a file of `needs` is missing, or
 * if features or edges exist in two formats. */
struct dataset_files {
	char *features, *edges, *ids, *labels; /* owned */
};
enum { DATASET_FEATURES = 1, DATASET_EDGES = 2, DATASET_BOTH = 3 };
enum err dataset_find(const char *dir, unsigned needs, struct dataset_files *f) MUST_CHECK;
void dataset_files_release(struct dataset_files *f);

#endif
