/* split.h -- splits a data directory into directories of several parties.
 *
 *   columns   same nodes, different features; the same graph, overlapping parts of it, or only
 *             part of the nodes at each party (kCAGC)
 *   rows      different rows, same features; edges within a party's rows; labels of its rows
 *   edges     same nodes and features, different edges; an edge is at one or several parties
 *             (split_hold.h). Without features, a party knows the nodes of its edges (FedSpectral)
 *   vertices  a graph without features: different vertices, each with its ties (FedWalk)
 *   graphs    different graphs of a set in TU format (FedGCN)
 *
 * Parts are random, disjoint unless requested otherwise, and as equal as possible; rows may be
 * split by class (skew), columns into blocks (contiguous). Nodes and columns keep their order
 * within a part. OUT/split.json has the seed, so the split can be reproduced.
 */
#ifndef CLI_SPLIT_SPLIT_H
#define CLI_SPLIT_SPLIT_H

#include "common/base/err.h"
#include "common/kind/kind.h"
#include "common/linalg/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of enum kind_split, in its order; the last entry is NULL. */
extern const char *const split_by_names[];

struct split_params {
	enum kind_split by;
	size_t parties;
	uint64_t seed;
	const char *data, *out; /* creates out/party-00, out/party-01, ... */
	double shared_edges;    /* columns: fraction of the edges that each party gets; 0: all */
	double skew;      /* rows, graphs: fraction, 0 to 1, that is split by class (skew.h) */
	double overlap;   /* edges: fraction of the parties that hold an edge; 0: one party */
	bool regions;     /* edges: each party has those of one region of the graph */
	bool no_features; /* edges: leave out any features */
	double keep;      /* columns: fraction of the rows that each party gets, shuffled; 0: all */
	bool contiguous;  /* columns: blocks of adjacent columns instead of random ones */
};
#define SPLIT_SHARED_MIN 0.5
#define SPLIT_KEEP_MIN   0.001

/* Splits the data. Requires features if `by` is columns or rows; edges if it is edges or vertices,
 * or if `shared_edges` is set; labels if `skew` is set. ERR_INPUT: the data are invalid, there are
 * fewer items than parties, a party would have no edge, contiguous is set for other items than
 * columns, or p->out is not empty. ERR_JOB: a file cannot be written. */
enum err split_data(const struct split_params *p) MUST_CHECK;

/* Assigns items 0 .. n-1 to `parts` random disjoint parts with sizes that differ by at most 1:
 * part[i] is the part of item i. */
void split_parts(size_t n, size_t parts, uint64_t seed, uint32_t *part);
/* As split_parts(), but in order: part l has the items from n l / parts on. */
void split_blocks(size_t n, size_t parts, uint32_t *part);

/* Chooses the edges of party l if each party gets the fraction `share` (F) of all n edges (paper of
 * kCAGC, Appendix D). kept[e]: the party has edge e. Edges are in a random circular order. Party l
 * takes F n of them, from position n l / parties of this order on. With two parties and F = 0.5 the
 * parties' edges are disjoint; for odd n, they have one common edge. A party keeps its edges as F
 * grows. If F * parties >= 1, every edge belongs to a party. */
void split_shared_edges(size_t n, size_t parties, double share, uint64_t seed, size_t l,
			bool *kept);
/* Returns F n, where F is `share`, rounded to the nearest integer, halves up. */
size_t split_shared_count(size_t n, double share);

/* Returns the rows of party l if each party gets the fraction `keep` of all n. The array has all
 * rows in party l's random order; the first split_kept_count() are the party's. Owned by the
 * caller. */
uint32_t *split_kept_rows(size_t n, uint64_t seed, uint32_t l);
/* Returns `keep` times n, rounded to the nearest integer, at least 1. */
size_t split_kept_count(size_t n, double keep);

/* Sets new_of[i] to the position of item i in part l, or to UINT32_MAX. Returns the number of items
 * in the part. */
size_t split_places(const uint32_t *part, size_t n, uint32_t l, uint32_t *new_of);

/* Copies the rows and columns selected by row_of and col_of, in their original order. row_of,
 * col_of: made by split_places(); NULL: all are copied. out is initialised here, rows x cols. */
void split_cut(const struct features *X, size_t rows, const uint32_t *row_of, size_t cols,
	       const uint32_t *col_of, struct features *out);

#endif
