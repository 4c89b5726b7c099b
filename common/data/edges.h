/* edges.h -- a graph from a file: edges.tsv, a table edges.csv, or a square Matrix Market file.
 *
 * edges.tsv: "u v" or "u v w" per line, blank-separated; '#' begins a comment line. With ids, u and
 * v are ids. Without ids, u and v are row numbers from 0, or names if no other file lists the
 * nodes. A Matrix Market file always has row numbers (from 1), in the order of the party's own
 * rows. Weights are finite and > 0; an edge without a weight has weight 1.
 *
 * The graph is undirected: (u, v) and (v, u) are one edge. Self-loops are dropped, and repeated
 * edges of the same weight are one edge; the reader counts both. An edge repeated with another
 * weight is an error, and so is any repeated entry of a Matrix Market file.
 */
#ifndef COMMON_DATA_EDGES_H
#define COMMON_DATA_EDGES_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/data/reading.h"
#include "common/data/text.h"
#include "common/linalg/csr.h"

#include <stddef.h>

struct edges_dropped {
	size_t loops;    /* lines with u = v */
	size_t repeated; /* lines that repeat an edge */
};

/* Reads a line of an edges.tsv: two row numbers below n, and a weight, which is 1 if the line has
 * none. Then goes to the next line. */
enum err edges_read_line(struct text *t, size_t n, uint32_t *u, uint32_t *v, double *w) MUST_CHECK;
/* ERR_INPUT if a Matrix Market file is not a graph of n nodes. */
enum err edges_check_mtx(const char *path, bool is_array, size_t rows, size_t cols,
			 size_t n) MUST_CHECK;
/* Sorts the edges, drops repeated edges, and sets *repeated to the number of dropped edges. False
 * if an edge has two different weights; *clash is then the edge with its second weight. */
bool edges_unite(struct triple *t, size_t *count, size_t *repeated, struct triple *clash);

/* Parses an edges.tsv of n nodes. ids: NULL, or n ids; node i of the graph is then ids->id[i].
 * *adjacency (n x n, symmetric; no values if all weights are 1) is initialised here; empty on an
 * error. */
enum err edges_parse_tsv(struct bytes file, const char *where, size_t n, const struct ids *ids,
			 struct csr *adjacency, struct edges_dropped *dropped) MUST_CHECK;
/* Reads a graph in the format of the file name's ending: .tsv, .txt, .mtx or .csv. edges_read_as()
 * also takes options for a .csv. */
enum err edges_read(const char *path, size_t n, const struct ids *ids, struct csr *adjacency,
		    struct edges_dropped *dropped) MUST_CHECK;
enum err edges_read_as(const char *path, const struct reading *how, size_t n, const struct ids *ids,
		       struct csr *adjacency, struct edges_dropped *dropped) MUST_CHECK;

/* Converts a table of edges (.csv) to the text of an edges.tsv with the same line numbers, and
 * appends it to *out. `how` names the columns of the ends and the weight. If it does not name the
 * ends, they are the first two columns, and only a column of weights may be beside them.
 * ERR_INPUT. */
enum err edges_from_csv(struct bytes file, const char *where, const struct reading *how,
			struct buf *out) MUST_CHECK;

/* Reads a graph whose nodes are those that the file names: each word u and v of an edges.tsv, or
 * "1" .. "n" of a Matrix Market file of n rows. Also initialises *ids, which are sorted; *ids may
 * be empty. ERR_INPUT also if the first line of an edges.tsv looks like a heading. 10^7 edges take
 * seconds. Memory: the file's bytes, and 64 bytes for each edge and node. */
enum err edges_parse_named(struct bytes file, const char *where, struct ids *ids,
			   struct csr *adjacency, struct edges_dropped *dropped) MUST_CHECK;
enum err edges_read_named(const char *path, struct ids *ids, struct csr *adjacency,
			  struct edges_dropped *dropped) MUST_CHECK;
enum err edges_read_named_as(const char *path, const struct reading *how, struct ids *ids,
			     struct csr *adjacency, struct edges_dropped *dropped) MUST_CHECK;

/* Appends "u<TAB>v[<TAB>w]" for every edge u < v; ids: the names of the nodes, or NULL. */
void edges_print_tsv(const struct csr *adjacency, char *const *ids, struct buf *out);

#endif
